package evolution

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// AnnotationPrefix is the prefix of the annotations with values that other versions cannot hold.
// The name of the version follows.
const AnnotationPrefix = "conversion.landbridge.io/"

// maxAnnotation is the maximum size of such an annotation in bytes. All annotations of an object
// together may have 256 KiB.
const maxAnnotation = 200 << 10

// remembered has the values of an object in one version that another version cannot hold.
type remembered struct {
	// In is the version that the object was converted to.
	In    string           `json:"in"`
	Parts map[string]*memo `json:"parts"`
}

// memo is a remembered value, or the remembered parts of it.
type memo struct {
	// Value is the value. As is the digest of the value that it was converted to; empty if there is
	// none.
	Value json.RawMessage `json:"v,omitempty"`
	As    string          `json:"as,omitempty"`
	// Fields are the fields of an object or map, by their names in the remembered version.
	Fields map[string]*memo `json:"f,omitempty"`
	// Elements are the remembered elements of a list.
	Elements []element `json:"e,omitempty"`
}

// element is an element of a list: its index, its value, and the value that it was converted to.
type element struct {
	Index int             `json:"i"`
	Value json.RawMessage `json:"v"`
	As    string          `json:"as"`
}

func remember(v any, as string) *memo {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it comes from JSON
	}
	return &memo{Value: raw, As: as}
}

// recall returns the value if the value that it was converted to is unchanged.
func (m *memo) recall(as string) (any, bool) {
	if m == nil || m.Value == nil || m.As != as {
		return nil, false
	}
	return decode(m.Value)
}

// restore adds the remembered fields that are not given.
func (m *memo) restore(to map[string]any, given func(name string) bool) {
	if m == nil {
		return
	}
	for name, x := range m.Fields {
		if was, ok := x.recall(""); ok && !given(name) {
			to[name] = was
		}
	}
}

func (m *memo) field(name string) *memo {
	if m == nil {
		return nil
	}
	return m.Fields[name]
}

// elements returns the values that the elements of a list were converted from, by index. It finds
// elements that were moved, but not those that were changed.
func (m *memo) elements(list []any) map[int]any {
	if m == nil || len(m.Elements) == 0 {
		return nil
	}
	digests := make([]string, len(list))
	for i, v := range list {
		digests[i] = digest(v)
	}
	out := map[int]any{}
	var moved []element
	for _, e := range m.Elements {
		if e.Index >= 0 && e.Index < len(list) && digests[e.Index] == e.As {
			if v, ok := decode(e.Value); ok {
				out[e.Index] = v
			}
			continue
		}
		moved = append(moved, e)
	}
	for i := range list {
		if _, ok := out[i]; ok {
			continue
		}
		at := slices.IndexFunc(moved, func(e element) bool { return e.As == digests[i] })
		if at < 0 {
			continue
		}
		if v, ok := decode(moved[at].Value); ok {
			out[i] = v
		}
		moved = slices.Delete(moved, at, at+1)
	}
	return out
}

func decode(raw json.RawMessage) (any, bool) {
	var v any
	err := utiljson.Unmarshal(raw, &v)
	return v, err == nil
}

// digest returns a digest of a value.
func digest(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it comes from JSON
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

func (r *remembered) annotation(version string) (string, error) {
	raw, err := json.Marshal(r)
	if err == nil && len(raw) > maxAnnotation {
		err = fmt.Errorf("the values that only the version %s can hold are too large for an annotation: %d "+
			"bytes of at most %d", version, len(raw), maxAnnotation)
	}
	return string(raw), err
}
