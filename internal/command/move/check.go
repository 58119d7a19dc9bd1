package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
)

// check returns an error with everything that prevents the move of resources.
func (m *Mover) check(ctx context.Context, all []moving) error {
	ns := &corev1.Namespace{}
	if err := m.Target.Get(ctx, client.ObjectKey{Name: m.Target.System}, ns); kerrors.IsNotFound(err) {
		return fmt.Errorf("the target has no namespace %s: install Landbridge there first", m.Target.System)
	} else if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	var problems []error
	seen := map[string]bool{}
	for _, r := range all {
		found, err := m.problems(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		for _, p := range found {
			if p = r.String() + ": " + p; !seen[p] {
				seen[p] = true
				problems = append(problems, errors.New(p))
			}
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("nothing was changed:\n%w", errors.Join(problems...))
	}
	return nil
}

// problems returns what prevents the move of a resource.
func (m *Mover) problems(ctx context.Context, r moving) ([]string, error) {
	l, err := m.look(ctx, r)
	if err != nil {
		return []string{err.Error()}, nil
	}
	if l.released() || l.ended() {
		return nil, nil // only the rest of its move is left
	}
	if _, ok := m.targetKinds.Of(r.key); !ok {
		return []string{"the target does not serve its kind; activate it in spec.activate of a TerraformProvider there"}, nil
	}
	if l.source.GetDeletionTimestamp() != nil && l.lock == nil {
		return []string{"it is being deleted"}, nil
	}
	if o := metav1.GetControllerOf(l.source); o != nil {
		return []string{fmt.Sprintf("it belongs to %s %s, whose controller would create it again; move that", o.Kind, o.Name)}, nil
	}
	var out []string
	if l.target != nil && l.mark == nil {
		return []string{"the target has such a resource already"}, nil
	}
	if l.mark == nil && l.copied != nil && l.copied.Owner != l.source.GetUID() {
		out = append(out, "the target has a stored instance of another resource of that name")
	}
	refused, err := m.refused(ctx, r, l)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if refused != "" {
		out = append(out, refused)
	}
	missing, err := m.missing(ctx, r, l.source)
	out = append(out, missing...)
	slices.Sort(out)
	return out, err
}

// refused returns why the API server of the target would not accept a resource; empty if it would.
func (m *Mover) refused(ctx context.Context, r moving, l look) (string, error) {
	if l.target != nil {
		return "", nil
	}
	if r.key.Namespace != "" {
		err := m.Target.Get(ctx, client.ObjectKey{Name: r.key.Namespace}, &corev1.Namespace{})
		if kerrors.IsNotFound(err) {
			return "the target has no namespace " + r.key.Namespace, nil
		}
		if err != nil {
			return "", err
		}
	}
	u, err := m.copyOf(r, l)
	if err != nil {
		return "", err
	}
	err = m.Target.Create(ctx, u, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict), fieldOwner)
	switch {
	case kerrors.IsNotFound(err), apimeta.IsNoMatchError(err):
		return "the target does not serve " + u.GetAPIVersion() + " of its kind", nil
	case kerrors.IsInvalid(err), kerrors.IsBadRequest(err), kerrors.IsForbidden(err):
		return "the target does not accept it: " + err.Error(), nil
	}
	return "", err
}

// missing returns what a resource refers to, and the target does not have. What the source does not
// have either prevents nothing.
func (m *Mover) missing(ctx context.Context, r moving, u *unstructured.Unstructured) ([]string, error) {
	kind, name := model.ClusterProviderConfigKind, providerconfig.DefaultName
	if ref, ok, _ := unstructured.NestedStringMap(u.Object, "spec", "providerConfigRef"); ok {
		kind, name = ref["kind"], ref["name"]
	}
	namespace := ""
	if kind == model.ProviderConfigKind {
		namespace = r.key.Namespace
	}
	var out []string
	refs := secretRefs(u.Object["spec"], r.key.Namespace)
	config := r.Object(namespace, name)
	config.SetKind(kind)
	here, err := exists(ctx, m.Source, config.DeepCopy())
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if here {
		there, err := exists(ctx, m.Target, config)
		if err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
		if !there {
			out = append(out, fmt.Sprintf("the target has no %s %s", kind, strings.TrimPrefix(namespace+"/"+name, "/")))
		}
		for _, ref := range secretRefs(config.Object["spec"], namespace) {
			ref.target = true
			refs = append(refs, ref)
		}
	}
	for _, ref := range refs {
		here, err := ref.found(ctx, m.Source)
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		there, err := ref.found(ctx, m.Target)
		if err != nil {
			return nil, fmt.Errorf("target: %w", err)
		}
		if !there && (here || ref.target) {
			out = append(out, fmt.Sprintf("the target has no key %s in Secret %s/%s", ref.key, ref.namespace, ref.name))
		}
	}
	return out, nil
}

func exists(ctx context.Context, c *state.Cluster, u *unstructured.Unstructured) (bool, error) {
	err := c.Get(ctx, client.ObjectKeyFromObject(u), u)
	if kerrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
		return false, nil
	}
	return err == nil, err
}

// secretRef is a reference to a key of a Secret.
type secretRef struct {
	namespace, name, key string
	// target is set for a reference of the target's provider configuration, which may have another
	// name than that of the source.
	target bool
}

// secretRefs returns the references to Secrets in a spec: by the convention of Crossplane, which
// all kinds follow, the names of such fields end with SecretRef. An empty namespace is that of the
// reference.
func secretRefs(spec any, namespace string) []secretRef {
	var out []secretRef
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				walk(name, element)
			}
		case map[string]any:
			ref := secretRef{namespace: namespace}
			ref.name, _ = v["name"].(string)
			ref.key, _ = v["key"].(string)
			if namespace == "" {
				ref.namespace, _ = v["namespace"].(string)
			}
			if strings.HasSuffix(strings.TrimSuffix(name, "s"), "SecretRef") && ref.name != "" && ref.key != "" {
				out = append(out, ref)
				return
			}
			for k, element := range v {
				walk(k, element)
			}
		}
	}
	walk("", spec)
	return out
}

func (r secretRef) found(ctx context.Context, c *state.Cluster) (bool, error) {
	s := &corev1.Secret{}
	err := c.Get(ctx, client.ObjectKey{Namespace: r.namespace, Name: r.name}, s)
	if kerrors.IsNotFound(err) {
		return false, nil
	}
	_, ok := s.Data[r.key]
	return ok, err
}
