package results

import (
	"context"
	"encoding/json"
	"time"

	xpresource "github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// published is the Secret with the result of an ephemeral resource.
type published struct {
	// openedAt is when what it has was opened; empty if there is no Secret.
	openedAt string
	// renewAt is what the Secret says.
	renewAt string
	// foreign is why it must not be written.
	foreign error
}

// published reads the Secret that an object names.
func (k *Kind) published(ctx context.Context, o *object) (out published, _ error) {
	secret, err := k.secret(ctx, o)
	if err != nil || secret.ResourceVersion == "" {
		return out, err
	}
	out.foreign = xpresource.ConnectionSecretMustBeControllableBy(o.GetUID())(ctx, secret, nil)
	if metav1.IsControlledBy(secret, o) {
		o.conceal(secret.Data)
		out.openedAt, out.renewAt = secret.Annotations[v1alpha1.AnnotationOpenedAt], secret.Annotations[v1alpha1.AnnotationRenewAt]
	}
	return out, nil
}

// publishLease writes the result of an opening into the Secret that an object names, and nothing
// else stays in it.
func (r *Reconciler) publishLease(ctx context.Context, o *object, of lease, details map[string][]byte) error {
	secret := xpresource.LocalConnectionSecretFor(o, r.kind.Model.GroupVersionKind())
	secret.Data, secret.Annotations = details, expiry(of)
	current, err := r.kind.secret(ctx, o)
	if err != nil {
		return err
	}
	if current.ResourceVersion == "" {
		return r.client.Create(ctx, secret)
	}
	if err := xpresource.ConnectionSecretMustBeControllableBy(o.GetUID())(ctx, current, nil); err != nil {
		return err
	}
	current.Data, current.OwnerReferences = details, secret.OwnerReferences
	for name, value := range secret.Annotations {
		metav1.SetMetaDataAnnotation(&current.ObjectMeta, name, value)
	}
	if of.RenewAt.IsZero() {
		delete(current.Annotations, v1alpha1.AnnotationRenewAt)
	}
	return r.client.Update(ctx, current)
}

// republish writes when what is in the Secret ends, which a renewal has changed.
func (r *Reconciler) republish(ctx context.Context, o *object, of lease) error {
	annotations := map[string]any{v1alpha1.AnnotationRenewAt: nil}
	if !of.RenewAt.IsZero() {
		annotations[v1alpha1.AnnotationRenewAt] = stamp(of.RenewAt)
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = outName(o).Namespace, outName(o).Name
	return client.IgnoreNotFound(r.client.Patch(ctx, secret, client.RawPatch(types.MergePatchType, patch)))
}

// expiry returns the annotations of a Secret with the result of an opening.
func expiry(of lease) map[string]string {
	out := map[string]string{v1alpha1.AnnotationOpenedAt: of.OpenedAt.UTC().Format(time.RFC3339Nano)}
	if !of.RenewAt.IsZero() {
		out[v1alpha1.AnnotationRenewAt] = stamp(of.RenewAt)
	}
	return out
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
