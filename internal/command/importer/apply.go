package importer

import (
	"context"
	"errors"
	"fmt"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldOwner is the field manager of the objects.
const fieldOwner = client.FieldOwner("landbridge-import")

// Apply creates the objects in a cluster, after a dry run of all of them. Secrets are created
// before their resource, and deleted again if it cannot be created; then Apply stops. It returns
// how many manifests were applied completely.
func Apply(ctx context.Context, c client.Client, manifests []Manifest) (int, error) {
	all := make([][]*unstructured.Unstructured, len(manifests))
	var problems []error
	for i, m := range manifests {
		objects, err := m.Objects()
		if err != nil {
			return 0, err
		}
		all[i] = objects
		for _, o := range objects {
			if err := create(ctx, c, o.DeepCopy(), client.DryRunAll, fieldOwner); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", m.Origin, explain(o, err)))
			}
		}
	}
	if len(problems) > 0 {
		return 0, errors.Join(problems...)
	}
	for i, objects := range all {
		if err := applyOne(ctx, c, objects); err != nil {
			return i, fmt.Errorf("%s: %w", manifests[i].Origin, err)
		}
	}
	return len(manifests), nil
}

func applyOne(ctx context.Context, c client.Client, objects []*unstructured.Unstructured) error {
	for i, o := range objects {
		err := create(ctx, c, o, fieldOwner)
		if err == nil {
			continue
		}
		// Not the caller's context: the Secrets must be deleted even if it has ended.
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		err = explain(o, err)
		for _, made := range objects[:i] {
			if undoErr := c.Delete(undo, made); client.IgnoreNotFound(undoErr) != nil {
				err = errors.Join(err, fmt.Errorf("the Secret %s could not be removed again: %w", client.ObjectKeyFromObject(made), undoErr))
			}
		}
		return err
	}
	return nil
}

// patience bounds the wait for an API server that is not ready: kinds that have just been activated
// are not served everywhere at once.
const patience = 30 * time.Second

func create(ctx context.Context, c client.Client, o *unstructured.Unstructured, opts ...client.CreateOption) error {
	var err error
	_ = wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err = c.Create(ctx, o, opts...)
		return !kerrors.IsServiceUnavailable(err) && !kerrors.IsTooManyRequests(err), nil
	})
	return err
}

// explain adds what to do to an error of the API server. The result never holds a Secret's data.
func explain(o *unstructured.Unstructured, err error) error {
	switch {
	case meta.IsNoMatchError(err):
		return fmt.Errorf("the cluster does not serve the kind %s; activate it in spec.activate of its "+
			"TerraformProvider", o.GroupVersionKind().GroupKind())
	case kerrors.IsNotFound(err):
		return fmt.Errorf("the namespace %s does not exist; create it", o.GetNamespace())
	case kerrors.IsAlreadyExists(err):
		return fmt.Errorf("there is a %s %s already", o.GetKind(), client.ObjectKeyFromObject(o))
	default:
		return fmt.Errorf("%s %s: %w", o.GetKind(), client.ObjectKeyFromObject(o), err)
	}
}
