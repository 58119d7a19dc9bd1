package kinds

import (
	"context"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// typedClient is what ensure uses of client-go's clients.
type typedClient[T any] interface {
	Get(ctx context.Context, name string, o metav1.GetOptions) (T, error)
	Create(ctx context.Context, object T, o metav1.CreateOptions) (T, error)
	Update(ctx context.Context, object T, o metav1.UpdateOptions) (T, error)
}

// ensure creates an object, or updates the existing one if update changes it. Without update, an
// existing object stays as it is. controllerutil.CreateOrUpdate would read through the manager's
// cache, which would watch all objects of the kind.
func ensure[T metav1.Object](ctx context.Context, client typedClient[T], want T, update func(have T) (changed bool)) error {
	have, err := client.Get(ctx, want.GetName(), metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		_, err = client.Create(ctx, want, metav1.CreateOptions{})
	case err == nil && update != nil && update(have):
		_, err = client.Update(ctx, have, metav1.UpdateOptions{})
	}
	return err
}
