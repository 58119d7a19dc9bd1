package e2e_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	createdFinalizer    = "landbridge.io/created"
	crossplaneFinalizer = "finalizer.managedresource.crossplane.io"
)

// A resource has its finalizer from its creation if the API server supports that, and otherwise
// before its remote object is created.
func TestFinalizer(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "finalizers")
	ns := c.Namespace(t)
	p := d.provider()
	c.install(t, p)
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "finalizer.finalizers.landbridge.io"},
	}
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{ObjectMeta: binding.ObjectMeta}

	// admitted reports whether a new resource would have exactly these finalizers.
	admitted := func(ctx context.Context, finalizers ...string) bool {
		u := d.thing(ns, "probe", nil)
		return c.Create(ctx, u, client.DryRunAll) == nil && slices.Equal(u.GetFinalizers(), finalizers)
	}
	life := func(name string, at []string) {
		t.Helper()
		const foreign = "example.com/somebody-elses"
		r := d.thing(ns, name, nil)
		r.SetFinalizers([]string{foreign})
		c.MustCreate(t, r)
		if diff := cmp.Diff(append([]string{foreign}, at...), r.GetFinalizers()); diff != "" {
			t.Errorf("finalizers of a new resource: %s", diff)
		}
		c.WaitReady(t, r)
		c.WaitFor(t, r, "held by Crossplane's finalizer alone", func() bool {
			return slices.Equal(r.GetFinalizers(), []string{foreign, crossplaneFinalizer})
		})
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		// As in Crossplane, ours is removed last.
		c.MustPatch(t, r, `{"metadata":{"finalizers":["`+crossplaneFinalizer+`"]}}`)
		c.WaitGone(t, r)
		if _, ok := d.Object("thing", name); ok {
			t.Error("the remote object is left")
		}
	}

	eventually(t, "finalizers are put on new resources", func(ctx context.Context) bool { return admitted(ctx, createdFinalizer) })
	life("held", []string{createdFinalizer})

	if err := c.Delete(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	eventually(t, "finalizers are not put on new resources", func(ctx context.Context) bool { return admitted(ctx) })
	life("plain", nil)

	c.Remove(t, p)
	for _, o := range []client.Object{policy, binding} {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o); !kerrors.IsNotFound(err) {
			t.Errorf("%T is left: %v", o, err)
		}
	}
}
