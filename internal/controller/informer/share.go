package informer

import (
	"hash/maphash"
	"math"
	"reflect"
	"sync"
	"unique"
)

// maxShared is the length up to which a string is shared: longer ones are seldom repeated.
const maxShared = 64

// generation is the number of maps and slices after which those that were not found again are forgotten.
const generation = 4096

// shares are the maps and slices of objects that were compacted lately. Many are the same in all resources of a kind, such as a
// spec.providerConfigRef, or in those that were reconciled in the same second, such as conditions.
type shares struct {
	mu         sync.Mutex
	young, old map[uint64]any
}

var (
	recent = &shares{}
	seed   = maphash.MakeSeed()
)

// same returns a value that is equal to v, which must not be changed any more, and has a hash.
func (s *shares) same(v any, hash uint64) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.young[hash]
	if !ok {
		known, ok = s.old[hash]
	}
	if !ok || !reflect.DeepEqual(known, v) {
		known = v
	}
	if s.young == nil || len(s.young) >= generation {
		s.young, s.old = make(map[uint64]any, generation), s.young
	}
	s.young[hash] = known
	return known
}

// sharing returns a value of an object, or an equal one of another object, and its hash.
func sharing(v any) (_ any, hash uint64) {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, e := range v {
			shared, h := sharing(e)
			out[text(key)] = shared
			hash += maphash.Comparable(seed, [2]uint64{maphash.String(seed, key), h}) // in any order
		}
		return recent.same(out, hash), hash
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			shared, h := sharing(e)
			out[i], hash = shared, maphash.Comparable(seed, [2]uint64{hash, h})
		}
		return recent.same(out, hash), hash
	case string:
		return boxed(v), maphash.String(seed, v)
	case int64:
		return boxed(v), maphash.Comparable(seed, v)
	case float64:
		return v, maphash.Comparable(seed, math.Float64bits(v))
	default:
		return v, maphash.Comparable(seed, v == true)
	}
}

// text returns a string with shared memory.
func text(s string) string {
	if len(s) > maxShared {
		return s
	}
	return unique.Make(s).Value()
}

// boxed returns a string or number as a value of an object, with shared memory.
func boxed(v any) any {
	if s, ok := v.(string); ok && len(s) > maxShared {
		return v
	}
	return unique.Make(v).Value()
}
