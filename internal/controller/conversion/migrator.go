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
	// settle is how long a definition must be unchanged before objects are rewritten: until then an
	// API server may still store the former version.
	settle = 10 * time.Second
	// pageSize is the number of objects per list call.
	pageSize = 500
	// retryRefused is the delay before objects that the API server refused are tried again.
	retryRefused = 10 * time.Minute
)

// migrator rewrites objects so that all are stored in one version. The status of a definition has
// the versions in which objects may be stored, so the migration can be interrupted and repeated at
// any time.
type migrator struct {
	*Conversions
	client client.Client
	live   client.Reader
	ours   map[string]bool
	// done has the definitions whose objects all have one stored version.
	done map[string]incarnation
}

// Reconcile implements reconcile.Reconciler. There is one request for all kinds.
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

// definition migrates the objects of a definition. If they cannot be migrated yet, it returns when
// to try again.
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
	n, refused, err := m.rewrite(ctx, schema.GroupVersionKind{Group: d.Spec.Group, Version: version, Kind: d.Spec.Names.Kind})
	switch {
	case err != nil:
		return 0, fmt.Errorf("cannot migrate the stored objects of %s to %s: %w", name, version, err)
	case refused != nil:
		m.Logger.Info("Some objects cannot be migrated, since the API server refuses them in the new version", "crd",
			name, "version", version, "error", refused.Error())
		return retryRefused, nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": d.ResourceVersion},
		"status":   map[string]any{"storedVersions": []string{version}},
	})
	if err != nil {
		return 0, err
	}
	// A definition that was changed meanwhile may have another storage version: the API server
	// returns a conflict.
	_, err = m.Definitions.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: m.Service.Name}, "status")
	switch {
	case kerrors.IsConflict(err), kerrors.IsNotFound(err):
		return time.Second, nil
	case kerrors.IsForbidden(err):
		m.Logger.Info("Migrated stored objects, but the program is not permitted to record it: let it patch "+
			"customresourcedefinitions/status, or set status.storedVersions",
			"crd", name, "version", version, "objects", n)
		return 0, nil
	case err != nil:
		return 0, err
	}
	m.Logger.Info("Migrated stored objects", "crd", name, "version", version, "objects", n, "took",
		time.Since(begin).Round(time.Millisecond).String())
	return 0, nil
}

// changed returns when a definition was last changed, not counting its status.
func changed(d *apiextensionsv1.CustomResourceDefinition) time.Time {
	at := d.CreationTimestamp.Time
	for _, f := range d.ManagedFields {
		if f.Subresource == "" && f.Time != nil && f.Time.After(at) {
			at = f.Time.Time
		}
	}
	return at
}

// rewrite updates each object without a change, so that the API server stores it in the current
// version. The API server does not write objects that are stored so already. Objects that were
// changed meanwhile need no rewrite.
func (m *migrator) rewrite(ctx context.Context, kind schema.GroupVersionKind) (n int, refused, err error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	var errs []error
	for next := ""; ; {
		if err := m.live.List(ctx, list, client.Limit(pageSize), client.Continue(next)); err != nil {
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
				// This must not block the others.
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
