package module

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// plannedChange is the change of an object in the program's plan JSON. BeforeSensitive,
// AfterSensitive and AfterUnknown have the shape of the object, with true where it holds.
type plannedChange struct {
	Actions         []string        `json:"actions"`
	Before          json.RawMessage `json:"before"`
	After           json.RawMessage `json:"after"`
	AfterUnknown    json.RawMessage `json:"after_unknown"`
	BeforeSensitive json.RawMessage `json:"before_sensitive"`
	AfterSensitive  json.RawMessage `json:"after_sensitive"`
	ReplacePaths    json.RawMessage `json:"replace_paths"`
	Importing       *struct{}       `json:"importing"`
}

// differences returns what the change changes. Values that quote a secret count as sensitive.
func (c plannedChange) differences(secrets *redact.Redactor) []terraform.ContainedChange {
	d := differ{secrets: secrets}
	for _, path := range list(decoded(c.ReplacePaths)) {
		d.replacing = append(d.replacing, list(path))
	}
	d.compare(nil, decoded(c.Before), decoded(c.After), decoded(c.AfterUnknown), decoded(c.BeforeSensitive), decoded(c.AfterSensitive))
	return d.out
}

// fingerprints identifies the values of an object's arguments, as far as they are known.
func fingerprints(of, unknown any) map[string]string {
	values, _ := of.(map[string]any)
	out := map[string]string{}
	for name, v := range values {
		if !holds(part(nil, unknown, name)) {
			sum := sha256.Sum256(encoded(v))
			out[name] = hex.EncodeToString(sum[:8])
		}
	}
	return out
}

type differ struct {
	secrets   *redact.Redactor
	replacing [][]any
	out       []terraform.ContainedChange
}

// compare adds the differences at a path.
func (d *differ) compare(path []string, before, after, unknown, was, is any) {
	b, inBefore := before.(map[string]any)
	a, inAfter := after.(map[string]any)
	u, partlyUnknown := unknown.(map[string]any)
	if inBefore && (inAfter || partlyUnknown) {
		names := map[string]bool{}
		for _, of := range []map[string]any{b, a, u} {
			for name := range of {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			d.compare(append(slices.Clip(path), name), b[name], a[name], part(u, unknown, name), part(nil, was, name), part(nil, is, name))
		}
		return
	}
	known := !holds(unknown)
	if known && reflect.DeepEqual(before, after) {
		return
	}
	c := terraform.ContainedChange{
		Path: spelled(path), Before: encoded(before), Sensitive: holds(was) || holds(is), Replaces: d.replaces(path),
	}
	if known {
		c.After = encoded(after)
	}
	for _, v := range []json.RawMessage{c.Before, c.After} {
		c.Sensitive = c.Sensitive || d.secrets.Replace(string(v)) != string(v)
	}
	d.out = append(d.out, c)
}

// replaces reports whether a change at a path replaces the object.
func (d *differ) replaces(path []string) bool {
	return slices.ContainsFunc(d.replacing, func(of []any) bool {
		for i := range min(len(path), len(of)) {
			if name, ok := of[i].(string); !ok || name != path[i] {
				return false
			}
		}
		return len(of) > 0
	})
}

// part is what is said of a part, if not of the whole.
func part(known map[string]any, of any, name string) any {
	if all, ok := of.(bool); ok {
		return all
	}
	if known == nil {
		known, _ = of.(map[string]any)
	}
	return known[name]
}

// holds reports whether something is true anywhere.
func holds(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case []any:
		return slices.ContainsFunc(v, holds)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), holds)
	}
	return false
}

// spelled returns a path as it is written in a module.
func spelled(path []string) string {
	var out strings.Builder
	for i, name := range path {
		switch {
		case i == 0:
			out.WriteString(name)
		case hclsyntax.ValidIdentifier(name):
			out.WriteString("." + name)
		default:
			out.WriteString("[" + string(encoded(name)) + "]")
		}
	}
	return out.String()
}

func decoded(b json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	_ = d.Decode(&v) // nil without a value; the program's JSON was read before
	return v
}

func encoded(v any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it was decoded
	}
	return bytes.TrimSpace(out.Bytes())
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}

// Left implements terraform.Journaled.
func (e *Executor) Left(in instance.Instance) map[string]map[string]string {
	mem, err := recall(in)
	if err != nil {
		return nil
	}
	b, err := mem.state()
	if err != nil || b == nil {
		return nil
	}
	file, err := tfstate.Read(b, nil)
	if err != nil {
		return nil
	}
	out := map[string]map[string]string{}
	for r, i := range file.All() {
		if r.Mode == "managed" && len(i.RawState) > 0 {
			out[strings.TrimPrefix(r.Address()+instanceKey(i.IndexKey), callAddress)] = fingerprints(decoded(i.RawState), nil)
		}
	}
	return out
}

// instanceKey returns the key of an instance as addresses have it.
func instanceKey(key any) string {
	if key == nil {
		return ""
	}
	return "[" + string(encoded(key)) + "]"
}

// Changed implements terraform.Journaled.
func (e *Executor) Changed(journal []byte) []string {
	j, err := readJournal(journal)
	if err != nil {
		return nil // it is recovered, which reports it
	}
	var out []string
	for _, c := range j.Changes {
		if c.Answered && !c.Failed && c.Kind != instance.Delete {
			out = append(out, strings.TrimPrefix(c.Resource.Address, callAddress))
		}
	}
	return out
}
