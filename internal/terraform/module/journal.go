package module

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// journal records the changes that began during an operation, and their answers.
type journal struct {
	// Variables are the variables of the operation.
	Variables map[string]json.RawMessage `json:"variables,omitempty"`
	Changes   []*change                  `json:"changes,omitempty"`

	mu sync.Mutex
	// record stores the journal.
	record func([]byte) error
}

// change is one change of one remote object. Values are msgpack, as on the wire.
type change struct {
	Resource resource `json:"resource"`
	// Source is the source of the provider, Provider the provider configuration in the state file.
	Source   string `json:"source"`
	Provider string `json:"provider"`
	// Configuration is the name of the provider configuration; empty for the provider's own.
	Configuration string `json:"configuration,omitempty"`
	// Settings is set when a provider block of the module had settings for it.
	Settings bool                   `json:"settings,omitempty"`
	Kind     instance.OperationKind `json:"kind"`
	// Planned and PlannedIdentity are the state and the identity that the provider was asked to
	// create.
	Planned         []byte `json:"planned,omitempty"`
	PlannedIdentity []byte `json:"plannedIdentity,omitempty"`
	// Absent is set when no object of the planned identity existed right before a create.
	Absent bool `json:"absent,omitempty"`
	// Answered is set when the outcome is known: the object is State, or does not exist.
	Answered        bool   `json:"answered,omitempty"`
	State           []byte `json:"state,omitempty"`
	Private         []byte `json:"private,omitempty"`
	Identity        []byte `json:"identity,omitempty"`
	SchemaVersion   int64  `json:"schemaVersion,omitempty"`
	IdentityVersion int64  `json:"identityVersion,omitempty"`
	Tainted         bool   `json:"tainted,omitempty"`
	// Failed is set when the provider answered with an error.
	Failed bool `json:"failed,omitempty"`
	// Object is the object as it is claimed; nil if nothing identifies it. Of a destruction, it is
	// the one that is destroyed.
	Object *terraform.Object `json:"object,omitempty"`
}

// save changes the journal and stores it.
func (j *journal) save(change func()) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	change()
	b, err := json.Marshal(j)
	if err == nil {
		b, err = compress(b)
	}
	if err != nil {
		return err
	}
	return j.record(b)
}

func readJournal(b []byte) (*journal, error) {
	out := &journal{}
	if len(b) == 0 {
		return out, nil
	}
	b, err := decompress(b)
	if err == nil {
		err = json.Unmarshal(b, out)
	}
	if err != nil || slices.Contains(out.Changes, nil) {
		return nil, errors.New("the journal of the operation is malformed")
	}
	return out, nil
}

// unknown returns the creates whose outcome is unknown.
func (j *journal) unknown() []*change {
	var out []*change
	for _, c := range j.Changes {
		if c.Kind == instance.Create && !c.Answered {
			out = append(out, c)
		}
	}
	return out
}

// destroyed reports whether a change has destroyed its object, as far as the provider knows.
func (c *change) destroyed() bool {
	return c.Kind == instance.Delete && c.Answered && !c.Failed && (len(c.State) == 0 || wire.IsNull(c.State))
}

// object returns the object after a change.
func (c *change) object(s *schema.Resource) (instance.Instance, error) {
	if len(c.State) == 0 || wire.IsNull(c.State) {
		return instance.Instance{}, nil
	}
	state, err := wire.Unmarshal(c.State, s.ImpliedType())
	if err != nil {
		return instance.Instance{}, err
	}
	out := instance.Instance{
		State: state, SchemaVersion: c.SchemaVersion, Private: c.Private, Status: instance.Full,
		IdentityVersion: c.IdentityVersion,
	}
	if c.Tainted {
		out.Status = instance.Tainted
	}
	if len(c.Identity) > 0 && s.Identity != nil {
		if out.Identity, err = wire.Unmarshal(c.Identity, s.IdentityType()); err != nil {
			return instance.Instance{}, err
		}
	}
	return out, nil
}

// types returns a resource type of the provider with a source; nil if there is none.
type types func(source, resourceType string) *schema.Resource

// replay returns the state file after all answered changes, from the one before. Creates of unknown
// outcome are not in it.
func (j *journal) replay(before []byte, known types, version string) ([]byte, error) {
	state := tfstate.State{TerraformVersion: version, Serial: 1, Lineage: lineage}
	if before != nil {
		var err error
		if state, err = tfstate.Read(before, nil); err != nil {
			return nil, err
		}
		state.Serial++
	}
	schemas := map[string]*schema.Resource{}
	for _, c := range j.Changes {
		if !c.Answered {
			continue
		}
		s := known(c.Source, c.Resource.Type)
		if s == nil {
			return nil, fmt.Errorf("the provider %s no longer has the resource type %s", c.Source, c.Resource.Type)
		}
		schemas[c.Resource.Type] = s
		object, err := c.object(s)
		if err != nil {
			return nil, fmt.Errorf("%s: the provider's answer cannot be read: %w", c.Resource.Address, err)
		}
		put(&state, c, object)
	}
	return tfstate.Write(state, func(t string) *schema.Resource { return schemas[t] })
}

// put replaces the object at an address, or removes it if the new one does not exist. As in
// Terraform, a failed change without an object in its answer leaves what was there, and one with an
// object leaves its status.
func put(state *tfstate.State, c *change, object instance.Instance) {
	r := c.Resource
	if !object.Exists() && (c.Failed || c.Kind == instance.Create) {
		return
	}
	at := slices.IndexFunc(state.Resources, func(x tfstate.ResourceBlock) bool {
		return x.Mode == "managed" && x.Module == r.Module && x.Type == r.Type && x.Name == r.Name
	})
	if at < 0 {
		if !object.Exists() {
			return
		}
		state.Resources = append(state.Resources, tfstate.ResourceBlock{
			Module: r.Module, Mode: "managed", Type: r.Type, Name: r.Name, Provider: c.Provider,
		})
		at = len(state.Resources) - 1
	}
	block := &state.Resources[at]
	key := indexKey(r.Key)
	i := slices.IndexFunc(block.Instances, func(x tfstate.Instance) bool { return x.IndexKey == key })
	if i < 0 {
		if !object.Exists() {
			return
		}
		block.Instances = append(block.Instances, tfstate.Instance{IndexKey: key, Instance: object})
		return
	}
	in := &block.Instances[i]
	deposed := in.Deposed
	switch {
	case c.Kind == instance.Create && in.Exists() && object.Exists():
		// It was created before its predecessor is destroyed.
		d := in.Depose(newKey())
		in.KeptDeposed = map[string]tfstate.Kept{d.Key: in.Kept}
		in.Instance, in.Kept = object, tfstate.Kept{}
		in.Deposed = append(deposed, d)
	case c.Kind == instance.Delete && len(deposed) > 0:
		// Deposed objects are destroyed last.
		if !object.Exists() {
			in.Deposed, in.KeptDeposed = nil, nil
		}
	case object.Exists():
		if c.Failed && c.Kind != instance.Create {
			object.Status = in.Status
		}
		object.SensitivePaths, object.CreateBeforeDestroy = in.SensitivePaths, in.CreateBeforeDestroy
		in.Instance, in.Deposed = object, deposed
	case len(deposed) > 0:
		in.Instance = instance.Instance{Deposed: deposed}
	default:
		block.Instances = slices.Delete(block.Instances, i, i+1)
	}
	if len(block.Instances) == 0 {
		state.Resources = slices.Delete(state.Resources, at, at+1)
	}
}

// has reports whether a state file has the objects that the last creates and updates left. Exactly
// is set to compare the objects also: a program that was killed leaves an earlier state, with the
// same addresses.
func (j *journal) has(state []byte, known types, exactly bool) bool {
	last, schemas := map[string]*change{}, map[string]*schema.Resource{}
	for _, c := range j.Changes {
		if c.Answered && c.Kind != instance.Delete {
			last[c.Resource.Address], schemas[c.Resource.Type] = c, known(c.Source, c.Resource.Type)
		}
	}
	file, err := tfstate.Read(state, func(t string) *schema.Resource { return schemas[t] })
	if err != nil {
		return false
	}
	for _, c := range last {
		if len(c.State) > 0 && !wire.IsNull(c.State) && !c.in(file, schemas[c.Resource.Type], exactly) {
			return false
		}
	}
	return true
}

// in reports whether a state has the object of a change.
func (c *change) in(file tfstate.State, s *schema.Resource, exactly bool) bool {
	for r, i := range file.All() {
		if r.Module == c.Resource.Module && r.Type == c.Resource.Type && r.Name == c.Resource.Name && i.IndexKey == indexKey(c.Resource.Key) {
			return i.Exists() && (!exactly || c.left(i.Instance, s))
		}
	}
	return false
}

// left reports whether a change left an object as it is in a state file, where unknown values are
// null.
func (c *change) left(in instance.Instance, s *schema.Resource) bool {
	if s == nil || len(in.RawState) > 0 || !bytes.Equal(in.Private, c.Private) {
		return false
	}
	object, err := c.object(s)
	if err != nil {
		return false
	}
	answered, err := wire.MarshalJSON(cty.UnknownAsNull(object.State), s.ImpliedType())
	if err != nil {
		return false
	}
	stored, err := wire.MarshalJSON(in.State, s.ImpliedType())
	return err == nil && bytes.Equal(answered, stored)
}

func indexKey(k any) any {
	if f, ok := k.(float64); ok {
		return int64(f)
	}
	return k
}

const lineage = "6f0f9a52-3f0e-4f0e-8f4e-1f3b6f1f8a10"

func newKey() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

var _ provider.Server = (*attached)(nil)
