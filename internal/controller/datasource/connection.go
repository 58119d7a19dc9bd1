package datasource

import (
	"context"
	"fmt"
	"maps"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// publish writes the sensitive values of a result into the connection Secret, if one is named. It
// reports whether the Secret was changed.
func (r *Reconciler) publish(ctx context.Context, o *object, details map[string][]byte) (bool, error) {
	ref := o.GetWriteConnectionSecretToReference()
	if ref == nil {
		return false, nil
	}
	changed, err := r.secrets.PublishConnection(ctx, o, xpmanaged.ConnectionDetails(details))
	if err != nil || !changed {
		return false, err
	}
	// The publisher adds values, and removes none.
	secret, err := r.published(ctx, o, ref.Name)
	if err != nil || secret == nil {
		return true, err
	}
	return true, r.prune(ctx, secret, details)
}

// published returns the connection Secret of an object; nil if it has none.
func (r *Reconciler) published(ctx context.Context, o *object, name string) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := r.kind.live.Get(ctx, client.ObjectKey{Namespace: o.GetNamespace(), Name: name}, secret)
	if err != nil || !metav1.IsControlledBy(secret, o) {
		return nil, client.IgnoreNotFound(err)
	}
	return secret, nil
}

// prune removes the values of a connection Secret that a result does not have.
func (r *Reconciler) prune(ctx context.Context, secret *corev1.Secret, details map[string][]byte) error {
	before := len(secret.Data)
	maps.DeleteFunc(secret.Data, func(key string, _ []byte) bool { _, has := details[key]; return !has })
	if len(secret.Data) == before {
		return nil
	}
	return r.client.Update(ctx, secret)
}

// unread returns the message of an object without a result. The connection Secret of an earlier
// result is in use by others, so it keeps its values unless the result is withheld.
func (r *Reconciler) unread(ctx context.Context, o *object, withholds bool) (string, error) {
	const unread = "It was not read yet."
	ref := o.GetWriteConnectionSecretToReference()
	if ref == nil {
		return unread, nil
	}
	secret, err := r.published(ctx, o, ref.Name)
	switch {
	case err != nil || secret == nil || len(secret.Data) == 0:
		return unread, err
	case withholds:
		return unread, r.prune(ctx, secret, nil)
	}
	return fmt.Sprintf("It was not read with these arguments yet. The Secret %s still has the values of an earlier result.", ref.Name), nil
}
