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

// definitions are the converters of kinds, made of the definitions in the cluster when they are needed.
type definitions struct {
	// names are those of the definitions of a program's kinds.
	names map[schema.GroupKind]string
	get   func(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error)

	mu    sync.Mutex
	known map[string]known
	// heard is what the API server has told of definitions, which may be newer.
	heard map[string]incarnation
}

type known struct {
	incarnation
	*evolution.Converter
}

// convert is a Convert.
func (d *definitions) convert(ctx context.Context, kind schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error) {
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

// converter is that of the definition of a name, as far as it is known, which has to have some versions.
func (d *definitions) converter(ctx context.Context, name string, versions ...string) (*evolution.Converter, error) {
	d.mu.Lock()
	k, ok := d.known[name]
	heard, told := d.heard[name]
	d.mu.Unlock()
	if ok && (!told || heard == k.incarnation) {
		have := k.Versions()
		if !slices.ContainsFunc(versions, func(v string) bool { return !slices.Contains(have, v) }) {
			return k.Converter, nil
		}
	}
	crd, err := d.get(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("the definition that says how to convert is not to be had: %w", err)
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

// hear is told what there is of a definition; nil if it is gone.
func (d *definitions) hear(name string, o *metav1.PartialObjectMetadata) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o == nil {
		delete(d.heard, name)
		delete(d.known, name)
		return
	}
	d.heard[name] = incarnation{o.UID, o.Generation}
}
