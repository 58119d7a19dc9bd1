package module

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// memory is the content of the private bytes of an instance.
type memory struct {
	// Variables are the given values at the last apply, in the types that the module had then.
	Variables map[string]json.RawMessage `json:"variables,omitempty"`
	// State is the compressed state file.
	State []byte `json:"state,omitempty"`
	// Objects are the objects of the module, as compressed JSON.
	Objects []byte `json:"objects,omitempty"`
	recent
}

// recent is what is known of recent changes, after which an API may not show objects as they are.
type recent struct {
	// Doubts are about tainted objects.
	Doubts doubts `json:"doubts,omitempty"`
	// Created are the times of recent creates.
	Created created `json:"created,omitempty"`
	// Updated are what objects were before recent updates.
	Updated updates `json:"updated,omitempty"`
	// Destroyed are the times of recent destructions.
	Destroyed destroyed `json:"destroyed,omitempty"`
	// adopted is when the objects were taken over from the state of another program, which may have
	// made them just then; zero if that is long ago. It is Instance.CreatedAt.
	adopted time.Time
}

// maxState is the maximum size of a state file, in bytes.
const maxState = 256 << 20

func recall(in instance.Instance) (memory, error) {
	var out memory
	out.adopted = in.CreatedAt
	if len(in.Private) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(in.Private, &out); err != nil {
		return out, errors.New("the private data of the module is malformed")
	}
	return out, nil
}

func (m memory) private() []byte {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // bytes
	}
	return b
}

// state returns the state file; nil if there is none.
func (m memory) state() ([]byte, error) {
	if len(m.State) == 0 {
		return nil, nil
	}
	b, err := decompress(m.State)
	if err != nil {
		return nil, errors.New("the stored state of the module is malformed")
	}
	return b, nil
}

func compress(b []byte) ([]byte, error) {
	w := compressors.Get().(*gzip.Writer)
	defer func() {
		w.Reset(nil)
		compressors.Put(w)
	}()
	var out bytes.Buffer
	w.Reset(&out)
	_, err := w.Write(b)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// compressors are used again, since each takes most of a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func decompress(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, maxState+1))
	if err == nil && len(out) > maxState {
		err = errors.New("it is too large")
	}
	return out, err
}

// remember returns the memory of variables and a state file.
func (m *Module) remember(given values, state []byte) (memory, error) {
	out := memory{Variables: map[string]json.RawMessage{}}
	for name, v := range given {
		b, err := ctyjson.Marshal(v, m.Resource.Block.Attributes[name].ImpliedType())
		if err != nil {
			return out, fmt.Errorf("the variable %s: %w", name, err)
		}
		out.Variables[name] = b
	}
	var err error
	out.State, err = compress(state)
	return out, err
}

// remembered returns the given values that still fit the module.
func (m *Module) remembered(mem memory) values {
	out := values{}
	for name, raw := range mem.Variables {
		if m.Variables[name] == nil {
			continue
		}
		v, err := wire.UnmarshalJSON(raw, m.Resource.Block.Attributes[name].ImpliedType())
		if err == nil && !v.IsNull() {
			out[name] = v
		}
	}
	return out
}

// instance returns the instance of a memory. It does not exist without a state.
func (m *Module) instance(mem memory, sensitive []cty.Path) (instance.Instance, error) {
	b, err := mem.state()
	if err != nil || b == nil {
		return instance.Instance{}, err
	}
	outputs, err := outputsOf(b)
	if err != nil {
		return instance.Instance{}, err
	}
	return instance.Instance{
		State: m.object(m.remembered(mem), outputs), Private: mem.private(), Status: instance.Full, SensitivePaths: sensitive,
	}, nil
}

// object returns the attributes of given values and outputs.
func (m *Module) object(given, outputs values) cty.Value {
	out := map[string]cty.Value{}
	for name, a := range m.Resource.Block.Attributes {
		out[name] = cty.NullVal(a.ImpliedType())
	}
	for name, v := range given {
		out[name] = v
	}
	for name := range m.Outputs {
		if v, ok := outputs[name]; ok {
			out[m.outputAttribute(name)] = v
		}
	}
	return cty.ObjectVal(out)
}

// outputsOf returns the outputs in a state file.
func outputsOf(state []byte) (values, error) {
	file, err := tfstate.Read(state, nil)
	if err != nil {
		return nil, err
	}
	raw := map[string]struct{ Value, Type json.RawMessage }{}
	if b := file.Extra["outputs"]; b != nil {
		if err := json.Unmarshal(b, &raw); err != nil {
			return nil, errors.New("the outputs in the state file are malformed")
		}
	}
	out := values{}
	for name, o := range raw {
		t, err := ctyjson.UnmarshalType(o.Type)
		if err == nil {
			out[name], err = wire.UnmarshalJSON(o.Value, t)
		}
		if err != nil {
			return nil, fmt.Errorf("the output %s in the state file cannot be read", name)
		}
	}
	return out, nil
}

// managed returns the number of objects in a state file.
func managed(state []byte) int {
	file, err := tfstate.Read(state, nil)
	if err != nil {
		return 1 // it cannot be read, so it may have objects
	}
	n := 0
	for _, r := range file.Resources {
		if r.Mode == "managed" {
			n += len(r.Instances)
		}
	}
	return n
}

// same reports whether two state files have the same resources and outputs.
func same(a, b []byte) bool {
	x, errX := comparable(a)
	y, errY := comparable(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func comparable(state []byte) ([]byte, error) {
	var s struct {
		Outputs   any `json:"outputs"`
		Resources any `json:"resources"`
	}
	d := json.NewDecoder(bytes.NewReader(state))
	d.UseNumber()
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}
