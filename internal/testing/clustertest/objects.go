package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// reconcileRequestedAt is Crossplane's annotation.
const reconcileRequestedAt = "crossplane.io/reconcile-requested-at"

// MustCreate creates the object as soon as its kind is served.
func (c *Cluster) MustCreate(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	var err error
	waittest.Eventually(tb, "the kind "+u.GetKind()+" is served", func(ctx context.Context) bool {
		err = c.Create(ctx, u)
		return !meta.IsNoMatchError(err) && !kerrors.IsNotFound(err) && !kerrors.IsServiceUnavailable(err)
	})
	if err != nil {
		tb.Fatalf("creating %s %s: %v", u.GetKind(), u.GetName(), err)
	}
}

// MustGet reads the object.
func (c *Cluster) MustGet(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	if err := c.Get(tb.Context(), client.ObjectKeyFromObject(u), u); err != nil {
		tb.Fatal(err)
	}
}

// MustPatch merges JSON into the object as kubectl does: a field that the kind does not have is
// an error.
func (c *Cluster) MustPatch(tb testing.TB, u *unstructured.Unstructured, merge string) {
	tb.Helper()
	if err := c.Patch(tb.Context(), u, client.RawPatch(types.MergePatchType, []byte(merge)), client.FieldValidation("Strict")); err != nil {
		tb.Fatal(err)
	}
}

// RequestReconcile asks for a reconcile of the resource.
func (c *Cluster) RequestReconcile(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	c.MustPatch(tb, u, fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, reconcileRequestedAt, time.Now().UnixNano()))
}

// Reconcile asks for a reconcile of the resource and waits until it has ended.
func (c *Cluster) Reconcile(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	c.RequestReconcile(tb, u)
	c.WaitFor(tb, u, "reconciled", func() bool {
		return objecttest.Text(u, "status", "lastHandledReconcileAt") == u.GetAnnotations()[reconcileRequestedAt]
	})
}

// Remove deletes the object and waits until it is gone.
func (c *Cluster) Remove(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	if err := c.Delete(tb.Context(), u, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		tb.Fatal(err)
	}
	c.WaitGone(tb, u)
}

// Manifests reads the objects of a YAML file.
func Manifests(tb testing.TB, path string) []*unstructured.Unstructured {
	tb.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*unstructured.Unstructured
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			tb.Fatal(err)
		}
		objects = append(objects, u)
	}
}
