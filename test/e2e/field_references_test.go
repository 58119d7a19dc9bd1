package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Fields that a TerraformProvider configures as references have reference and selector fields
// beside them, which work like those of spec.references.
func TestFieldReferences(t *testing.T) {
	c := shared(t)
	things := []any{m{"type": "examplecloud_thing"}}
	p, w := c.configured(t, "referring", m{
		"group": "referring.example.org", "activate": []any{"examplecloud_thing", "examplecloud_datastore", "examplecloud_shapes"},
		"resources": m{
			"examplecloud_datastore": m{"references": m{"hci_cluster_uuid": m{"targets": things}}},
			"examplecloud_shapes": m{"references": m{
				"an_int64":          m{"targets": []any{m{"type": "examplecloud_thing", "attribute": "size"}}},
				"strings_list":      m{"targets": things},
				"single_block.note": m{"targets": []any{m{"type": "examplecloud_thing", "fieldPath": "spec.forProvider.name"}}, "refField": "about"},
				"list_block.name": m{
					"targets": []any{
						m{"type": "examplecloud_thing"}, m{"type": "examplecloud_datastore"}, m{
							"apiVersion": "other.example.org/v1", "kind": "Lamp",
						},
					},
				},
			}},
		},
	})
	of := func(kind, name string, forProvider m) *unstructured.Unstructured {
		return resource("referring.example.org/v1alpha1", kind, w.namespace, name, m{"forProvider": forProvider})
	}
	shapes := func(name string, forProvider m) *unstructured.Unstructured {
		forProvider["name"] = name
		return of("Shapes", name, forProvider)
	}
	thing := func(name string, labels map[string]string) *unstructured.Unstructured {
		u := of("Thing", name, m{"name": name})
		u.SetLabels(labels)
		return u
	}
	made := func(t *testing.T, all ...*unstructured.Unstructured) {
		t.Helper()
		for _, u := range all {
			w.MustCreate(t, u)
		}
		for _, u := range all {
			w.WaitReady(t, u)
		}
	}
	externalName := func(u *unstructured.Unstructured) string { return u.GetAnnotations()["crossplane.io/external-name"] }
	spec := func(u *unstructured.Unstructured, field ...string) any {
		v, _, _ := unstructured.NestedFieldCopy(u.Object, append([]string{"spec", "forProvider"}, field...)...)
		return v
	}
	same := func(t *testing.T, what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", what, diff)
		}
	}

	t.Run("order", func(t *testing.T) {
		t.Parallel()
		s := of("Datastore", "ordered", m{"name": "ordered", "clusterInfo": m{"id": "c", "name": "n"}, "hciClusterUuidRef": m{"name": "one"}})
		one := thing("one", nil)
		w.MustCreate(t, s)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "spec.forProvider.hciClusterUuid: there is no Thing "+w.namespace+"/one")
		began := time.Now()
		made(t, one)
		w.WaitReady(t, s)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %s", took)
		}
		same(t, "hciClusterUuid", any(externalName(one)), spec(s, "hciClusterUuid"))
		if err := w.Delete(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		w.WaitFalse(t, one, "Synced", "StillReferredTo", "Datastore "+w.namespace+"/ordered")
		never(t, 2*time.Second, "it is destroyed", func() bool { return w.cloud.Happened(t, "deletes", "one") != 0 })
		w.Remove(t, s)
		w.WaitGone(t, one)
	})

	t.Run("all that are selected", func(t *testing.T) {
		t.Parallel()
		s := shapes("selecting", m{"stringsListSelector": m{"matchLabels": m{"tier": "all"}}})
		w.MustCreate(t, s)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved",
			"spec.forProvider.stringsList: there is no Thing with labels tier=all in namespace "+w.namespace)
		b, a := thing("all-b", map[string]string{"tier": "all"}), thing("all-a", map[string]string{"tier": "all"})
		b.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
		w.MustCreate(t, b)
		made(t, a)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "Thing "+w.namespace+
			"/all-b, which is selected, has no metadata.annotations[crossplane.io/external-name] yet")
		w.MustPatch(t, b, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
		w.WaitReady(t, b)
		w.WaitReady(t, s)
		same(t, "stringsList", any([]any{externalName(a), externalName(b)}), spec(s, "stringsList"))
		same(t, "stringsListRefs", any([]any{m{"name": "all-a"}, m{"name": "all-b"}}), spec(s, "stringsListRefs"))
		// A selection stays, whatever is created later.
		made(t, thing("all-c", map[string]string{"tier": "all"}))
		w.MustPatch(t, s, `{"spec":{"forProvider":{"aBool":true}}}`)
		w.WaitReady(t, s)
		same(t, "stringsList, later", any([]any{externalName(a), externalName(b)}), spec(s, "stringsList"))
	})

	t.Run("in blocks, of several kinds", func(t *testing.T) {
		t.Parallel()
		x := thing("inner", nil)
		d := of("Datastore", "inner", m{
			"name": "inner", "clusterInfo": m{"id": "c", "name": "n"}, "hciClusterUuidSelector": m{
				"matchLabels": m{"name": "inner"},
			},
		})
		x.SetLabels(map[string]string{"name": "inner"})
		d.SetLabels(map[string]string{"name": "inner"})
		byLabel := m{"kind": "Datastore", "matchLabels": m{"name": "inner"}}
		s := shapes("blocks", m{"listBlock": []any{m{"nameRef": m{"name": "inner"}}, m{"name": "mine"}, m{"nameSelector": byLabel, "note": "x"}}})
		made(t, s, x, d)
		same(t, "listBlock", any([]any{
			m{"nameRef": m{"name": "inner"}, "name": externalName(x)}, m{"name": "mine"},
			m{"nameSelector": byLabel, "nameRef": m{"kind": "Datastore", "name": "inner"}, "name": externalName(d), "note": "x"},
		}), spec(s, "listBlock"))
	})

	t.Run("required in an element, applied twice", func(t *testing.T) {
		t.Parallel()
		given := []any{m{"note": "first"}, m{"name": "mine"}}
		apply := func() *unstructured.Unstructured {
			s := shapes("elements", m{"listBlock": given})
			s.Object["spec"].(m)["references"] = []any{m{"to": "forProvider.listBlock[0].name", "from": m{"kind": "Thing", "name": "element"}}}
			if err := w.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(s), client.FieldOwner("user")); err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := apply()
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "spec.forProvider.listBlock[0].name: there is no Thing "+w.namespace+"/element")
		x := thing("element", nil)
		made(t, x)
		w.WaitReady(t, s)
		updates := func() int { return w.cloud.Happened(t, "updates", "elements") }
		before := updates()
		s = apply() // a conflict, if the name were written into the list
		w.WaitReady(t, s)
		same(t, "listBlock", any(given), spec(s, "listBlock"))
		list, _, _ := unstructured.NestedSlice(s.Object, "status", "atProvider", "listBlock")
		if len(list) != len(given) {
			t.Fatalf("observed: %v", list)
		}
		same(t, "listBlock, observed", any(externalName(x)), list[0].(m)["name"])
		same(t, "updates", before, updates())
	})

	t.Run("other namespaces", func(t *testing.T) {
		t.Parallel()
		far := thing("far", nil)
		far.SetNamespace(c.Namespace(t))
		made(t, far)
		s := shapes("far-away", m{"singleBlock": m{"about": m{"name": "far", "namespace": far.GetNamespace()}}})
		w.MustCreate(t, s)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "spec.forProvider.singleBlock.note: Thing "+
			far.GetNamespace()+"/far may not be referred to from namespace "+w.namespace)
		w.MustPatch(t, far, `{"metadata":{"annotations":{"landbridge.io/referable-from":"`+w.namespace+`"}}}`)
		w.WaitReady(t, s)
		same(t, "note", any("far"), spec(s, "singleBlock", "note"))
	})

	t.Run("optional", func(t *testing.T) {
		t.Parallel()
		s := shapes("optional", m{"anInt64Ref": m{"name": "later", "policy": m{"resolution": "Optional"}}})
		made(t, s)
		same(t, "anInt64", nil, spec(s, "anInt64"))
		later := thing("later", nil)
		made(t, later)
		w.WaitFor(t, s, "filled in", func() bool { return text(s, "status", "atProvider", "anInt64") == "1" })
	})

	t.Run("follow", func(t *testing.T) {
		t.Parallel()
		a, b := thing("follow-a", map[string]string{"follow": "yes"}), thing("follow-b", nil)
		b.Object["spec"].(m)["forProvider"].(m)["size"] = int64(9)
		s := shapes("following", m{"anInt64Selector": m{"matchLabels": m{"follow": "yes"}, "policy": m{"resolve": "Always"}}})
		fixed := shapes("fixed", m{"anInt64Ref": m{"name": "follow-a"}})
		made(t, a, b, s, fixed)
		same(t, "size", any(int64(1)), spec(s, "anInt64"))
		w.MustPatch(t, a, `{"spec":{"forProvider":{"size":4}}}`)
		w.WaitFor(t, s, "as large as the other", func() bool { return text(s, "status", "atProvider", "anInt64") == "4" })
		same(t, "what is there stays", any(int64(1)), spec(fixed, "anInt64"))
		w.MustPatch(t, b, `{"metadata":{"labels":{"follow":"yes"}}}`)
		never(t, time.Second, "it refers to the other", func() bool {
			return c.Get(t.Context(), key(s), s) == nil && text(s, "spec", "forProvider", "anInt64Ref", "name") != "follow-a"
		})
		w.MustPatch(t, a, `{"metadata":{"labels":{"follow":null}}}`)
		w.WaitFor(t, s, "of the other", func() bool { return text(s, "status", "atProvider", "anInt64") == "9" })
		same(t, "anInt64Ref", any(m{"name": "follow-b"}), spec(s, "anInt64Ref"))
		// It no longer keeps any referenced resource.
		w.Remove(t, fixed)
		w.Remove(t, a)
	})

	// Manifests that the API server refuses.
	for name, x := range map[string]struct {
		object *unstructured.Unstructured
		want   string
	}{
		"nothing": {
			of("Datastore", "refused", m{"name": "x", "clusterInfo": m{"id": "c"}}),
			"spec.forProvider.hciClusterUuid is a required parameter",
		},
		"nothing in a block": {
			shapes("refused", m{"listBlock": []any{m{"note": "x"}}}),
			"spec.forProvider.listBlock[*].name is a required parameter, unless nameRef or nameSelector is given, " +
				"or spec.references sets it",
		},
		"another kind": {
			shapes("refused", m{"listBlock": []any{m{"nameRef": m{"kind": "Shapes", "name": "x"}}}}),
			`spec.forProvider.listBlock[0].nameRef.kind: Unsupported value: "Shapes"`,
		},
		"no name": {shapes("refused", m{"anInt64Ref": m{}}), "spec.forProvider.anInt64Ref.name: Required value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var err error
			eventually(t, "the kind is served", func(ctx context.Context) bool {
				err = w.Create(ctx, x.object.DeepCopy(), client.DryRunAll)
				return err == nil || strings.Contains(err.Error(), "spec")
			})
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}

	t.Run("a mistake in the configuration", func(t *testing.T) {
		t.Parallel()
		wrong := p.DeepCopy()
		w.MustPatch(t, wrong, `{"spec":{"resources":{"examplecloud_thing":{"references":{"name":{"targets":[{"type":"examplecloud_lamp"}]}}}}}}`)
		w.WaitFalse(t, wrong, "Healthy", "InvalidConfiguration",
			"spec.resources.examplecloud_thing.references.name.targets[0].type: the provider has no resource type "+
				"examplecloud_lamp")
		w.MustPatch(t, wrong, `{"spec":{"resources":{"examplecloud_thing":null}}}`)
		w.WaitFor(t, wrong, "healthy", func() bool { return isTrue(wrong, "Healthy") && current(wrong) })
	})
}
