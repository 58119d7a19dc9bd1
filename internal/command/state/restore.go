package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// RestoreOptions configure Restore.
type RestoreOptions struct {
	// Namespace is that of the resources of states that Landbridge did not export.
	Namespace string
	// Addresses are the instances to restore; nil for all.
	Addresses []string
	// Overwrite replaces stored instances that differ.
	Overwrite bool
	// DryRun checks everything and writes nothing.
	DryRun bool
}

// Restored is the result of Restore.
type Restored struct {
	// Written and Unchanged are the titles of stored instances.
	Written, Unchanged []string
	Left               []Left
}

// fieldOwner is the field manager of changes to custom resources.
const fieldOwner = client.FieldOwner("landbridge-state")

// Restore writes the instances of a Terraform state as stored instances of custom resources, which
// exist and are not reconciled.
func (c *Cluster) Restore(ctx context.Context, kinds Kinds, file []byte, o RestoreOptions) (Restored, error) {
	state, err := tfstate.Read(file, nil)
	if err != nil {
		return Restored{}, err
	}
	out := Restored{}
	matched := map[string]bool{}
	for r, x := range state.All() {
		if r.Mode != "managed" {
			continue
		}
		address := importer.InstanceAddress(r, x)
		if o.Addresses != nil && !slices.Contains(o.Addresses, address) {
			continue
		}
		matched[address] = true
		k, kind, reason := c.find(kinds, r, x, o.Namespace)
		title := address
		if reason == "" {
			title = Title(k)
			var written bool
			written, reason, err = c.restore(ctx, k, kind, x, o)
			if err != nil {
				return out, fmt.Errorf("%s: %w", title, err)
			}
			if written {
				out.Written = append(out.Written, title)
			} else if reason == "" {
				out.Unchanged = append(out.Unchanged, title)
			}
		}
		if reason != "" {
			out.Left = append(out.Left, Left{title, reason})
		}
	}
	for _, a := range o.Addresses {
		if !matched[a] {
			return out, fmt.Errorf("the state has no managed resource %s", a)
		}
	}
	return out, nil
}

// find returns the custom resource of an instance: the one it was exported from, else the one that
// landbridge import would make of it.
func (c *Cluster) find(kinds Kinds, r tfstate.ResourceBlock, x tfstate.Instance, namespace string) (k store.Key, kind Kind, reason string) {
	if raw, ok := r.Extra[extra]; ok {
		var of owner
		if err := json.Unmarshal(raw, &of); err != nil {
			return k, kind, "its field " + extra + " is malformed"
		}
		k = store.Key{Group: of.Group, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name}
		if kind, ok = kinds.Of(k); !ok {
			return k, kind, fmt.Sprintf("the cluster does not serve the kind %s.%s", strings.ToLower(k.Kind), k.Group)
		}
		return k, kind, ""
	}
	source, _, _ := importer.ProviderOf(r.Provider)
	var found []Kind
	for _, k := range kinds {
		if k.Type == r.Type && !k.Module {
			found = append(found, k)
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(k Kind) bool { return k.Provider != source })
	}
	switch len(found) {
	case 0:
		return k, kind, "the cluster serves no kind for " + r.Type
	case 1:
		kind = found[0]
		return kind.Key(namespace, importer.InstanceKubernetesName(r, x)), kind, ""
	default:
		return k, kind, "the cluster serves several kinds for " + r.Type
	}
}

// restore writes one stored instance. A reason is returned if it is left out.
func (c *Cluster) restore(
	ctx context.Context, k store.Key, kind Kind, x tfstate.Instance, o RestoreOptions,
) (written bool, reason string, err error) {
	if !x.Exists() {
		return false, "the state has no current object of it", nil
	}
	u := kind.Object(k.Namespace, k.Name)
	if err := c.Get(ctx, client.ObjectKeyFromObject(u), u); kerrors.IsNotFound(err) {
		return false, fmt.Sprintf("there is no such resource: create it with the annotation %s set to \"true\" "+
			"first, or let landbridge import --state create it", meta.AnnotationKeyReconciliationPaused), nil
	} else if err != nil {
		return false, "", err
	}
	switch {
	case u.GetDeletionTimestamp() != nil:
		return false, "the resource is being deleted", nil
	case !meta.IsPaused(u) && touched(u):
		return false, fmt.Sprintf("the resource is being reconciled: set its annotation %s to \"true\" first",
			meta.AnnotationKeyReconciliationPaused), nil
	}
	rec, err := record(u, x)
	if err != nil {
		return false, err.Error(), nil
	}
	now, err := c.Load(ctx, k)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return false, "", err
	case now.Instance.Operation != nil:
		return false, fmt.Sprintf("its %s has not ended, and its outcome would be lost", now.Instance.Operation.Kind), nil
	case same(now, rec):
		rec.Version = now.Version
		return false, "", c.hold(ctx, u, o)
	case !o.Overwrite:
		return false, "the instance that is stored for it differs, and may be newer; --overwrite replaces it", nil
	default:
		rec.Version = now.Version
	}
	if o.DryRun {
		return true, "", nil
	}
	rec.Instance.CreatedAt = time.Now() // others may just have made it, so it may not be visible yet
	if _, err := c.Stored.Save(ctx, k, store.Verbatim, rec); errors.Is(err, store.ErrConflict) {
		return false, "something else has written its stored instance just now", nil
	} else if err != nil {
		return false, "", err
	}
	return true, "", c.hold(ctx, u, o)
}

// touched reports whether a controller has begun to reconcile a resource.
func touched(u *unstructured.Unstructured) bool {
	return !crd.Unobserved(u) || meta.FinalizerExists(u, xpmanaged.FinalizerName)
}

// hold adds the finalizer that tells the controller that something is stored for the resource.
func (c *Cluster) hold(ctx context.Context, u *unstructured.Unstructured, o RestoreOptions) error {
	if o.DryRun {
		return nil
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return err
		}
		if meta.FinalizerExists(u, xpmanaged.FinalizerName) {
			return nil
		}
		meta.AddFinalizer(u, xpmanaged.FinalizerName)
		return c.Update(ctx, u, fieldOwner)
	})
}

// record returns the record of an instance in a state.
func record(u *unstructured.Unstructured, x tfstate.Instance) (store.Record, error) {
	rec := store.Record{Owner: u.GetUID(), Instance: x.Instance}
	if raw, ok := x.Kept.Extra[extra]; ok {
		var more kept
		if err := json.Unmarshal(raw, &more); err != nil {
			return rec, fmt.Errorf("the field %s of its instance is malformed", extra)
		}
		rec.Handled, rec.Instance.IdentityHistory = more.Handled, more.IdentityHistory
		if more.Status == instance.Partial {
			rec.Instance.Status = more.Status
		}
		return rec, nil
	}
	// The tokens that the resource has ask for nothing that is to be done to this object.
	a := u.GetAnnotations()
	rec.Handled = store.Tokens{
		Taint: a[v1alpha1.AnnotationTaint], Untaint: a[v1alpha1.AnnotationUntaint],
		Retry: a[v1alpha1.AnnotationRetry], Reapply: a[v1alpha1.AnnotationReapply],
		Interrupt: a[v1alpha1.AnnotationInterrupt],
	}
	_, rec.Handled.Imported, _ = unstructured.NestedMap(u.Object, "spec", "import")
	return rec, nil
}

// same reports whether two records that were loaded verbatim have the same content, whenever their
// objects were created.
func same(a, b store.Record) bool {
	a.Instance.CreatedAt, b.Instance.CreatedAt = time.Time{}, time.Time{}
	if a.Handled != b.Handled {
		return false
	}
	x, err := instance.Encode(a.Instance, store.Verbatim)
	if err != nil {
		return false
	}
	y, err := instance.Encode(b.Instance, store.Verbatim)
	return err == nil && string(x) == string(y)
}
