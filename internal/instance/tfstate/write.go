package tfstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Write returns s as a state file. Values that are not raw need their schema.
func Write(s State, schemas Schemas) ([]byte, error) {
	resources := []json.RawMessage{}
	for _, r := range s.Resources {
		b, err := writeResource(r, schemas)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", r.Type, r.Name, err)
		}
		resources = append(resources, b)
	}
	extra := maps.Clone(s.Extra)
	outputs, results := json.RawMessage("{}"), json.RawMessage("null")
	for name, into := range map[string]*json.RawMessage{"outputs": &outputs, "check_results": &results} {
		if raw, ok := extra[name]; ok {
			*into = raw
			delete(extra, name)
		}
	}
	b, err := merge([]field{
		{"version", formatVersion}, {"terraform_version", s.TerraformVersion}, {"serial", s.Serial},
		{"lineage", s.Lineage}, {"outputs", outputs}, {"resources", resources}, {"check_results", results},
	}, extra)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func writeResource(r ResourceBlock, schemas Schemas) (json.RawMessage, error) {
	s := schemas.find(r.Mode, r.Type)
	instances := []json.RawMessage{}
	for _, i := range r.Instances {
		if i.Exists() || i.Status != instance.Empty {
			b, err := writeObject(i.IndexKey, i.Depose(""), i.Kept, s)
			if err != nil {
				return nil, err
			}
			instances = append(instances, b)
		}
		for _, d := range i.Deposed {
			b, err := writeObject(i.IndexKey, d, i.KeptDeposed[d.Key], s)
			if err != nil {
				return nil, fmt.Errorf("deposed object %s: %w", d.Key, err)
			}
			instances = append(instances, b)
		}
	}
	var out []field
	if r.Module != "" {
		out = append(out, field{"module", r.Module})
	}
	return merge(append(out, field{"mode", r.Mode}, field{"type", r.Type}, field{"name", r.Name},
		field{"provider", r.Provider}, field{"instances", instances}), r.Extra)
}

func writeObject(indexKey any, d instance.Deposed, kept Kept, s *schema.Resource) (json.RawMessage, error) {
	var out []field
	set := func(name string, value any) { out = append(out, field{name, value}) }
	stateType, identityType := cty.NilType, cty.NilType
	if s != nil {
		stateType, identityType = s.ImpliedType(), s.IdentityType()
	}
	state, err := writeValue(d.State, d.RawState, stateType)
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	identity, err := writeValue(d.Identity, d.RawIdentity, identityType)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	schemaVersion, identityVersion := d.SchemaVersion, d.IdentityVersion
	if len(d.RawState) == 0 && state != nil {
		schemaVersion = s.Version
	}
	if len(d.RawIdentity) == 0 && identity != nil {
		identityVersion = s.Identity.Version
	}
	switch key := indexKey.(type) {
	case nil:
	case int64, string:
		set("index_key", key)
	case int:
		set("index_key", key)
	default:
		return nil, fmt.Errorf("an index key of type %T", indexKey)
	}
	if d.Status == instance.Tainted {
		set("status", "tainted")
	}
	if d.Key != "" {
		set("deposed", d.Key)
	}
	set("schema_version", schemaVersion)
	if state == nil {
		state = json.RawMessage("null")
	}
	set("attributes", state)
	sensitive := []instance.Path{}
	for _, p := range d.SensitivePaths {
		sensitive = append(sensitive, instance.Path(p))
	}
	set("sensitive_attributes", sensitive)
	if identity != nil || !kept.OmitIdentityVersion {
		set("identity_schema_version", identityVersion)
	}
	if identity != nil {
		set("identity", identity)
	}
	if len(d.Private) > 0 {
		set("private", d.Private)
	}
	if len(kept.Dependencies) > 0 {
		set("dependencies", kept.Dependencies)
	}
	if d.CreateBeforeDestroy {
		set("create_before_destroy", true)
	}
	return merge(out, kept.Extra)
}

func writeValue(v cty.Value, raw json.RawMessage, t cty.Type) (json.RawMessage, error) {
	switch {
	case len(raw) > 0:
		return raw, nil
	case v == cty.NilVal || v.IsNull():
		return nil, nil
	case t == cty.NilType:
		return nil, errors.New("there is a value, but no schema for it")
	}
	return wire.MarshalJSON(v, t)
}

type field struct {
	name  string
	value any
}

// merge returns a JSON object with the known fields in their order, and then the others by name.
func merge(known []field, extra map[string]json.RawMessage) (json.RawMessage, error) {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if slices.ContainsFunc(known, func(f field) bool { return f.name == name }) {
			return nil, fmt.Errorf("the extra field %s is one of the format's own", name)
		}
		known = append(known, field{name, extra[name]})
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range known {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		if raw, ok := f.value.(json.RawMessage); ok {
			b.Write(raw) // unchanged, including its escapes
			continue
		}
		if raws, ok := f.value.([]json.RawMessage); ok {
			b.WriteByte('[')
			b.Write(bytes.Join(rawBytes(raws), []byte(",")))
			b.WriteByte(']')
			continue
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func rawBytes(in []json.RawMessage) [][]byte {
	out := make([][]byte, len(in))
	for i, r := range in {
		out[i] = r
	}
	return out
}
