package instance

import (
	"encoding/json"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/wire"
)

// Path is a cty.Path whose JSON is that of Terraform's state format v4 (contract § 4):
// [{"type":"get_attr","value":"name"},{"type":"index","value":{"value":0,"type":"number"}}].
type Path cty.Path

type pathStep struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

type indexKey struct {
	Value json.RawMessage `json:"value"`
	Type  json.RawMessage `json:"type"`
}

// MarshalJSON implements json.Marshaler.
func (p Path) MarshalJSON() ([]byte, error) {
	steps := make([]pathStep, 0, len(p))
	for _, s := range p {
		switch s := s.(type) {
		case cty.GetAttrStep:
			name, err := json.Marshal(s.Name)
			if err != nil {
				return nil, err
			}
			steps = append(steps, pathStep{Type: "get_attr", Value: name})
		case cty.IndexStep:
			t, err := ctyjson.MarshalType(s.Key.Type())
			if err != nil {
				return nil, err
			}
			v, err := wire.MarshalJSON(s.Key, s.Key.Type())
			if err != nil {
				return nil, err
			}
			key, err := json.Marshal(indexKey{Value: v, Type: t})
			if err != nil {
				return nil, err
			}
			steps = append(steps, pathStep{Type: "index", Value: key})
		default:
			return nil, fmt.Errorf("path step of type %T", s)
		}
	}
	return json.Marshal(steps)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Path) UnmarshalJSON(b []byte) error {
	var steps []pathStep
	if err := json.Unmarshal(b, &steps); err != nil {
		return err
	}
	out := make(Path, 0, len(steps))
	for _, s := range steps {
		switch s.Type {
		case "get_attr":
			var name string
			if err := json.Unmarshal(s.Value, &name); err != nil {
				return err
			}
			out = append(out, cty.GetAttrStep{Name: name})
		case "index":
			var key indexKey
			if err := json.Unmarshal(s.Value, &key); err != nil {
				return err
			}
			t, err := unmarshalType(key.Type)
			if err != nil {
				return err
			}
			v, err := wire.UnmarshalJSON(key.Value, t)
			if err != nil {
				return err
			}
			out = append(out, cty.IndexStep{Key: v})
		default:
			return fmt.Errorf("unknown path step type %q", s.Type)
		}
	}
	*p = out
	return nil
}

func unmarshalType(b []byte) (t cty.Type, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("malformed type")
		}
	}()
	if len(b) == 0 {
		return cty.NilType, fmt.Errorf("missing type")
	}
	return ctyjson.UnmarshalType(b)
}

func toPaths(in []cty.Path) []Path {
	if len(in) == 0 {
		return nil
	}
	out := make([]Path, len(in))
	for i, p := range in {
		out[i] = Path(p)
	}
	return out
}

func fromPaths(in []Path) []cty.Path {
	if len(in) == 0 {
		return nil
	}
	out := make([]cty.Path, len(in))
	for i, p := range in {
		out[i] = cty.Path(p)
	}
	return out
}
