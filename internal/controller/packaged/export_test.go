package packaged

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
)

// Started makes a reconciler that serves the CRD with a name and UID.
func (r *Reconciler) Started(name string, uid types.UID) {
	r.types = map[string]string{name: "test_thing"}
	r.started = map[string]incarnation{name: {uid: uid, generation: 1}}
}

// Serves reports whether the CRD with a name is served as it was.
func (r *Reconciler) Serves(ctx context.Context, name string) (bool, error) {
	present, err := r.present(ctx)
	was, ok := present[name]
	return ok && was == r.started[name], err
}
