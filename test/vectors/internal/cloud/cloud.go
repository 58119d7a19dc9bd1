package cloud

import (
	"fmt"
	"sync"
)

// Cloud holds the objects. The fields after them make it misbehave.
type Cloud struct {
	mu      sync.Mutex
	next    int
	objects map[string]Object

	// FailCreate fails creates after the object was made.
	FailCreate bool
	// FailUpdate and FailDelete fail before anything was done.
	FailUpdate, FailDelete bool
}

// Object is a thing in the cloud.
type Object struct {
	ID, Name, Label string
	Size, Revision  int64
	Token           string
	// Identity is the id that the object's identity has, where that is not ID.
	Identity string
}

// IdentityID is the id in the object's identity.
func (o Object) IdentityID() string {
	if o.Identity != "" {
		return o.Identity
	}
	return o.ID
}

// Put makes or changes an object, and gives it an id, a label and a revision.
func (c *Cloud) Put(o Object) Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.ID == "" {
		c.next++
		o.ID = fmt.Sprintf("t-%d", c.next)
	}
	if o.Label == "" {
		o.Label = "label of " + o.Name
	}
	o.Revision++
	if c.objects == nil {
		c.objects = map[string]Object{}
	}
	c.objects[o.ID] = o
	return o
}

// Get is an object, if there is one of that id.
func (c *Cloud) Get(id string) (Object, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, ok := c.objects[id]
	return o, ok
}

// Delete makes an end of an object.
func (c *Cloud) Delete(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.objects, id)
}

// Len is how many objects there are.
func (c *Cloud) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.objects)
}

// Options make one version of the provider.
type Options struct {
	// SchemaVersion and IdentityVersion are those of cloud_thing's schemas.
	SchemaVersion, IdentityVersion int64
	// Upgraders says that there are upgraders from version 0 of both.
	Upgraders bool
}
