package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

const (
	// settle is how long a definition has to be as it is before objects are rewritten: until then an API
	// server may go on storing the version before.
	settle = 10 * time.Second
	// page is how many objects are listed at once.
	page = 500
	// later is when objects that were refused are tried again.
	later = 10 * time.Minute
)

// migrator has all objects stored in one version. The API server remembers, in the status of a definition,
// in which versions any may be stored, so that this can end and begin again at any time.
type migrator struct {
	*Conversions
	client client.Client
	live   client.Reader
	ours   map[string]bool
	// done are the definitions for which there is nothing to do.
	done map[string]incarnation
}

// Reconcile implements reconcile.Reconciler. There is one request, for all kinds.
func (m *migrator) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := m.client.List(ctx, list); err != nil {
		return reconcile.Result{}, err
	}
	var wait time.Duration
	var errs []error
	for _, o := range list.Items {
		now := incarnation{o.UID, o.Generation}
		if !m.ours[o.Name] || o.Annotations[v1alpha1.AnnotationFormerVersions] == "" || !o.DeletionTimestamp.IsZero() || m.done[o.Name] == now {
			continue
		}
		again, err := m.definition(ctx, o.Name)
		switch {
		case err != nil:
			errs = append(errs, err)
		case again > 0:
			wait = max(wait, again)
		default:
			m.done[o.Name] = now
		}
	}
	return reconcile.Result{RequeueAfter: wait}, errors.Join(errs...)
}

// definition has the objects of a definition stored in one version. again is when to come back, if not yet.
func (m *migrator) definition(ctx context.Context, name string) (again time.Duration, err error) {
	d, err := m.Definitions.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return 0, client.IgnoreNotFound(err)
	}
	version, err := storage(d)
	if err != nil {
		return 0, err
	}
	if len(d.Status.StoredVersions) == 1 && d.Status.StoredVersions[0] == version {
		return 0, nil
	}
	if !m.Ready(d) {
		return time.Second, nil
	}
	if since := time.Since(changed(d)); since < settle {
		return settle - since, nil
	}
	begin := time.Now()
	n, refused, err := m.rewrite(ctx, schema.GroupVersionKind{Group: d.Spec.Group, Version: version, Kind: d.Spec.Names.Kind}, d.Spec.Names.ListKind)
	switch {
	case err != nil:
		return 0, fmt.Errorf("cannot have all objects of %s stored in %s: %w", name, version, err)
	case refused != nil:
		m.Logger.Info("Some objects stay stored in an earlier version, since the API server does not take them in the new one", "crd", name, "version", version, "error", refused.Error())
		return later, nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": d.ResourceVersion},
		"status":   map[string]any{"storedVersions": []string{version}},
	})
	if err != nil {
		return 0, err
	}
	// A definition that has changed since may store objects otherwise by now: then it is a conflict.
	_, err = m.Definitions.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: m.Service.Name}, "status")
	switch {
	case kerrors.IsConflict(err), kerrors.IsNotFound(err):
		return time.Second, nil
	case kerrors.IsForbidden(err):
		m.Logger.Info("All objects are stored in one version, but the program may not say so: let it patch customresourcedefinitions/status, or set status.storedVersions",
			"crd", name, "version", version, "objects", n)
		return 0, nil
	case err != nil:
		return 0, err
	}
	m.Logger.Info("All objects are stored in one version", "crd", name, "version", version, "objects", n, "took", time.Since(begin).Round(time.Millisecond).String())
	return 0, nil
}

// changed is when a definition was changed last, but for its status.
func changed(d *apiextensionsv1.CustomResourceDefinition) time.Time {
	at := d.CreationTimestamp.Time
	for _, f := range d.ManagedFields {
		if f.Subresource == "" && f.Time != nil && f.Time.After(at) {
			at = f.Time.Time
		}
	}
	return at
}

// rewrite has each object written as it is, which the API server does in the version that it stores. One
// that is stored in it already is not written, and one that was changed meanwhile needs nothing.
func (m *migrator) rewrite(ctx context.Context, kind schema.GroupVersionKind, listKind string) (n int, refused, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(listKind))
	var errs []error
	for next := ""; ; {
		if err := m.live.List(ctx, list, client.Limit(page), client.Continue(next)); err != nil {
			return n, nil, err
		}
		for _, o := range list.Items {
			patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": o.UID, "resourceVersion": o.ResourceVersion}})
			if err != nil {
				return n, nil, err
			}
			at := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name}}
			at.SetGroupVersionKind(kind)
			err = m.client.Patch(ctx, at, client.RawPatch(types.MergePatchType, patch))
			switch {
			case err == nil, kerrors.IsConflict(err), kerrors.IsNotFound(err):
				n++
			case kerrors.IsInvalid(err), kerrors.IsForbidden(err):
				// The others need not wait for it.
				errs = append(errs, fmt.Errorf("%s %s/%s: %w", kind.Kind, o.Namespace, o.Name, err))
			default:
				return n, nil, err
			}
		}
		if next = list.Continue; next == "" {
			return n, errors.Join(errs...), nil
		}
	}
}
