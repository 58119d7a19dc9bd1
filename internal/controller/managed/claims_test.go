package managed_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// kind is that of test_thing, whose identity has version 2 and the named attributes, of which those
// that end in ! are required for import; none is no identity.
func kind(t *testing.T, attributes ...string) *managed.Kind {
	t.Helper()
	var identity *schema.Identity
	for _, name := range attributes {
		if identity == nil {
			identity = &schema.Identity{Version: 2, Attributes: map[string]*schema.IdentityAttribute{}}
		}
		a := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
		if n := len(name) - 1; name[n] == '!' {
			name, a = name[:n], &schema.IdentityAttribute{Type: cty.String, RequiredForImport: true}
		}
		identity.Attributes[name] = a
	}
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"test_thing": {
			Type:     "test_thing",
			Block:    &schema.Block{Attributes: map[string]*schema.Attribute{"id": {Type: cty.String, Computed: true}}},
			Identity: identity,
		},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return &managed.Kind{Model: p.Resources["test_thing"]}
}

func object(values map[string]string) cty.Value {
	out := map[string]cty.Value{}
	for name, v := range values {
		out[name] = cty.StringVal(v)
		if v == "" {
			out[name] = cty.NullVal(cty.String)
		}
	}
	return cty.ObjectVal(out)
}

func byIdentity(values map[string]string) terraform.ImportTarget {
	return terraform.ImportTarget{Identity: object(values)}
}

func byID(id string) terraform.ImportTarget {
	return terraform.ImportTarget{ID: id, Identity: cty.NilVal}
}

// When a controller starts, the objects of all resources that it has received are claimed, and no
// earlier than it has received all.
func TestClaimAll(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		// received are the names of resources; those with a ! are not held by a finalizer.
		received []string
		fails    error // of the watch
		others   bool  // other shards have the resources
		claimed  []string
	}{
		"none":                          {},
		"all":                           {received: []string{"a", "b"}, claimed: []string{"a", "b"}},
		"one twice":                     {received: []string{"a", "a"}, claimed: []string{"a"}},
		"without those that are new":    {received: []string{"!a", "b"}, claimed: []string{"b"}},
		"without one that is gone":      {received: []string{"gone", "b"}, claimed: []string{"b"}},
		"without those of other shards": {received: []string{"a"}, others: true},
		"not if the watch fails":        {received: []string{"a"}, fails: errors.New("the watch has ended")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, reconciles := kind(t), 0
			claims := &claiming{}
			looksBy(k, claims, &reconciles)
			if tc.others {
				k.Options.Shards = elsewhere{}
			}
			r := managed.NewReconciler(k, claimable{}, claimable{})
			r.Use(noQueue{})
			managed.BeginClaims(k)
			receives := r.Changed()
			for _, name := range tc.received {
				u := resourceOf(k)
				if new, ok := strings.CutPrefix(name, "!"); ok {
					name = new
					u.SetFinalizers(nil)
				}
				u.SetName(name)
				receives.Create(event.TypedCreateEvent[*unstructured.Unstructured]{Object: u})
			}
			managed.ClaimAll(t.Context(), r, func(context.Context) error {
				if len(claims.names) > 0 || managed.IsClosed(k.Listed()) || managed.IsClosed(k.ObjectsClaimed()) {
					t.Error("objects are claimed before all resources are known")
				}
				return tc.fails
			})
			slices.Sort(claims.names)
			if diff := cmp.Diff(tc.claimed, claims.names); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := tc.fails == nil; managed.IsClosed(k.Listed()) != want || managed.IsClosed(k.ObjectsClaimed()) != want {
				t.Errorf("all are known: %t, and claimed: %t; want %t", managed.IsClosed(k.Listed()), managed.IsClosed(k.ObjectsClaimed()), want)
			}
		})
	}
}

// claiming is a scheduler that has the names of the resources whose objects were claimed.
type claiming struct {
	scheduler.Interface
	mu    sync.Mutex
	names []string
}

func (c *claiming) Claim(_ context.Context, r scheduler.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names = append(c.names, r.Key.Name)
	return nil
}

func TestSpellImport(t *testing.T) {
	k := kind(t, "cluster_id!", "name!", "region")
	for want, target := range map[string]terraform.ImportTarget{
		`{"id":"<a>&\"b\""}`:                          byID(`<a>&"b"`),
		`{"identity":{"clusterId":"c","name":"<n>"}}`: byIdentity(map[string]string{"cluster_id": "c", "name": "<n>", "region": ""}),
		`{"identity":{"clusterId":"c","name":"","region":"r"}}`: {Identity: cty.ObjectVal(map[string]cty.Value{
			"cluster_id": cty.StringVal("c"), "name": cty.StringVal(""), "region": cty.StringVal("r")})},
	} {
		if got := managed.SpellImport(k)(target); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIdentityHistory(t *testing.T) {
	until := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	former := []instance.FormerIdentity{
		{Identity: []byte(`{"arn":"a","number":12345678901}`), Version: 1, Until: until},
		{Identity: []byte(`{"cluster_id":"c","name":null}`), Version: 2, Until: until},
	}
	want := []any{
		map[string]any{"identity": map[string]any{"arn": "a", "number": int64(12345678901)}, "until": "2026-01-02T02:04:05Z"},
		map[string]any{"identity": map[string]any{"clusterId": "c"}, "until": "2026-01-02T02:04:05Z"},
	}
	if diff := cmp.Diff(want, managed.IdentityHistory(kind(t, "cluster_id!", "name"), former)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if got := managed.IdentityHistory(kind(t), nil); got != nil {
		t.Errorf("a history of nothing: %v", got)
	}
}

// What is known does not depend on a deadline that has passed.
func TestDeadlineDoesNotHideWhatIsKnown(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	closed := make(chan struct{})
	if managed.Awaited(over, closed) {
		t.Error("an open channel counts as closed")
	}
	close(closed)
	for range 100 { // a select picks one of two at random
		if !managed.Awaited(over, closed) {
			t.Fatal("a closed channel counts as open after the deadline")
		}
	}
}
