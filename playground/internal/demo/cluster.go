package demo

import (
	"context"
	"errors"
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
	// noteEvery is how often a wait says that it still waits.
	noteEvery = 20 * time.Second
)

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// cluster is a client for objects of any kind.
type cluster struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
	note    func(format string, args ...any) // says that a wait takes long
}

func newCluster(config *rest.Config, note func(string, ...any)) (*cluster, error) {
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
	return &cluster{dynamic: d, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco)), note: note}, nil
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

// apply applies the object. A new kind is served a moment after its definition is established, so
// it waits for that.
func (c *cluster) apply(ctx context.Context, u *unstructured.Unstructured) error {
	err := c.wait(ctx, stepLimit, "the kind "+u.GetKind()+" is served", func(ctx context.Context) error {
		r, err := c.resource(u)
		if err == nil {
			_, err = r.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
		}
		if err != nil && !kerrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
			return lasting(err)
		}
		return err
	})
	if err != nil {
		return about(u, fmt.Errorf("%s was not applied: %w", nameOf(u), err))
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
	err := c.wait(ctx, stepLimit, "the API server changes "+nameOf(u), func(ctx context.Context) error {
		r, err := c.resource(u)
		if err == nil {
			_, err = r.Patch(ctx, u.GetName(), types.MergePatchType, []byte(merge), metav1.PatchOptions{FieldManager: fieldManager})
		}
		return lasting(err)
	})
	if err != nil {
		return about(u, fmt.Errorf("%s was not changed: %w", nameOf(u), err))
	}
	return nil
}

func (c *cluster) delete(ctx context.Context, u *unstructured.Unstructured) error {
	err := c.wait(ctx, stepLimit, "the API server deletes "+nameOf(u), func(ctx context.Context) error {
		r, err := c.resource(u)
		if err == nil {
			err = r.Delete(ctx, u.GetName(), metav1.DeleteOptions{})
		}
		if kerrors.IsNotFound(err) {
			return nil
		}
		return lasting(err)
	})
	if err != nil {
		return about(u, fmt.Errorf("%s was not deleted: %w", nameOf(u), err))
	}
	return nil
}

// exists returns the object as it is now, which must exist.
func (c *cluster) exists(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.waitFor(ctx, stepLimit, u, "readable", func(*unstructured.Unstructured) bool { return true })
}

// list returns all objects of a resource in all namespaces.
func (c *cluster) list(ctx context.Context, r schema.GroupVersionResource) (all []unstructured.Unstructured, err error) {
	err = c.wait(ctx, stepLimit, "the API server lists "+r.Resource, func(ctx context.Context) error {
		all, err = c.tryList(ctx, r)
		return lasting(err)
	})
	return all, err
}

// tryList is one request of list.
func (c *cluster) tryList(ctx context.Context, r schema.GroupVersionResource) ([]unstructured.Unstructured, error) {
	l, err := c.dynamic.Resource(r).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return l.Items, nil
}

// waitFor returns the object as soon as holds returns true. what completes the sentence "pet/name
// is …". If that takes longer than limit, the error says so, with the conditions that are not True.
func (c *cluster) waitFor(
	ctx context.Context, limit time.Duration, u *unstructured.Unstructured, what string,
	holds func(*unstructured.Unstructured) bool,
) (*unstructured.Unstructured, error) {
	var last *unstructured.Unstructured
	sentence := nameOf(u) + " is " + what
	err := c.wait(ctx, limit, sentence, func(ctx context.Context) error {
		now, err := c.get(ctx, u)
		if err != nil {
			return err
		}
		if now == nil {
			return errNotYet
		}
		last = now
		if !holds(now) {
			return errNotYet
		}
		return nil
	})
	if err != nil {
		return last, about(u, fmt.Errorf("%s is not %s (%w)%s", nameOf(u), what, err, conditionsText(last)))
	}
	return last, nil
}

// waitGone returns when the object no longer exists.
func (c *cluster) waitGone(ctx context.Context, limit time.Duration, u *unstructured.Unstructured) error {
	var last *unstructured.Unstructured
	err := c.wait(ctx, limit, nameOf(u)+" is gone", func(ctx context.Context) error {
		now, err := c.get(ctx, u)
		switch {
		case meta.IsNoMatchError(err) || err == nil && now == nil:
			return nil
		case err != nil:
			return err
		}
		last = now
		return errNotYet
	})
	if err != nil {
		return about(u, fmt.Errorf("%s is not gone (%w)%s", nameOf(u), err, conditionsText(last)))
	}
	return nil
}

// errNotYet means that what is waited for does not hold yet.
var errNotYet = errors.New("not yet")

// lastingError is one that does not go away by waiting.
type lastingError struct{ error }

func (e lastingError) Unwrap() error { return e.error }

// lasting returns the API server's error, which is lasting if it refuses the request for what it
// contains.
func lasting(err error) error {
	if kerrors.IsInvalid(err) || kerrors.IsBadRequest(err) || kerrors.IsForbidden(err) ||
		kerrors.IsUnauthorized(err) || kerrors.IsNotFound(err) {
		return lastingError{err}
	}
	return err
}

// wait tries until the error is nil or lasting: a busy API server refuses some requests for a
// while. what is the sentence that has to become true. The error says for how long it was tried,
// and the last error.
func (c *cluster) wait(ctx context.Context, limit time.Duration, what string, try func(context.Context) error) error {
	begun := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("waited %s", limit))
	defer cancel()
	tick, long := time.NewTicker(pollEvery), time.NewTicker(noteEvery)
	defer tick.Stop()
	defer long.Stop()
	last := errNotYet
	for {
		err := try(limited)
		var lasts lastingError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &lasts):
			return lasts.error
		case limited.Err() == nil:
			last = err
		}
		for waiting := true; waiting; {
			select {
			case <-limited.Done():
				cause := context.Cause(limited)
				if last != errNotYet && ctx.Err() == nil { //nolint:errorlint // it is never wrapped
					cause = fmt.Errorf("%w: %w", cause, last)
				}
				return cause
			case <-long.C:
				c.note("after %.0f s, still waiting until %s", time.Since(begun).Seconds(), what)
			case <-tick.C:
				waiting = false
			}
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

// conditionsText returns the conditions that are not True as the end of a sentence.
func conditionsText(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	var b strings.Builder
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && text(c, "status") != "True" {
			fmt.Fprintf(&b, "; %s is %s (%s)", text(c, "type"), text(c, "status"),
				strings.Join(strings.Fields(text(c, "reason")+": "+text(c, "message")), " "))
		}
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
