package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

var (
	crds    = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// unserved makes a kind with the CRD of another one that no controller serves.
func (c *cluster) unserved(ctx context.Context, of kind) (kind, error) {
	out := of
	out.Group = "bench.example.org"
	crd, err := c.client.Resource(crds).Get(ctx, of.Resource+"."+of.Group, getNow)
	if err != nil {
		return out, err
	}
	spec := crd.Object["spec"].(map[string]any)
	spec["group"] = out.Group
	delete(spec, "conversion")
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": crds.GroupVersion().String(), "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": out.Resource + "." + out.Group}, "spec": spec,
	}}
	if _, err := c.client.Resource(crds).Create(ctx, u, createNow); err != nil {
		return out, err
	}
	return out, c.until(ctx, time.Minute, func() (bool, error) {
		u, err := c.client.Resource(crds).Get(ctx, out.Resource+"."+out.Group, getNow)
		return err == nil && objecttest.IsTrue(u, "Established"), err
	})
}

// minimalWrites writes what n new resources need at least, with some workers, and returns how long
// each took, and all together: the resource, the intent, the outcome, the status, and the finalizer
// with the annotations.
func (c *cluster) minimalWrites(
	ctx context.Context, k kind, name string, n, workers int,
) (each []time.Duration, all time.Duration, _ error) {
	each = make([]time.Duration, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	began := time.Now()
	for i := range n {
		group.Go(func() error {
			began := time.Now()
			err := c.minimalWritesOf(ctx, k, fmt.Sprintf("%s-%d", name, i))
			each[i] = time.Since(began)
			return err
		})
	}
	err := group.Wait()
	return each, time.Since(began), err
}

func (c *cluster) minimalWritesOf(ctx context.Context, k kind, name string) error {
	resources, stored := c.client.Resource(k.GroupVersionResource).Namespace("default"), c.client.Resource(secrets).Namespace("default")
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(fmt.Appendf(nil,
		`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q},"spec":{"forProvider":%s}}`, k.GroupVersion(), k.Kind,
		name, k.forProvider)); err != nil {
		return err
	}
	u, err := resources.Create(ctx, u, createNow)
	if err != nil {
		return err
	}
	secret := &unstructured.Unstructured{
		Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": k.Resource + "-" + name},
		},
	}
	state := bytes.Repeat([]byte("0123456789abcdef"), 64)
	for _, write := range []func(context.Context, *unstructured.Unstructured) (*unstructured.Unstructured, error){
		func(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return stored.Create(ctx, u, createNow)
		},
		func(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return stored.Update(ctx, u, metav1.UpdateOptions{})
		},
	} {
		state = append(state, 'x')
		secret.Object["stringData"] = map[string]any{"instance.json": string(state)}
		if secret, err = write(ctx, secret); err != nil {
			return err
		}
	}
	u.Object["status"] = map[string]any{"conditions": []any{map[string]any{
		"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}}
	if u, err = resources.UpdateStatus(ctx, u, metav1.UpdateOptions{}); err != nil {
		return err
	}
	u.SetFinalizers([]string{"finalizer.managedresource.crossplane.io"})
	u.SetAnnotations(map[string]string{"crossplane.io/external-name": name})
	_, err = resources.Update(ctx, u, metav1.UpdateOptions{})
	return err
}
