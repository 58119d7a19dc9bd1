package examplecloudtest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// EndTask ends the running create tasks of objects of that name. outcome is succeed or fail.
func (c *Cloud) EndTask(tb testing.TB, collection, name, outcome string) {
	tb.Helper()
	c.EndTaskOf(tb, collection, "name", name, outcome)
}

// EndTaskOf is EndTask for a collection whose objects have their names in another field.
func (c *Cloud) EndTaskOf(tb testing.TB, collection, field, name, outcome string) {
	tb.Helper()
	var tasks []struct{ ID string }
	query := url.Values{"collection": {collection}, field: {name}}
	c.call(tb, http.MethodGet, "/v1/tasks?"+query.Encode(), nil, &tasks)
	if len(tasks) == 0 {
		tb.Fatalf("no create of %s is running in %s", name, collection)
	}
	for _, t := range tasks {
		c.call(tb, http.MethodPost, "/admin/tasks/"+t.ID, map[string]any{"outcome": outcome}, nil)
	}
}

// Making reports whether a create of an object of that name is running.
func (c *Cloud) Making(tb testing.TB, collection, name string) bool {
	tb.Helper()
	var tasks []struct{ Status string }
	query := url.Values{"collection": {collection}, "name": {name}}
	c.call(tb, http.MethodGet, "/v1/tasks?"+query.Encode(), nil, &tasks)
	return slices.ContainsFunc(tasks, func(t struct{ Status string }) bool { return t.Status == "running" })
}

// RemoveFaults removes the faults for objects of that name.
func (c *Cloud) RemoveFaults(tb testing.TB, name string) {
	tb.Helper()
	for _, f := range c.faults(tb, name) {
		c.call(tb, http.MethodDelete, "/admin/faults/"+f.ID, nil, nil)
	}
}

// Waits reports whether there is a fault on a call, such as delete, for objects of that name. One
// with a count is gone once it was used as often.
func (c *Cloud) Waits(tb testing.TB, name, on string) bool {
	tb.Helper()
	return slices.ContainsFunc(c.faults(tb, name), func(f fault) bool { return f.On == on })
}

// fault is a fault as the cloud lists it.
type fault struct {
	ID, On string
	Match  map[string]string
}

func (c *Cloud) faults(tb testing.TB, name string) (out []fault) {
	tb.Helper()
	c.call(tb, http.MethodGet, "/admin/faults", nil, &out)
	return slices.DeleteFunc(out, func(f fault) bool { return f.Match["name"] != name })
}

// Happened returns the number of events of one type, such as creates or deletes, of objects of that
// name.
func (c *Cloud) Happened(tb testing.TB, what, name string) int {
	tb.Helper()
	n := 0
	for _, e := range c.Events(tb) {
		// The natural key ends with the name.
		if e == what+" "+name || strings.HasPrefix(e, what+" ") && strings.HasSuffix(e, "/"+name) {
			n++
		}
	}
	return n
}

// Events returns all events, the oldest first: the type, such as creates or deletes, and the
// natural key of the object.
func (c *Cloud) Events(tb testing.TB) []string {
	tb.Helper()
	var events []struct{ What, Key string }
	c.call(tb, http.MethodGet, "/admin/events", nil, &events)
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.What + " " + e.Key
	}
	return out
}

// Find returns the id of the only object of that name in a collection.
func (c *Cloud) Find(tb testing.TB, collection, name string) string {
	tb.Helper()
	var objects []struct{ ID, Name string }
	c.call(tb, http.MethodGet, "/v1/"+collection+"?"+url.Values{"name": {name}}.Encode(), nil, &objects)
	found := ""
	for _, o := range objects {
		if o.Name == name {
			if found != "" {
				tb.Fatalf("there is more than one %s in %s", name, collection)
			}
			found = o.ID
		}
	}
	if found == "" {
		tb.Fatalf("there is no %s in %s", name, collection)
	}
	return found
}
