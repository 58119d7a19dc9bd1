package cloud

import (
	"fmt"
	"maps"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// World contains the remote objects of one case.
type World struct {
	// Objects are the objects by id. Their values may be of an older schema.
	Objects map[string]cty.Value
	// Created counts the objects that have ever been created.
	Created int
}

// Clone returns a copy.
func (w World) Clone() World {
	return World{Objects: maps.Clone(w.Objects), Created: w.Created}
}

// Difference describes the difference between two worlds. It is empty if there is none.
func (w World) Difference(x World) string {
	if w.Created != x.Created {
		return fmt.Sprintf("%d and %d objects were created", w.Created, x.Created)
	}
	for id := range w.Objects {
		if _, ok := x.Objects[id]; !ok {
			return "only one has object " + id
		}
	}
	for id, v := range x.Objects {
		if _, ok := w.Objects[id]; !ok {
			return "only one has object " + id
		}
		if !v.RawEquals(w.Objects[id]) {
			return "object " + id + " differs"
		}
	}
	return ""
}

// Active is a case in a step.
type Active struct {
	Case *cases.Case
	Step cases.Step
	// Index is the step's number.
	Index int

	// OnCall and OnChange, if set, are told of calls and of what becomes of the world.
	OnCall   func(Call)
	OnChange func(World)

	mu    sync.Mutex
	world World
	calls []Call
}

// NewActive returns a case in a step.
func NewActive(c *cases.Case, index int, w World) *Active {
	return &Active{Case: c, Step: c.Steps[index], Index: index, world: w}
}

// Schema returns the type's schema in this step.
func (a *Active) Schema() *schema.Resource { return a.Case.Schemas[a.Step.Version] }

// World returns the current remote objects.
func (a *Active) World() World {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.world.Clone()
}

// Calls returns the calls so far, in order.
func (a *Active) Calls() []Call {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Call(nil), a.calls...)
}

func (a *Active) record(c Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, c)
	if a.OnCall != nil {
		a.OnCall(c)
	}
}

// change changes the world.
func (a *Active) change(f func(*World)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f(&a.world)
	if a.OnChange != nil {
		a.OnChange(a.world)
	}
}

// object finds a remote object, as a value of the current schema.
func (a *Active) object(id string) (cty.Value, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.world.Objects[id]
	if !ok {
		return cty.NilVal, false
	}
	return cases.Reshape(v, a.Schema().Block), true
}

// Put makes or changes a remote object.
func (a *Active) Put(id string, v cty.Value) {
	a.change(func(w *World) { w.Objects[id] = v })
}

// Remove removes a remote object.
func (a *Active) Remove(id string) {
	a.change(func(w *World) { delete(w.Objects, id) })
}

// nextID returns the id of a new object.
func (a *Active) nextID() string {
	var id string
	a.change(func(w *World) {
		w.Created++
		id = fmt.Sprintf("object-%d", w.Created)
	})
	return id
}

// fault is what is to go wrong in an RPC. A client may, or may not, have upgraded what it has
// just imported.
func (a *Active) fault(rpc string) string {
	if rpc == "Upgrade" && a.Step.Import != cases.NoImport {
		return ""
	}
	return a.Step.Faults[rpc]
}

// Run is the cases that a provider knows, by the name of their resource type.
type Run map[string]*Active

// Call is one call, with its contents decoded.
type Call struct {
	RPC string
	// Fields are cty values, strings, or numbers, by name.
	Fields map[string]any
}

// NewWorld is a world without objects.
func NewWorld() World { return World{Objects: map[string]cty.Value{}} }
