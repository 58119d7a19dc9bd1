package e2e_test

import (
	"context"
	"slices"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/unstructured/composite"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Resources of providers and a module are composed: by Crossplane's rules, from a composition whose
// functions run as servers.
func TestComposition(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for name, types := range map[string]string{
		"random": `"random_password","random_pet"`, "examplecloud": `"examplecloud_datastore","examplecloud_thing"`,
	} {
		p := terraformProvider(name, "")
		e.MustPatch(t, p, `{"spec":{"activate":[`+types+`]}}`)
		e.healthy(t, p)
	}
	x := newCompositions(t, e.cluster, manifests(t, "composition/definition.yaml")[0], manifests(t, "composition/composition.yaml")[0],
		map[string]function{"function-go-templating": renderTemplate, "function-auto-ready": reportReady})
	xr := &composite.Unstructured{Unstructured: *manifests(t, "composition/workspace.yaml")[0]}
	xr.SetNamespace(e.namespace)
	eventually(t, "composites are served", func(ctx context.Context) bool { return e.Create(ctx, xr) == nil })
	available := func() bool {
		return xr.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue
	}
	x.settle(t, xr, "ready", available)

	// All resources are there, and ready.
	names := func() (out []string) {
		for name := range x.composed(t, xr) {
			out = append(out, name)
		}
		slices.Sort(out)
		return out
	}
	if diff := cmp.Diff([]string{"cluster", "connection", "mascot", "office", "password", "store"}, names()); diff != "" {
		t.Fatalf("composed resources (-want +got):\n%s", diff)
	}
	all := x.composed(t, xr)
	for name, r := range all {
		if name != "connection" && !isTrue(r, "Ready", "Synced") {
			t.Errorf("%s is not ready", name)
		}
	}
	if a := e.cloud.Audit(t); a.Creates != 5 || a.Live != 5 {
		t.Errorf("the cloud's audit: %+v, want a cluster, a store, and an office of three things", a)
	}
	if got, want := text(all["store"], "spec", "forProvider", "hciClusterUuid"),
		text(all["cluster"], "status", "atProvider", "id"); got != want || want == "" {
		t.Errorf("the store is in the cluster %q, want %q", got, want)
	}
	for field, want := range map[string]string{
		"mascot": text(all["mascot"], "status", "atProvider", "id"), "store": text(all["store"], "status", "atProvider", "id"),
		"building": text(all["office"], "status", "atProvider", "building"),
	} {
		if got := text(&xr.Unstructured, "status", field); got != want || want == "" {
			t.Errorf("the composite's status.%s is %q, want %q", field, got, want)
		}
	}

	// Connection details of both kinds arrive.
	details := func() map[string]string {
		secret := &corev1.Secret{}
		if err := e.Get(t.Context(), client.ObjectKey{Namespace: e.namespace, Name: "blue"}, secret); err != nil {
			t.Fatal(err)
		}
		return map[string]string{"password": string(secret.Data["password"]), "key": string(secret.Data["key"])}
	}
	first := details()
	if len(first["password"]) != 16 || len(first["key"]) != 12 {
		t.Errorf("the lengths of password and key are %d and %d, want 16 and 12", len(first["password"]), len(first["key"]))
	}

	// Crossplane and Landbridge each keep to their own fields: nothing is written while nothing
	// changes.
	before := versions(all)
	for range 5 {
		x.settle(t, xr, "ready", available)
	}
	never(t, 3*poll, "something is written", func() bool {
		return x.reconcile(t.Context(), xr) != nil || !cmp.Equal(before, versions(x.composed(t, xr)))
	})

	// A change of the composite changes them.
	e.MustPatch(t, &xr.Unstructured, `{"spec":{"capacityGib":30,"floors":1}}`)
	x.settle(t, xr, "changed", func() bool {
		all := x.composed(t, xr)
		return available() && current(all["store"]) && text(all["store"], "status", "atProvider", "capacityGib") == "30" &&
			isTrue(all["office"], "Ready", "Synced") && e.cloud.Audit(t).Live == 4
	})
	if diff := cmp.Diff(first, details()); diff != "" {
		t.Error("the connection details have changed")
	}

	// What the composition does not compose any more is deleted, and nothing else.
	mascot := all["mascot"]
	e.MustPatch(t, &xr.Unstructured, `{"spec":{"mascot":false}}`)
	x.settle(t, xr, "without a mascot", func() bool {
		return client.IgnoreNotFound(e.Get(t.Context(), key(mascot), mascot)) == nil && len(x.composed(t, xr)) == 5 && available()
	})
	e.WaitGone(t, mascot)
	if a := e.cloud.Audit(t); a.Live != 4 {
		t.Errorf("the cloud's audit: %+v", a)
	}

	// Its deletion is ordered: the store, then the cluster that it is in; the composite last.
	all = x.composed(t, xr)
	e.cloud.Fault(t, m{"on": "delete", "collection": "datastores", "match": m{"name": "blue-store"}, "status": 409})
	if err := e.Delete(t.Context(), xr, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	e.WaitFalse(t, all["cluster"], "Synced", "StillReferredTo", "Datastore "+e.namespace+"/"+all["store"].GetName())
	e.WaitGone(t, all["office"])
	e.WaitGone(t, all["password"])
	// Crossplane lets the composite go. It waits nevertheless.
	eventually(t, "the composite has no finalizer of Crossplane", func(ctx context.Context) bool {
		return x.reconcile(ctx, xr) == nil && !slices.Contains(xr.GetFinalizers(), compositeFinalizer)
	})
	if a := e.cloud.Audit(t); a.Live != 2 {
		t.Errorf("the cloud's audit: %+v, want the cluster and the store", a)
	}
	e.cloud.RemoveFaults(t, "blue-store")
	e.RequestReconcile(t, all["store"])
	e.WaitGone(t, all["store"])
	e.WaitGone(t, all["cluster"])
	e.WaitGone(t, &xr.Unstructured)
	if a := e.cloud.Audit(t); a.Live != 0 {
		t.Errorf("the cloud's audit: %+v", a)
	}
}

// composed returns the resources that a composite controls, by their names in the composition.
func (x *compositions) composed(t *testing.T, xr *composite.Unstructured) map[string]*unstructured.Unstructured {
	t.Helper()
	all, err := x.observe(t.Context(), xr)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*unstructured.Unstructured{}
	for _, r := range all {
		out[xcrd.GetCompositionResourceName(r)] = &r.Unstructured
	}
	return out
}

// versions returns the versions of resources.
func versions(all map[string]*unstructured.Unstructured) map[string]string {
	out := map[string]string{}
	for name, r := range all {
		out[name] = r.GetResourceVersion()
	}
	return out
}
