package state

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// Document is a stored instance for people and scripts.
type Document struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Type      string `json:"type,omitempty"`
	Object
	// Deposed are the objects that were replaced and are still to be destroyed.
	Deposed   []DeposedObject `json:"deposed,omitempty"`
	Operation *Operation      `json:"operation,omitempty"`
}

// Object is a remote object as it is stored.
type Object struct {
	// Status is Partial, Tainted or Full, or Empty if there is no object.
	Status        string `json:"status"`
	SchemaVersion int64  `json:"schemaVersion"`
	Identity      any    `json:"identity,omitempty"`
	Attributes    any    `json:"attributes,omitempty"`
	// Private are the provider's own bytes, in base64. They may hold secrets.
	Private             any  `json:"private,omitempty"`
	CreateBeforeDestroy bool `json:"createBeforeDestroy,omitempty"`
}

// DeposedObject is an object that was replaced and is still to be destroyed.
type DeposedObject struct {
	Key string `json:"key"`
	Object
}

// Operation is an operation that has begun and not ended.
type Operation struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	StartedAt time.Time `json:"startedAt"`
	Deadline  time.Time `json:"deadline,omitzero"`
}

// Show returns the document of a record that was loaded verbatim. Sensitive values are concealed by
// the schema; with a nil schema nothing is concealed.
func Show(k store.Key, resourceType string, rec store.Record, r *schema.Resource) (Document, error) {
	out := Document{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, Type: resourceType}
	var err error
	if out.Object, err = show(rec.Instance.Depose(""), r); err != nil {
		return out, err
	}
	for _, d := range rec.Instance.Deposed {
		object, err := show(d, r)
		if err != nil {
			return out, err
		}
		out.Deposed = append(out.Deposed, DeposedObject{Key: d.Key, Object: object})
	}
	if op := rec.Instance.Operation; op != nil {
		out.Operation = &Operation{ID: op.ID, Kind: string(op.Kind), StartedAt: op.StartedAt, Deadline: op.Deadline}
	}
	return out, nil
}

func show(d instance.Deposed, r *schema.Resource) (Object, error) {
	out := Object{Status: string(d.Status), SchemaVersion: d.SchemaVersion, CreateBeforeDestroy: d.CreateBeforeDestroy}
	if out.Status == "" {
		out.Status = "Empty"
	}
	var err error
	if out.Identity, err = decode(d.RawIdentity); err != nil {
		return out, err
	}
	if out.Attributes, err = decode(d.RawState); err != nil {
		return out, err
	}
	if len(d.Private) > 0 {
		out.Private = d.Private
	}
	if r == nil {
		return out, nil
	}
	if len(d.Private) > 0 {
		out.Private = redact.Concealed
	}
	if attributes, ok := out.Attributes.(map[string]any); ok {
		concealObject(attributes, r.Block.Attributes, r.Block.Blocks)
		for _, path := range d.SensitivePaths {
			concealPath(attributes, path)
		}
	}
	return out, nil
}

func decode(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var out any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err := d.Decode(&out)
	return out, err
}

// concealObject replaces sensitive values. Values that the schema does not have, which are of
// another version of it, may be sensitive too.
func concealObject(object map[string]any, attributes map[string]*schema.Attribute, blocks map[string]*schema.NestedBlock) {
	for name, v := range object {
		a, b := attributes[name], blocks[name]
		switch {
		case v == nil:
		case b != nil:
			each(v, b.Nesting, func(element map[string]any) { concealObject(element, b.Attributes, b.Blocks) })
		case a == nil, a.Sensitive, a.WriteOnly:
			object[name] = redact.Concealed
		case a.Nested != nil:
			each(v, a.Nested.Nesting, func(element map[string]any) { concealObject(element, a.Nested.Attributes, nil) })
		}
	}
}

// each calls f for the objects of a nested block or nested attributes.
func each(v any, nesting schema.Nesting, f func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if object, ok := element.(map[string]any); ok {
				f(object)
			}
		}
	case map[string]any:
		if nesting != schema.NestingMap {
			f(v)
			return
		}
		for _, element := range v {
			if object, ok := element.(map[string]any); ok {
				f(object)
			}
		}
	}
}

// concealPath replaces what is at a path, up to its first index.
func concealPath(object map[string]any, path cty.Path) {
	for i, step := range path {
		name, ok := step.(cty.GetAttrStep)
		if !ok {
			return
		}
		v, ok := object[name.Name]
		if !ok || v == nil {
			return
		}
		last := i == len(path)-1
		if !last {
			_, last = path[i+1].(cty.IndexStep)
		}
		if next, isObject := v.(map[string]any); isObject && !last {
			object = next
			continue
		}
		object[name.Name] = redact.Concealed
		return
	}
}
