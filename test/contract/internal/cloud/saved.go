package cloud

import (
	"encoding/json"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// Saved is an Active as JSON, without its calls.
type Saved struct {
	Case  *cases.Case
	Index int
	World World
}

// Save returns the current state of the Active.
func (a *Active) Save() Saved { return Saved{Case: a.Case, Index: a.Index, World: a.World()} }

// Active returns the Active that was saved.
func (s Saved) Active() *Active { return NewActive(s.Case, s.Index, s.World.Clone()) }

// Restore sets the world and the calls, which happened in another process.
func (a *Active) Restore(w World, calls []Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.world, a.calls = w.Clone(), calls
}

// saved is a cty value with its type, which may be unknown in part; nil is cty.NilVal.
type saved []byte

func save(v cty.Value) (saved, error) {
	if v == cty.NilVal {
		return nil, nil
	}
	return wire.Marshal(v, cty.DynamicPseudoType)
}

func (s saved) value() (cty.Value, error) {
	if s == nil {
		return cty.NilVal, nil
	}
	return wire.Unmarshal(s, cty.DynamicPseudoType)
}

type savedWorld struct {
	Objects map[string]saved
	Created int
}

// MarshalJSON implements json.Marshaler.
func (w World) MarshalJSON() ([]byte, error) {
	out := savedWorld{Objects: map[string]saved{}, Created: w.Created}
	for id, v := range w.Objects {
		var err error
		if out.Objects[id], err = save(v); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *World) UnmarshalJSON(raw []byte) error {
	var in savedWorld
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*w = NewWorld()
	w.Created = in.Created
	for id, s := range in.Objects {
		var err error
		if w.Objects[id], err = s.value(); err != nil {
			return err
		}
	}
	return nil
}

// savedCall is a Call; each of its fields is in one of the maps.
type savedCall struct {
	RPC     string
	Values  map[string]saved  `json:",omitempty"`
	Texts   map[string]string `json:",omitempty"`
	Numbers map[string]int64  `json:",omitempty"`
	Flags   map[string]bool   `json:",omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c Call) MarshalJSON() ([]byte, error) {
	out := savedCall{RPC: c.RPC, Values: map[string]saved{}, Texts: map[string]string{}, Numbers: map[string]int64{}, Flags: map[string]bool{}}
	for name, v := range c.Fields {
		switch v := v.(type) {
		case cty.Value:
			var err error
			if out.Values[name], err = save(v); err != nil {
				return nil, err
			}
		case string:
			out.Texts[name] = v
		case int64:
			out.Numbers[name] = v
		case bool:
			out.Flags[name] = v
		default:
			return nil, fmt.Errorf("the field %s of %s is a %T", name, c.RPC, v)
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Call) UnmarshalJSON(raw []byte) error {
	var in savedCall
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*c = Call{RPC: in.RPC, Fields: map[string]any{}}
	for name, s := range in.Values {
		v, err := s.value()
		if err != nil {
			return err
		}
		c.Fields[name] = v
	}
	for name, v := range in.Texts {
		c.Fields[name] = v
	}
	for name, v := range in.Numbers {
		c.Fields[name] = v
	}
	for name, v := range in.Flags {
		c.Fields[name] = v
	}
	return nil
}
