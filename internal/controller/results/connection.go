package results

import (
	"context"
	"fmt"
	"maps"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// publish writes the sensitive values of a result into the connection Secret, if one is named. It
// reports whether the Secret was changed.
func (r *Reconciler) publish(ctx context.Context, o *object, details map[string][]byte) (bool, error) {
	if o.GetWriteConnectionSecretToReference() == nil {
		return false, nil
	}
	changed, err := r.secrets.PublishConnection(ctx, o, xpmanaged.ConnectionDetails(details))
	if err != nil || !changed {
		return false, err
	}
	// The publisher adds values, and removes none.
	secret, err := r.kind.secret(ctx, o)
	if err != nil || !metav1.IsControlledBy(secret, o) {
		return true, err
	}
	return true, r.prune(ctx, secret, details)
}

// secret returns the Secret that an object names, as the API server has it; an empty one if it does
// not exist. It may belong to another object.
func (k *Kind) secret(ctx context.Context, o *object) (*corev1.Secret, error) {
	out := &corev1.Secret{}
	return out, client.IgnoreNotFound(k.Live.Get(ctx, outName(o), out))
}

func outName(o *object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetWriteConnectionSecretToReference().Name}
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

// withoutResult returns the message of an object without a result. The connection Secret of an
// earlier result is in use by others, so it keeps its values unless the result is withheld.
func (r *Reconciler) withoutResult(ctx context.Context, o *object, withholds bool) (string, error) {
	const unread = "It was not read yet."
	if o.GetWriteConnectionSecretToReference() == nil {
		return unread, nil
	}
	secret, err := r.kind.secret(ctx, o)
	switch {
	case err != nil || !metav1.IsControlledBy(secret, o) || len(secret.Data) == 0:
		return unread, err
	case withholds:
		return unread, r.prune(ctx, secret, nil)
	}
	return fmt.Sprintf("It was not read with these arguments yet. The Secret %s still has the values of an earlier result.", secret.Name), nil
}
