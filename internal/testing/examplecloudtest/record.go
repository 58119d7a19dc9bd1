package examplecloudtest

import (
	"net/http"
	"testing"
)

// Change is a change in the cloud's record.
type Change struct {
	// What is the name of what is counted, such as creates, deletes or updates.
	What       string `json:"what"`
	Collection string `json:"collection"`
	ObjectID   string `json:"object_id"`
	// Key has the fields by which people identify the object.
	Key string `json:"key"`
}

// Changes returns all changes in their order. Faults do not change them.
func (c *Cloud) Changes(tb testing.TB) []Change {
	tb.Helper()
	var out []Change
	c.call(tb, http.MethodGet, "/admin/events", nil, &out)
	return out
}

// Stored returns what is stored of the objects of a collection, whatever faults let clients see.
func (c *Cloud) Stored(tb testing.TB, collection string) []map[string]any {
	tb.Helper()
	var out []map[string]any
	c.call(tb, http.MethodGet, "/admin/objects/"+collection, nil, &out)
	return out
}
