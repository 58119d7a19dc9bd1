package conversion

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/evolution"
)

// definitions creates the converters of kinds from the definitions in the cluster, when they are
// needed.
type definitions struct {
	// names has the names of the definitions of the program's kinds.
	names map[schema.GroupKind]string
	get   func(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error)

	mu    sync.Mutex
	known map[string]known
	// latest has the definitions as last watched. They may be newer than those known.
	latest map[string]incarnation
}

type known struct {
	incarnation
	*evolution.Converter
}

// convert implements Convert.
func (d *definitions) convert(
	ctx context.Context, kind schema.GroupVersionKind, object map[string]any, to schema.GroupVersion,
) (map[string]any, error) {
	name, ok := d.names[kind.GroupKind()]
	if !ok {
		return nil, fmt.Errorf("%s is not a kind of this program", kind.GroupKind())
	}
	c, err := d.converter(ctx, name, kind.Version, to.Version)
	if err != nil {
		return nil, err
	}
	return c.Convert(object, to.Version)
}

// converter returns the converter of a definition. It reads the definition if it changed or lacks
// one of the versions.
func (d *definitions) converter(ctx context.Context, name string, versions ...string) (*evolution.Converter, error) {
	d.mu.Lock()
	k, ok := d.known[name]
	latest, watched := d.latest[name]
	d.mu.Unlock()
	if ok && (!watched || latest == k.incarnation) {
		have := k.Versions()
		if !slices.ContainsFunc(versions, func(v string) bool { return !slices.Contains(have, v) }) {
			return k.Converter, nil
		}
	}
	crd, err := d.get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the definition of the kind: %w", err)
	}
	c, err := evolution.NewConverter(crd)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[name] = known{incarnation{crd.UID, crd.Generation}, c}
	return c, nil
}

// observe records the latest metadata of a definition; nil if it was deleted.
func (d *definitions) observe(name string, o *metav1.PartialObjectMetadata) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o == nil {
		delete(d.latest, name)
		delete(d.known, name)
		return
	}
	d.latest[name] = incarnation{o.UID, o.Generation}
}
