package providerconfig

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/model"
)

// labelsTTL is the time after which the labels of a namespace are read again.
const labelsTTL = 10 * time.Second

// Admission decides which namespaces may use a ClusterProviderConfig. It is safe for concurrent
// use.
type Admission struct {
	// Live reads namespaces; it must not be cached.
	Live client.Reader
	// Listed is set if a ClusterProviderConfig without spec.allowedNamespaces is for no namespace.
	// Otherwise it is for all.
	Listed bool

	mu sync.Mutex
	// known has the labels and annotations of namespaces.
	known map[string]namespaceLabels
	// forgot is when those were forgotten last that have to be read again.
	forgot time.Time
}

type namespaceLabels struct {
	labels      labels.Set
	annotations map[string]string
	read        time.Time
}

// allows reports whether resources of a namespace may use a provider configuration. One of kind
// ProviderConfig is for its own namespace, and resolved there.
func (a *Admission) allows(ctx context.Context, config *unstructured.Unstructured, namespace string) (bool, error) {
	if config.GetKind() != model.ClusterProviderConfigKind {
		return true, nil
	}
	spec, _ := config.Object["spec"].(map[string]any)
	raw, given := spec[model.AllowedNamespaces]
	if !given || raw == nil {
		return !a.Listed, nil
	}
	fields, ok := raw.(map[string]any)
	if !ok {
		return false, fmt.Errorf("spec.%s is not an object", model.AllowedNamespaces)
	}
	var allowed managed.AllowedNamespaces
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &allowed); err != nil {
		return false, fmt.Errorf("spec.%s cannot be read: %w", model.AllowedNamespaces, err)
	}
	if slices.Contains(allowed.Names, namespace) {
		return true, nil
	}
	if allowed.Selector == nil {
		return false, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(allowed.Selector)
	switch {
	case err != nil:
		return false, fmt.Errorf("spec.%s.selector is invalid: %w", model.AllowedNamespaces, err)
	case selector.Empty():
		return true, nil
	}
	has, err := a.labels(ctx, namespace)
	return err == nil && selector.Matches(has), err
}

// admitted returns the users of namespaces that may use a configuration. Others do not keep it from
// being deleted.
func (a *Admission) admitted(ctx context.Context, config *unstructured.Unstructured, users []User) []User {
	return slices.DeleteFunc(slices.Clone(users), func(u User) bool {
		allowed, err := a.allows(ctx, config, u.Namespace)
		return err == nil && !allowed
	})
}

// labels returns the labels of a namespace.
func (a *Admission) labels(ctx context.Context, namespace string) (labels.Set, error) {
	out, err := a.namespace(ctx, namespace)
	return out.labels, err
}

// Annotation returns the value of an annotation of a namespace; empty if it has none.
func (a *Admission) Annotation(ctx context.Context, namespace, name string) (string, error) {
	out, err := a.namespace(ctx, namespace)
	return out.annotations[name], err
}

// namespace returns the labels and annotations of a namespace.
func (a *Admission) namespace(ctx context.Context, namespace string) (namespaceLabels, error) {
	a.mu.Lock()
	known, ok := a.known[namespace]
	a.mu.Unlock()
	if ok && time.Since(known.read) < labelsTTL {
		return known, nil
	}
	object := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
	err := a.Live.Get(ctx, client.ObjectKey{Name: namespace}, object)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		delete(a.known, namespace)
		return namespaceLabels{}, fmt.Errorf("the labels and annotations of namespace %s cannot be read: %w", namespace, err)
	}
	if a.known == nil {
		a.known = map[string]namespaceLabels{}
	}
	out := namespaceLabels{labels: object.GetLabels(), annotations: object.GetAnnotations(), read: time.Now()}
	a.known[namespace] = out
	if out.read.Sub(a.forgot) >= labelsTTL {
		a.forgot = out.read
		maps.DeleteFunc(a.known, func(_ string, x namespaceLabels) bool { return out.read.Sub(x.read) >= labelsTTL })
	}
	return out, nil
}
