package controller_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/schema"
)

// noKinds are no kinds: whether a resource manages its object is unknown.
type noKinds struct{ unknown error }

func (noKinds) Having(string) []runtimeschema.GroupKind { return nil }

func (noKinds) ObjectsOf(store.Key) (*schema.Resource, scheduler.Consists) { return nil, nil }

func (n noKinds) Manages(_ context.Context, k store.Key) (bool, error) {
	return k.Name == "theirs", n.unknown
}

// The records of other shards are found and loaded as they are stored, and nothing of them is
// remembered: the next load finds what was written meanwhile.
func TestElsewhere(t *testing.T) {
	secrets := playgroundtest.Start(t).Secrets(t)
	thing := &schema.Resource{
		Type: "test_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}},
		},
	}
	hash := store.ObjectHash(thing.Type, "id=i-1")
	key := func(name string) store.Key {
		return store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: "team", Name: name}
	}
	shard := func(n int) *store.Secrets {
		return &store.Secrets{Client: secrets, Shard: store.Shard{Number: n, Count: 2}}
	}
	record := func(id string) store.Record {
		in := instance.Instance{Status: instance.Full, State: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)})}
		return store.Record{Owner: "uid-1", Instance: in, Objects: store.Objects{By: store.ObjectsBy("1.0.0"), Hashes: []string{hash}}}
	}
	mine, theirs := shard(0), shard(1)
	if _, err := mine.Save(t.Context(), key("mine"), thing, record("i-1")); err != nil {
		t.Fatal(err)
	}
	saved, err := theirs.Save(t.Context(), key("theirs"), thing, record("i-1"))
	if err != nil {
		t.Fatal(err)
	}
	unknown := errors.New("unknown")
	e := controller.Elsewhere(secrets, mine.Shard, noKinds{unknown})
	if manages, err := e.Manages(t.Context(), key("theirs")); !manages || !errors.Is(err, unknown) {
		t.Errorf("manages: %t, %v", manages, err)
	}
	named := store.Named{Kinds: []runtimeschema.GroupKind{{Group: "test.landbridge.io", Kind: "Thing"}}, Objects: []string{hash}}
	look := func() map[string]string {
		out := map[string]string{}
		if err := e.Naming(t.Context(), named, func(keys []store.Key) {
			for _, k := range keys {
				rec, err := e.Load(t.Context(), k, thing)
				if err != nil {
					t.Fatal(err)
				}
				out[k.Name] = rec.Instance.State.GetAttr("id").AsString()
			}
		}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	if diff := cmp.Diff(map[string]string{"theirs": "i-1"}, look()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again := record("i-2")
	again.Version = saved.Version
	if _, err := theirs.Save(t.Context(), key("theirs"), thing, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"theirs": "i-2"}, look()); diff != "" {
		t.Errorf("after another write (-want +got):\n%s", diff)
	}
}
