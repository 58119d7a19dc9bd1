package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// planDependents plans the resources of the cluster that refer to those whose objects would be
// replaced, and what refers to these if they would be replaced, too. Resources of other namespaces
// are counted only.
func (p *planner) planDependents(ctx context.Context) {
	elsewhere := map[types.UID]bool{}
	var names []string
	lists := lists{}
	for {
		found := p.dependents(ctx, lists, elsewhere)
		if len(found) == 0 {
			break
		}
		for _, r := range found {
			p.overlay.Add(r.object)
			names = append(names, fmt.Sprintf("%s %s/%s", r.model.Kind, r.object.GetNamespace(), r.object.GetName()))
		}
		for _, level := range local.Levels(found) {
			p.plan(ctx, level)
		}
	}
	if len(names) > 0 {
		slices.Sort(names)
		p.report(diagnostic.Warning, "", "Dependents of what is replaced", "These are in the cluster, refer to objects that would be replaced, and are planned, too: %s.", strings.Join(names, ", "))
	}
	if len(elsewhere) > 0 {
		p.report(diagnostic.Warning, "", "Dependents in other namespaces", "%d resources in other namespaces refer to objects that would be replaced. They are not planned.", len(elsewhere))
	}
}

// lists has the resources of each kind in a namespace, or in all of them, that were read.
type lists map[listed]*unstructured.UnstructuredList

type listed struct {
	kind      schema.GroupVersionKind
	namespace string
}

// of returns the resources of a kind in a namespace, of which it reads each list once; none if the
// user may not see them.
func (l lists) of(ctx context.Context, c client.Reader, kind schema.GroupVersionKind, namespace string) []unstructured.Unstructured {
	key := listed{kind, namespace}
	if l[key] == nil {
		l[key] = &unstructured.UnstructuredList{}
		l[key].SetGroupVersionKind(kind)
		if c.List(ctx, l[key], client.InNamespace(namespace)) != nil {
			l[key].Items = nil
		}
	}
	return l[key].Items
}

// dependents returns the resources of the cluster that refer to those whose objects would be
// replaced, and are not planned yet.
func (p *planner) dependents(ctx context.Context, lists lists, elsewhere map[types.UID]bool) []*planned {
	if len(p.replaced) == 0 {
		return nil
	}
	namespaces := map[string]bool{}
	for key, u := range p.replaced {
		namespaces[key.Namespace] = true
		if u.GetAnnotations()[v1alpha1.AnnotationReferableFrom] != "" {
			namespaces[""] = true // that is all
		}
	}
	var out []*planned
	for i := range p.presented {
		for _, m := range p.presented[i].Model.Resources {
			if _, served := p.served(m.GroupVersionKind().GroupKind()); !served {
				continue
			}
			for namespace := range namespaces {
				items := lists.of(ctx, p.Client, m.ListGroupVersionKind(), namespace)
				for j := range items {
					r := &planned{provider: &p.presented[i], model: m, object: &items[j]}
					of := p.refersToReplaced(r)
					switch {
					case of == nil || p.overlay.Like(r.object) != nil || slices.ContainsFunc(out, func(x *planned) bool { return x.key() == r.key() }):
					case of.Namespace != r.object.GetNamespace():
						elsewhere[r.object.GetUID()] = true
					default:
						out = append(out, r)
					}
				}
			}
		}
	}
	return out
}

// refersToReplaced returns a resource that another one refers to and whose object would be
// replaced; nil if there is none.
func (p *planner) refersToReplaced(r *planned) *store.Key {
	refs, err := references.Of(r.object, r.model)
	if r.references = refs; err != nil || r.object.GetDeletionTimestamp() != nil {
		return nil
	}
	for _, key := range references.Keys(refs) {
		for of := range p.replaced {
			if of == key || key.Name == "" && of.Group == key.Group && of.Kind == key.Kind && of.Namespace == key.Namespace { // it may select it
				return &of
			}
		}
	}
	return nil
}
