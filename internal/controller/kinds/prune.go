package kinds

import (
	"context"
	"errors"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// HasObjects reports whether any object of the kind exists, given its list kind. A kind that is not
// served has none.
func HasObjects(ctx context.Context, reader client.Reader, listKind kschema.GroupVersionKind) (bool, error) {
	found, err := hasObjects(ctx, reader, listKind)
	if meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
		err = nil
	}
	return found, err
}

// hasObjects is HasObjects, but returns an error for a kind that is not served.
func hasObjects(ctx context.Context, reader client.Reader, listKind kschema.GroupVersionKind) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(listKind)
	err := reader.List(ctx, list, client.Limit(1))
	return len(list.Items) > 0, err
}

// listKind returns the kind by which clients list objects: see model.Resource.ListGroupVersionKind.
func listKind(c *apiextensionsv1.CustomResourceDefinition) kschema.GroupVersionKind {
	return kschema.GroupVersionKind{Group: c.Spec.Group, Version: c.Spec.Versions[0].Name, Kind: c.Spec.Names.Kind + "List"}
}

// AnyObjects reports whether any object of an owner's kinds exists.
func (rt *Runtime) AnyObjects(ctx context.Context, owner string) (bool, error) {
	definitions, err := rt.definitions(ctx, owner)
	if err != nil {
		return false, err
	}
	for i := range definitions {
		if found, err := HasObjects(ctx, rt.Manager.GetAPIReader(), listKind(&definitions[i])); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// definitions returns the CRDs of an owner.
func (rt *Runtime) definitions(ctx context.Context, owner string) ([]apiextensionsv1.CustomResourceDefinition, error) {
	list, err := rt.CRDs.List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelProvider + "=" + owner})
	if err != nil {
		return nil, fmt.Errorf("cannot list the CRDs of its kinds: %w", err)
	}
	return list.Items, nil
}

// Prune deletes the CRDs of an owner that keep, unless it is nil, does not report. It leaves CRDs
// alone whose kinds have objects, since these would be deleted too, and returns their kinds. It
// also leaves CRDs alone whose kinds are not served: it is unknown whether objects are stored.
func (rt *Runtime) Prune(
	ctx context.Context, owner string, keep func(*apiextensionsv1.CustomResourceDefinition) bool,
) (inUse []string, err error) {
	definitions, err := rt.definitions(ctx, owner)
	if err != nil {
		return nil, err
	}
	var errs []error
	for i := range definitions {
		c := &definitions[i]
		if keep != nil && keep(c) || !c.DeletionTimestamp.IsZero() {
			continue
		}
		found, err := hasObjects(ctx, rt.Manager.GetAPIReader(), listKind(c))
		if found {
			inUse = append(inUse, c.Spec.Names.Kind+" of "+c.Spec.Group)
			continue
		}
		// An established CRD without a match is going to be served soon. That is an error, so that
		// it is tried again.
		if kerrors.IsNotFound(err) || meta.IsNoMatchError(err) && !IsEstablished(c) {
			continue
		}
		if err == nil {
			err = client.IgnoreNotFound(rt.CRDs.Delete(ctx, c.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(c.UID)}}))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("cannot remove the CRD %s: %w", c.Name, err))
			continue
		}
		rt.notePruned(c.Name)
	}
	return inUse, errors.Join(errs...)
}

func (rt *Runtime) notePruned(name string) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.pruned == nil {
		rt.pruned = map[string]time.Time{}
	}
	rt.pruned[name] = time.Now()
}

// prunedRecently reports, once, whether the CRD was deleted shortly before.
func (rt *Runtime) prunedRecently(name string) bool {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	at, ok := rt.pruned[name]
	delete(rt.pruned, name)
	return ok && time.Since(at) < 2*Teardown
}
