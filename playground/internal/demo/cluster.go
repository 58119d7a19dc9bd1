package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

const (
	fieldManager = "landbridge-demo"
	pollEvery    = 50 * time.Millisecond
)

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// cluster is a client for objects of any kind.
type cluster struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

func newCluster(config *rest.Config) (*cluster, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &cluster{dynamic: d, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))}, nil
}

// resource returns the client for the object's kind and namespace.
func (c *cluster) resource(u *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	gvk := u.GroupVersionKind()
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		// The kind may be new.
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.dynamic.Resource(mapping.Resource).Namespace(u.GetNamespace()), nil
	}
	return c.dynamic.Resource(mapping.Resource), nil
}

func (c *cluster) apply(ctx context.Context, u *unstructured.Unstructured) error {
	r, err := c.resource(u)
	if err != nil {
		return err
	}
	if _, err := r.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: fieldManager, Force: true}); err != nil {
		return fmt.Errorf("applying %s: %w", nameOf(u), err)
	}
	return nil
}

// get returns the current object, or nil if there is none.
func (c *cluster) get(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	r, err := c.resource(u)
	if err != nil {
		return nil, err
	}
	now, err := r.Get(ctx, u.GetName(), metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		return nil, nil
	}
	return now, err
}

// patch merges JSON into the object.
func (c *cluster) patch(ctx context.Context, u *unstructured.Unstructured, merge string) error {
	r, err := c.resource(u)
	if err != nil {
		return err
	}
	_, err = r.Patch(ctx, u.GetName(), types.MergePatchType, []byte(merge), metav1.PatchOptions{FieldManager: fieldManager})
	return err
}

func (c *cluster) delete(ctx context.Context, u *unstructured.Unstructured) error {
	r, err := c.resource(u)
	if err != nil {
		return err
	}
	if err := r.Delete(ctx, u.GetName(), metav1.DeleteOptions{}); err != nil && !kerrors.IsNotFound(err) {
		return fmt.Errorf("deleting %s: %w", nameOf(u), err)
	}
	return nil
}

// list returns all objects of a resource in all namespaces.
func (c *cluster) list(ctx context.Context, r schema.GroupVersionResource) ([]unstructured.Unstructured, error) {
	l, err := c.dynamic.Resource(r).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return l.Items, nil
}

// waitFor returns the object as soon as holds returns true. If that takes longer
// than limit, the error contains what it waited for and the object's conditions.
func (c *cluster) waitFor(ctx context.Context, limit time.Duration, u *unstructured.Unstructured, what string, holds func(*unstructured.Unstructured) bool) (*unstructured.Unstructured, error) {
	var last *unstructured.Unstructured
	err := wait(ctx, limit, func(ctx context.Context) (bool, error) {
		now, err := c.get(ctx, u)
		if err != nil || now == nil {
			return false, err
		}
		last = now
		return holds(now), nil
	})
	if err != nil {
		return last, fmt.Errorf("waiting until %s is %s: %w%s", nameOf(u), what, err, conditionsText(last))
	}
	return last, nil
}

// waitGone returns when the object no longer exists.
func (c *cluster) waitGone(ctx context.Context, limit time.Duration, u *unstructured.Unstructured) error {
	var last *unstructured.Unstructured
	err := wait(ctx, limit, func(ctx context.Context) (bool, error) {
		now, err := c.get(ctx, u)
		if meta.IsNoMatchError(err) {
			return true, nil
		}
		if now != nil {
			last = now
		}
		return err == nil && now == nil, err
	})
	if err != nil {
		return fmt.Errorf("waiting until %s is gone: %w%s", nameOf(u), err, conditionsText(last))
	}
	return nil
}

func wait(ctx context.Context, limit time.Duration, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not after %s", limit))
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		ok, err := done(ctx)
		if ok {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// condition returns an object's condition of a type, or empty strings.
func condition(u *unstructured.Unstructured, kind string) (status, reason, message string) {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == kind {
			return text(c, "status"), text(c, "reason"), text(c, "message")
		}
	}
	return "", "", ""
}

// isTrue reports whether the conditions are all True.
func isTrue(u *unstructured.Unstructured, kinds ...string) bool {
	return !slices.ContainsFunc(kinds, func(kind string) bool {
		status, _, _ := condition(u, kind)
		return status != "True"
	})
}

func conditionsText(u *unstructured.Unstructured) string {
	if u == nil {
		return "\n  (the object was never seen)"
	}
	var b strings.Builder
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok {
			fmt.Fprintf(&b, "\n  %s=%s %s %s", text(c, "type"), text(c, "status"), text(c, "reason"), text(c, "message"))
		}
	}
	if b.Len() == 0 {
		return "\n  (it has no conditions)"
	}
	return b.String()
}

// text returns the value at a path as text, or "".
func text(object map[string]any, path ...string) string {
	value, found, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil || !found || value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func nameOf(u *unstructured.Unstructured) string {
	return strings.ToLower(u.GetKind()) + "/" + u.GetName()
}
