package survey

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// A survey is a list of the objects of a type, with what the list tells of each. One survey serves
// the looks at many unchanged objects. It has digests, and no values: about 60 bytes
// for each object.

// Max is the maximum of objects in a survey. A longer list counts as none.
const Max = 10_000

// digest identifies a value.
type digest [16]byte

// Of is what a survey is of. A configuration with another content, or another version of the
// provider, has other surveys.
type Of struct {
	Schema        *schema.Resource
	Configuration string
	Account       ownership.Account
	// Arguments are the Text of the arguments of the list.
	Arguments string
}

// Survey is the result of a list.
type Survey struct {
	// Began is when the list began: what it tells of an object was so then, or later.
	Began time.Time
	// Serial numbers the surveys of the same objects.
	Serial uint64
	// objects has what is told of each object, by its identity. It is nil if the list failed.
	objects map[digest]digest
	// told are the attributes that a list of the type has told of any object.
	told map[string]bool
	// Failed is why there are no objects; empty if there are.
	Failed string
}

// Shows reports whether the survey has the object with an identity, and tells of it what its state
// says. An attribute counts as told, also where it is null, as soon as a list has told it of any
// object of the type.
func (x *Survey) Shows(s *schema.Resource, identity, state cty.Value) bool {
	listed, ok := x.objects[identityDigest(identity)]
	if !ok {
		return false
	}
	stored, err := stateDigest(s, state, func(name string) bool { return x.told[name] })
	return err == nil && stored == listed
}

// ambiguous is what is told of objects with the same identity, and of those that are listed without
// their state. It is the digest of no state.
var ambiguous digest

func identityDigest(identity cty.Value) digest {
	sum := sha256.Sum256([]byte(translate.CanonicalIdentity(identity)))
	return digest(sum[:])
}

// stateDigest returns the digest of the attributes and blocks with a value, among those that counts
// returns true for.
func stateDigest(s *schema.Resource, state cty.Value, counts func(name string) bool) (out digest, err error) {
	types := s.ImpliedType().AttributeTypes()
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		v := state.GetAttr(name)
		if v.IsNull() || s.Block.Blocks[name] != nil && instance.NoContent(v) || !counts(name) {
			continue
		}
		b, err := wire.Marshal(v, types[name])
		if err != nil {
			return out, err
		}
		h.Write([]byte(name))
		h.Write(binary.BigEndian.AppendUint64([]byte{0}, uint64(len(b))))
		h.Write(b)
	}
	return digest(h.Sum(nil)), nil
}

// Surveys holds the latest survey of each kind. The zero value is empty.
type Surveys struct {
	mu sync.Mutex
	of map[Of]*series
	// told has the attributes that lists have told, by resource type. It only grows.
	told map[string]map[string]bool
}

// series are the surveys of the same objects.
type series struct {
	latest *Survey // nil before the first has ended
	// underway is closed when the survey that is being made has ended; nil if there is none.
	underway chan struct{}
	// until is when the series is forgotten unless it is used.
	until time.Time
}

// Use returns the survey that choose decides to use, or nil if the object is to be read. choose is
// called with the latest survey, nil if there is none. If it decides that a new one is made, take
// makes it; all looks that want one meanwhile wait for it.
func (x *Surveys) Use(ctx context.Context, of Of, until time.Time, choose func(*Survey) decision.Verdict, take func() *Survey) *Survey {
	for again := range 2 {
		x.mu.Lock()
		s := x.series(of)
		s.until = until
		latest, underway := s.latest, s.underway
		chosen := choose(latest)
		mine := chosen == decision.NewSurvey && again == 0 && underway == nil
		if mine {
			s.underway = make(chan struct{})
		}
		x.mu.Unlock()
		switch {
		case chosen == decision.UseSurvey:
			return latest
		case chosen == decision.ReadObject || again > 0:
			return nil
		case mine:
			x.make(of, take)
			continue
		}
		select {
		case <-underway:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// series returns the series of surveys. The mutex is held.
func (x *Surveys) series(of Of) *series {
	if x.of == nil {
		x.of, x.told = map[Of]*series{}, map[string]map[string]bool{}
	}
	s := x.of[of]
	if s == nil {
		s = &series{}
		x.of[of] = s
	}
	return s
}

// make makes a survey. If take panics, the survey has failed.
func (x *Surveys) make(of Of, take func() *Survey) {
	made := &Survey{Failed: "it was not finished"}
	defer func() { x.end(of, made) }()
	made = take()
}

// end makes a survey the latest, and forgets the series that are not in use any more.
func (x *Surveys) end(of Of, made *Survey) {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := maps.Clone(x.told[of.Schema.Type])
	if all == nil {
		all = map[string]bool{}
	}
	maps.Copy(all, made.told)
	made.told, x.told[of.Schema.Type] = all, all
	s := x.series(of)
	if s.latest != nil {
		made.Serial = s.latest.Serial + 1
	}
	s.latest = made
	close(s.underway)
	s.underway = nil
	maps.DeleteFunc(x.of, func(_ Of, s *series) bool { return s.underway == nil && s.until.Before(made.Began) })
}

// Failure returns why the latest survey failed; empty if it did not.
func (x *Surveys) Failure(of Of) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s := x.of[of]; s != nil && s.latest != nil {
		return s.latest.Failed
	}
	return ""
}

// Take lists the objects of a type.
func Take(ctx context.Context, ex terraform.Executor, r terraform.ResourceType, arguments map[string]cty.Value, now time.Time) *Survey {
	out := &Survey{Began: now, objects: map[digest]digest{}, told: map[string]bool{}}
	lister, ok := ex.(terraform.StateLister)
	if !ok {
		return &Survey{Began: now, Failed: "the way of running the provider does not permit it"}
	}
	tell := func(name string) bool {
		out.told[name] = true
		return true
	}
	more, diags := lister.ListStates(ctx, r, arguments, Max, func(identity, state cty.Value) {
		id, told := identityDigest(identity), ambiguous
		if _, twice := out.objects[id]; !twice && instance.Present(state) {
			if d, err := stateDigest(r.Schema, state, tell); err == nil {
				told = d
			}
		}
		out.objects[id] = told
	})
	switch {
	case diags.HasErrors():
		out.objects, out.Failed = nil, strings.TrimSuffix(diags.Errors().String(), ".")
	case more:
		out.objects, out.Failed = nil,
			fmt.Sprintf("there are more than %d objects. Arguments of the list in listRefresh may "+
				"narrow them down", Max)
	}
	return out
}

// Text identifies arguments of a list.
func Text(arguments map[string]cty.Value) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		fmt.Fprintf(&b, "%s=%#v\n", name, arguments[name])
	}
	return b.String()
}
