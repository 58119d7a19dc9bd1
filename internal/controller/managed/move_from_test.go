package managed_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
)

// served are the kinds that are served.
type served struct {
	managed.Neighbours
	kinds map[string]*managed.Kind
}

func (s served) Kind(gk schema.GroupKind) *managed.Kind { return s.kinds[gk.String()] }

func (s served) Served(gk schema.GroupKind) (string, bool) {
	k := s.kinds[gk.String()]
	if k == nil {
		return "", false
	}
	return k.Model.ListKind, true
}

func (served) Lacks(schema.GroupKind, string) error { return nil }

// The annotation names a resource of the same namespace. What is wrong with it is told with its
// line.
func TestMoveFrom(t *testing.T) {
	k := kind(t)
	other := &managed.Kind{ProviderAddress: "example.org/other/other", Model: &model.Resource{
		Type: "other_thing", Group: "other.example.org", Version: "v1", Kind: "Other", ListKind: "OtherList",
		Schema: k.Model.Schema, Settings: k.Model.Settings,
	}}
	module := &managed.Kind{Model: &model.Resource{Group: "other.example.org", Version: "v1", Kind: "Module", ListKind: "ModuleList"}}
	k.Neighbours = served{kinds: map[string]*managed.Kind{"Other.other.example.org": other, "Module.other.example.org": module}}
	thing := func(of *managed.Kind, name string, policies ...any) *unstructured.Unstructured {
		gvk := of.Model.GroupVersionKind()
		spec := m{"forProvider": m{}}
		if policies != nil {
			spec["managementPolicies"] = policies
		}
		return &unstructured.Unstructured{Object: m{
			"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind,
			"metadata": m{"name": name, "namespace": "team", "uid": "uid-" + name}, "spec": spec,
		}}
	}
	c := fake.NewClientBuilder().WithObjects(thing(k, "old"), thing(k, "seen", "Observe"), thing(other, "far")).Build()
	managed.Readers(k, c, c)
	managed.Readers(other, c, c)
	for value, want := range map[string]struct {
		name, uid, ofType, address, invalid string
		same                                bool
	}{
		"":                                  {},
		k.Model.Kind + "/old":               {name: "old", uid: "uid-old", ofType: "test_thing", same: true},
		k.Model.Kind + "/none":              {name: "none", ofType: "test_thing", same: true},
		"other.example.org/v1/Other/far":    {name: "far", uid: "uid-far", ofType: "other_thing", address: "example.org/other/other"},
		k.Model.Kind + "/seen":              {name: "seen", invalid: "only observes"},
		"old":                               {invalid: "KIND/NAME"},
		"/old":                              {invalid: "KIND/NAME"},
		"Unknown/old":                       {name: "old", invalid: "No controller serves the kind Unknown."},
		"other.example.org/v1/Module/stack": {name: "stack", invalid: "modules are not moved"},
	} {
		t.Run(value, func(t *testing.T) {
			u := thing(k, "new")
			u.SetAnnotations(map[string]string{"landbridge.io/move-from": value})
			got := managed.MoveFrom(t.Context(), k, managed.ResourceOf(u))
			if value == "" {
				if got != nil {
					t.Errorf("got %+v", got)
				}
				return
			}
			if want.invalid != "" {
				if text := got.Invalid.String(); !strings.Contains(text, want.invalid) ||
					!strings.Contains(text, `metadata.annotations[landbridge.io/move-from] is "`+value+`"`) {
					t.Errorf("the message is %q", text)
				}
				return
			}
			if got.Invalid.HasErrors() || got.Key.Namespace != "team" || got.Key.Name != want.name ||
				string(got.UID) != want.uid || got.Exists != (want.uid != "") ||
				got.Type != want.ofType || got.ProviderAddress != want.address || got.Same != want.same {
				t.Errorf("got %+v", got)
			}
		})
	}
}
