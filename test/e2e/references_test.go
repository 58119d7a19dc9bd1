package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// Fields get their values from other resources, which are deleted last.
func TestReferences(t *testing.T) {
	c := shared(t)
	w := c.clouded(t, examplecloudtest.Framework6, "references")
	// A store's cluster id is the id of a thing.
	store := func(name string, from, policy m) *unstructured.Unstructured {
		reference := m{"to": "forProvider.hciClusterUuid", "from": from}
		if policy != nil {
			reference["policy"] = policy
		}
		return w.of("Datastore", name, m{
			"forProvider": m{"clusterInfo": m{"id": "c", "name": "n"}, "name": name, "capacityGib": int64(20)},
			"references":  []any{reference},
		})
	}
	thing := func(namespace, name string) *unstructured.Unstructured {
		u := w.of("Thing", name, m{"forProvider": m{"name": name}})
		u.SetNamespace(namespace)
		return u
	}
	uuid := func(u *unstructured.Unstructured) string { return text(u, "spec", "forProvider", "hciClusterUuid") }

	t.Run("order", func(t *testing.T) {
		t.Parallel()
		s, one := store("ordered", m{"kind": "Thing", "name": "one"}, nil), thing(w.namespace, "one")
		w.MustCreate(t, s)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "spec.forProvider.hciClusterUuid: there is no Thing "+w.namespace+"/one")
		began := time.Now()
		w.MustCreate(t, one)
		w.WaitReady(t, one)
		w.WaitReady(t, s)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it took %s", took) // the reference wakes it; its retry delay alone would be longer
		}
		id := one.GetAnnotations()["crossplane.io/external-name"]
		if got := uuid(s); got != id || id == "" {
			t.Errorf("the store has %q, want %q", got, id)
		}
		// The thing is deleted first: it waits for the store.
		if err := w.Delete(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		w.WaitFalse(t, one, "Synced", "StillReferredTo", "Datastore "+w.namespace+"/ordered")
		never(t, 2*time.Second, "it is destroyed", func() bool { return w.cloud.Happened(t, "deletes", "one") != 0 })
		w.Remove(t, s)
		w.WaitGone(t, one)
	})

	t.Run("follow", func(t *testing.T) {
		t.Parallel()
		a, b := thing(w.namespace, "a"), thing(w.namespace, "b")
		for _, x := range []*unstructured.Unstructured{a, b} {
			w.MustCreate(t, x)
			w.WaitReady(t, x)
		}
		fixed := store("fixed", m{"kind": "Thing", "name": "a", "fieldPath": "status.atProvider.id"}, nil)
		following := store("following", m{"kind": "Thing", "name": "a"}, m{"resolve": "Always"})
		for _, x := range []*unstructured.Unstructured{fixed, following} {
			w.MustCreate(t, x)
			w.WaitReady(t, x)
			w.MustPatch(t, x, `{"spec":{"references":[{"to":"forProvider.hciClusterUuid","from":{"kind":"Thing","name":"b"},"policy":{"resolve":"`+
				map[bool]string{true: "IfNotPresent", false: "Always"}[x == fixed]+`"}}]}}`)
		}
		first, second := text(a, "status", "atProvider", "id"), text(b, "status", "atProvider", "id")
		w.WaitFor(t, following, "of the other", func() bool { return uuid(following) == second })
		if got := uuid(fixed); got != first {
			t.Errorf("the existing value is not kept: %q, want %q", got, first)
		}
		// No resource refers to it any more.
		w.Remove(t, a)
	})

	t.Run("selected", func(t *testing.T) {
		t.Parallel()
		s := store("selecting", m{"kind": "Thing", "selector": m{"matchLabels": m{"tier": "x"}}}, nil)
		w.MustCreate(t, s)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "there is no Thing with labels tier=x")
		x := thing(w.namespace, "labelled")
		x.SetLabels(map[string]string{"tier": "x"})
		w.MustCreate(t, x)
		w.WaitReady(t, x)
		w.WaitReady(t, s)
		if diff := cmp.Diff(text(x, "status", "atProvider", "id"), uuid(s)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})

	t.Run("other namespaces", func(t *testing.T) {
		t.Parallel()
		other := c.Namespace(t)
		s, far := store("far-away", m{"kind": "Thing", "name": "far", "namespace": other}, nil), thing(other, "far")
		w.MustCreate(t, far)
		w.WaitReady(t, far)
		w.MustCreate(t, s)
		w.WaitFalse(t, s, "Synced", "ReferenceNotResolved", "Thing "+other+"/far may not be referred to from namespace "+w.namespace)
		w.MustPatch(t, far, `{"metadata":{"annotations":{"landbridge.io/referable-from":"`+w.namespace+`"}}}`)
		w.WaitReady(t, s)
	})

	// Manifests that the API server refuses.
	for name, x := range map[string]struct {
		reference m
		want      string
	}{
		"no source":      {m{"to": "forProvider.hciClusterUuid", "from": m{"kind": "Thing"}}, "exactly one of name and selector must be given"},
		"not to a field": {m{"to": "providerConfigRef.name", "from": m{"kind": "Thing", "name": "x"}}, "spec.references[0].to"},
		"unknown policies": {
			m{"to": "forProvider.x", "from": m{"kind": "Thing", "name": "x"}, "policy": m{"resolve": "Never"}},
			"spec.references[0].policy.resolve",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store("refused", m{}, nil)
			s.Object["spec"].(m)["references"] = []any{x.reference}
			var err error
			eventually(t, "the kind is served", func(ctx context.Context) bool {
				err = w.Create(ctx, s.DeepCopy(), client.DryRunAll)
				return err == nil || strings.Contains(err.Error(), "spec.references")
			})
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}
}

// After a restart of the controller, a referenced resource is not deleted until all referring
// resources are known, however long their provider takes to start.
func TestReferencesAfterARestart(t *testing.T) {
	t.Parallel()
	c := alone(t)
	mirror := t.TempDir()
	stop := c.RunController(t, options(mirror))
	quick, slow := newDouble(t, "quick"), newDouble(t, "slow", "TESTPROVIDER_MODE=slow")
	for _, d := range []*double{quick, slow} {
		c.install(t, d.provider())
	}
	ns := c.Namespace(t)
	target, referrer := quick.thing(ns, "target", m{"value": "a"}), slow.thing(ns, "referrer", nil)
	set(t, referrer, []any{m{
		"to": "forProvider.value", "from": m{
			"apiVersion": quick.APIVersion(), "kind": "Thing", "name": "target", "fieldPath": "spec.forProvider.value",
		},
	}}, "spec", "references")
	// What is selected is not named anywhere. Who is being deleted is looked at, too.
	selected, selecting := quick.thing(ns, "selected", m{"value": "b"}), quick.thing(ns, "selecting", nil)
	selected.SetLabels(map[string]string{"tier": "x"})
	set(t, selecting, []any{m{
		"to": "forProvider.value", "from": m{
			"kind": "Thing", "selector": m{"matchLabels": m{"tier": "x"}}, "fieldPath": "spec.forProvider.value",
		},
	}}, "spec", "references")
	for _, r := range []*unstructured.Unstructured{target, referrer, selected, selecting} {
		c.MustCreate(t, r)
		c.WaitReady(t, r)
	}
	stop()
	c.MustPatch(t, selecting, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
	for _, r := range []*unstructured.Unstructured{target, selecting, selected} {
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	c.RunController(t, options(mirror))
	c.WaitFalse(t, target, "Synced", "StillReferredTo", "Thing "+ns+"/referrer")
	if quick.Calls("delete") != 0 {
		t.Error("it is destroyed")
	}
	c.WaitFalse(t, selected, "Synced", "StillReferredTo", "Thing "+ns+"/selecting")
	if quick.Calls("delete") != 0 {
		t.Error("what is selected is destroyed")
	}
	c.MustPatch(t, selecting, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
	c.WaitGone(t, selecting)
	c.WaitGone(t, selected)
	c.Remove(t, referrer)
	c.WaitGone(t, target)
}
