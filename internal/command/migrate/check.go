package migrate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Check returns an error with everything that prevents the hand-overs. It changes nothing.
func (h *HandOver) Check(ctx context.Context, all []Step) error {
	var problems []error
	for _, s := range all {
		found, err := h.problems(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Old.Title(), err)
		}
		for _, p := range found {
			problems = append(problems, fmt.Errorf("%s: %s", s.Old.Title(), p))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("nothing was changed:\n%w", errors.Join(problems...))
	}
	return nil
}

// Differences returns what the first reconcile would change, a line each.
func (s Step) Differences() []string {
	out := make([]string, len(s.New.Changes))
	for i, c := range s.New.Changes {
		out[i] = fmt.Sprintf("%s: %s → %s", c.Path, c.BeforeText(shown), c.AfterText(shown))
	}
	return out
}

func shown(v any) string {
	if v == nil {
		return "not set"
	}
	return fmt.Sprint(v)
}

// problems returns what prevents the hand-over of an object.
func (h *HandOver) problems(ctx context.Context, s Step) ([]string, error) {
	old, err := h.get(ctx, s.Old.Unstructured)
	if err != nil {
		return nil, err
	}
	if old == nil {
		return []string{"it is gone"}, nil
	}
	k, err := markOf(old)
	if err != nil {
		return []string{err.Error()}, nil
	}
	if k != nil {
		u, err := h.get(ctx, k.To.object())
		if err != nil {
			return nil, err
		}
		if u != nil {
			if _, err := h.newOne(ctx, old, k); err != nil {
				return []string{err.Error()}, nil
			}
			return nil, nil // only the rest of its hand-over is left
		}
	}
	if k != nil && k.Done {
		return []string{
			fmt.Sprintf("it was handed over to %s, which is gone. Give --undo to let the old provider manage "+
				"its object again", k.To),
		}, nil
	}
	if owner := metav1.GetControllerOf(old); owner != nil {
		return []string{
			fmt.Sprintf("it belongs to %s %s, whose controller would change it back. Write the manifests instead, "+
				"and remove it from there", owner.Kind, owner.Name),
		}, nil
	}
	var out []string
	if s.New.Observes != "" {
		text := s.New.Observes
		if differences := s.Differences(); len(differences) > 0 {
			text += ":\n    " + strings.Join(differences, "\n    ")
		}
		return []string{text}, nil
	}
	refused, err := h.refused(ctx, s)
	if err != nil {
		return nil, err
	}
	out = append(out, refused...)
	for _, name := range sortedKeys(s.Copies) {
		_, err := h.copied(ctx, name, s.Copies[name], s.New.Resource.GetNamespace())
		switch {
		case kerrors.IsNotFound(err):
			out = append(out, fmt.Sprintf("there is no Secret %s/%s", s.Copies[name].Namespace, name))
		case err != nil:
			out = append(out, err.Error())
		}
	}
	secret, err := h.connection(ctx, old, s.New.Resource)
	if err != nil {
		return nil, err
	}
	if secret != nil {
		if owner := metav1.GetControllerOf(secret); owner != nil && owner.UID != old.GetUID() {
			out = append(
				out,
				fmt.Sprintf("its connection Secret %s belongs to %s %s. Give "+
					"spec.writeConnectionSecretToRef another name", client.ObjectKeyFromObject(secret),
					owner.Kind, owner.Name),
			)
		}
	}
	return out, nil
}

// refused returns why the API server would not accept the objects.
func (h *HandOver) refused(ctx context.Context, s Step) ([]string, error) {
	u := s.New.Resource.DeepCopy()
	err := h.Client.Create(ctx, u, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict), fieldOwner)
	switch {
	case err == nil:
		return nil, nil
	case apimeta.IsNoMatchError(err):
		return []string{
			fmt.Sprintf("the cluster does not serve the kind %s; activate its type in spec.activate of the "+
				"TerraformProvider", u.GroupVersionKind().GroupKind()),
		}, nil
	case kerrors.IsNotFound(err):
		return []string{
			fmt.Sprintf("there is no namespace %s, or the kind %s is not served in it", u.GetNamespace(),
				u.GroupVersionKind().GroupKind()),
		}, nil
	case kerrors.IsAlreadyExists(err):
		return []string{
			fmt.Sprintf("there is a %s already, which is not of this hand-over. Rename it, or choose "+
				"another namespace", titleOf(u)),
		}, nil
	case kerrors.IsInvalid(err), kerrors.IsBadRequest(err), kerrors.IsForbidden(err):
		return []string{"the API server does not accept the new resource: " + err.Error()}, nil
	}
	return nil, err
}
