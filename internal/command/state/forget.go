package state

import (
	"context"
	"errors"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// ForgetIdentity removes the stored identity of the object of a resource, which is not reconciled,
// and returns it as JSON. The next read of the object returns the identity that it has now.
// Everything else stays as it is stored.
func (c *Cluster) ForgetIdentity(ctx context.Context, kind Kind, namespace, name string) ([]byte, error) {
	k := kind.Key(namespace, name)
	u := kind.Object(k.Namespace, k.Name)
	if err := c.Get(ctx, client.ObjectKeyFromObject(u), u); kerrors.IsNotFound(err) {
		return nil, fmt.Errorf("there is no %s", Title(k))
	} else if err != nil {
		return nil, err
	}
	if !meta.IsPaused(u) {
		return nil, fmt.Errorf("%s is being reconciled: set its annotation %s to \"true\" first, and "+
			"remove it afterwards", Title(k), meta.AnnotationKeyReconciliationPaused)
	}
	rec, err := c.Load(ctx, k)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, fmt.Errorf("nothing is stored of %s", Title(k))
	case err != nil:
		return nil, err
	case rec.Instance.Operation != nil:
		return nil, fmt.Errorf("the %s of %s has not ended", rec.Instance.Operation.Kind, Title(k))
	case !rec.Instance.HasIdentity():
		return nil, fmt.Errorf("no identity is stored of %s", Title(k))
	}
	former := rec.Instance.IdentityJSON()
	rec.Instance = rec.Instance.WithoutIdentity()
	if _, err := c.Stored.Save(ctx, k, store.Verbatim, rec); errors.Is(err, store.ErrConflict) {
		return nil, fmt.Errorf("something else has written the stored instance of %s just now: try again", Title(k))
	} else if err != nil {
		return nil, err
	}
	return former, nil
}
