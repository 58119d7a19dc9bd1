package kinds_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A resource of a kind that is not served may manage its object.
func TestManagesOfKindNotServed(t *testing.T) {
	manages, err := (&kinds.Registry{}).Manages(t.Context(), store.Key{Group: group, Kind: "Thing", Namespace: "team", Name: "a"})
	if !manages || err != nil {
		t.Errorf("got %t and %v", manages, err)
	}
}

// A kind that is not served has no objects that are known.
func TestObjectsOfKindNotServed(t *testing.T) {
	r := &kinds.Registry{}
	if of, consists := r.ObjectsOf(store.Key{Group: group, Kind: "Thing", Namespace: "team", Name: "a"}); of != nil || consists != nil {
		t.Errorf("got %v", of)
	}
	if got := r.Having("test_thing"); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}
