package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/unstructured/composed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource/unstructured/composite"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	apiextensions "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// compositions reconciles composite resources of one kind as Crossplane does: it runs the
// composition's functions on what it observes, applies what they desire with its own field manager,
// and deletes what they do not desire any more. Crossplane itself cannot be linked: its program is
// no Go module that others can import.
type compositions struct {
	*cluster
	pipeline  []apiextensions.PipelineStep
	functions map[string]*grpc.ClientConn
}

const (
	compositeFinalizer = "composite.apiextensions.crossplane.io"
	compositeManager   = client.FieldOwner("apiextensions.crossplane.io/composite")
	composedManager    = client.FieldOwner("apiextensions.crossplane.io/composed")
	compositeLabel     = "crossplane.io/composite"
)

// newCompositions installs the kind of a definition, and serves the functions.
func newCompositions(
	t *testing.T, c *cluster, definition, composition *unstructured.Unstructured, functions map[string]function,
) *compositions {
	t.Helper()
	xrd, comp := &apiextensions.CompositeResourceDefinition{}, &apiextensions.Composition{}
	if err := errors.Join(
		runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(definition.Object, xrd, true),
		runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(composition.Object, comp, true),
	); err != nil {
		t.Fatal(err)
	}
	crd, err := xcrd.ForCompositeResource(xrd)
	if err != nil {
		t.Fatal(err)
	}
	crd.OwnerReferences = nil // the definition itself is not stored
	if err := c.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	out := &compositions{c, comp.Spec.Pipeline, map[string]*grpc.ClientConn{}}
	for name, f := range functions {
		address, stop, err := serveFunction(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		out.functions[name] = conn
	}
	return out
}

// settle reconciles a composite until holds returns true.
func (x *compositions) settle(t *testing.T, xr *composite.Unstructured, what string, holds func() bool) {
	t.Helper()
	var last error
	defer func() {
		if t.Failed() {
			t.Logf("the last reconcile: %v; the composite: %s", last, shown(xr))
		}
	}()
	eventually(t, xr.GetName()+" is "+what, func(ctx context.Context) bool {
		last = x.reconcile(ctx, xr)
		return last == nil && holds()
	})
}

// shown returns a composite for a failure.
func shown(xr *composite.Unstructured) string {
	xr.SetManagedFields(nil)
	raw, _ := json.MarshalIndent(xr.Object, "", "  ")
	return string(raw)
}

// reconcile reconciles a composite once. Afterwards, xr is as it is stored.
func (x *compositions) reconcile(ctx context.Context, xr *composite.Unstructured) error {
	if err := x.Get(ctx, client.ObjectKeyFromObject(xr), xr); err != nil {
		return err
	}
	if meta.WasDeleted(xr) {
		// Kubernetes deletes the composed resources, whose owner the composite is.
		meta.RemoveFinalizer(xr, compositeFinalizer)
		return x.Update(ctx, xr)
	}
	if !meta.FinalizerExists(xr, compositeFinalizer) {
		meta.AddFinalizer(xr, compositeFinalizer)
		if err := x.Update(ctx, xr); err != nil {
			return err
		}
	}
	observed, err := x.observe(ctx, xr)
	if err != nil {
		return err
	}
	desired, err := x.run(ctx, xr, observed)
	if err != nil {
		return err
	}
	ready, err := x.apply(ctx, xr, observed, desired)
	if err != nil {
		return err
	}
	status := composite.New(composite.WithGroupVersionKind(xr.GroupVersionKind()))
	status.SetName(xr.GetName())
	status.SetNamespace(xr.GetNamespace())
	if of, ok := field(desired, "composite", "resource", "status").(m); ok {
		status.Object["status"] = of
	}
	// As in Crossplane, the time of a condition changes only with the condition.
	status.SetConditions(xr.GetConditions()...)
	if status.SetConditions(xpv2.ReconcileSuccess()); ready {
		status.SetConditions(xpv2.Available())
	} else {
		status.SetConditions(xpv2.Creating())
	}
	if err := x.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(&status.Unstructured), compositeManager,
		client.ForceOwnership); err != nil {
		return err
	}
	return x.Get(ctx, client.ObjectKeyFromObject(xr), xr)
}

// observe returns the composed resources, by their names in the composition.
func (x *compositions) observe(ctx context.Context, xr *composite.Unstructured) (map[string]*composed.Unstructured, error) {
	out := map[string]*composed.Unstructured{}
	for _, ref := range xr.GetResourceReferences() {
		if ref.Namespace == "" {
			ref.Namespace = xr.GetNamespace()
		}
		r := composed.New(composed.FromReference(ref))
		if err := x.Get(ctx, client.ObjectKeyFromObject(r), r); kerrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		if !metav1.IsControlledBy(r, xr) {
			return nil, fmt.Errorf("%s %s has another controller", r.GetKind(), r.GetName())
		}
		out[xcrd.GetCompositionResourceName(r)] = r
	}
	return out, nil
}

// details returns the connection details of a composed resource.
func (x *compositions) details(ctx context.Context, r *composed.Unstructured) (map[string][]byte, error) {
	ref := r.GetWriteConnectionSecretToReference()
	if ref == nil || ref.Name == "" {
		return nil, nil
	}
	secret := &corev1.Secret{}
	err := x.Get(ctx, client.ObjectKey{Namespace: r.GetNamespace(), Name: ref.Name}, secret)
	return secret.Data, client.IgnoreNotFound(err)
}

// run runs the pipeline, and returns the desired state in protobuf's JSON.
func (x *compositions) run(ctx context.Context, xr *composite.Unstructured, observed map[string]*composed.Unstructured) (m, error) {
	resources := m{}
	for name, r := range observed {
		details, err := x.details(ctx, r)
		if err != nil {
			return nil, err
		}
		resources[name] = m{"resource": r.Object, "connectionDetails": details}
	}
	request := m{"observed": m{"composite": m{"resource": xr.Object}, "resources": resources}, "meta": m{"tag": xr.GetResourceVersion()}}
	for _, step := range x.pipeline {
		delete(request, "input")
		if step.Input != nil {
			request["input"] = json.RawMessage(step.Input.Raw)
		}
		conn := x.functions[step.FunctionRef.Name]
		if conn == nil {
			return nil, fmt.Errorf("step %s: there is no function %s", step.Step, step.FunctionRef.Name)
		}
		response, err := callFunction(ctx, conn, request)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", step.Step, err)
		}
		results, _ := response["results"].([]any)
		for _, r := range results {
			if r, ok := r.(m); ok && r["severity"] == "SEVERITY_FATAL" {
				return nil, fmt.Errorf("step %s: %v", step.Step, r["message"])
			}
		}
		request["desired"], request["context"] = response["desired"], response["context"]
	}
	desired, _ := request["desired"].(m)
	return desired, nil
}

// apply makes the composed resources as desired. It returns whether all of them are ready.
func (x *compositions) apply(
	ctx context.Context, xr *composite.Unstructured, observed map[string]*composed.Unstructured, desired m,
) (ready bool, err error) {
	resources, _ := desired["resources"].(m)
	for name, r := range observed {
		if _, ok := resources[name]; ok {
			continue
		}
		if err := x.Delete(ctx, r); client.IgnoreNotFound(err) != nil {
			return false, err
		}
	}
	ready = true
	var all []*composed.Unstructured
	var refs []any
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		object, ok := field(resources, name, "resource").(m)
		if !ok {
			return false, fmt.Errorf("%s: there is no resource", name)
		}
		r := composed.New()
		r.Object = object
		r.SetNamespace(xr.GetNamespace())
		if was := observed[name]; was != nil {
			r.SetName(was.GetName())
		}
		if r.GetName() == "" {
			r.SetName(names.SimpleNameGenerator.GenerateName(xr.GetName() + "-"))
		}
		xcrd.SetCompositionResourceName(r, name)
		meta.AddLabels(r, map[string]string{compositeLabel: xr.GetName()})
		if err := meta.AddControllerReference(r, meta.AsController(meta.TypedReferenceTo(xr, xr.GroupVersionKind()))); err != nil {
			return false, err
		}
		all = append(all, r)
		refs = append(refs, m{"apiVersion": r.GetAPIVersion(), "kind": r.GetKind(), "name": r.GetName()})
		ready = ready && field(resources, name, "ready") == "READY_TRUE"
	}
	// The names are stored before anything is created, so that nothing is forgotten.
	intent := composite.New(composite.WithGroupVersionKind(xr.GroupVersionKind()))
	intent.SetName(xr.GetName())
	intent.SetNamespace(xr.GetNamespace())
	intent.Object["spec"] = m{"crossplane": m{"resourceRefs": refs}}
	if err := x.Apply(ctx, client.ApplyConfigurationFromUnstructured(&intent.Unstructured), compositeManager,
		client.ForceOwnership); err != nil {
		return false, err
	}
	for _, r := range all {
		if err := x.Apply(ctx, client.ApplyConfigurationFromUnstructured(&r.Unstructured), composedManager, client.ForceOwnership); err != nil {
			return false, fmt.Errorf("%s: %w", xcrd.GetCompositionResourceName(r), err)
		}
	}
	return ready, nil
}
