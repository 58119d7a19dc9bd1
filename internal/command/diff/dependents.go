package diff

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// planDependents plans the resources of the cluster that depend on those whose objects would be
// replaced, and what depends on these if they would be replaced, too. It says which of them would
// prevent the replacement. Resources of other namespaces are counted only.
func (p *planner) planDependents(ctx context.Context) {
	elsewhere := map[types.UID]bool{}
	var names, refused []string
	lists := lists{}
	for {
		found := p.dependents(ctx, lists, elsewhere)
		if len(found) == 0 {
			break
		}
		for _, r := range found {
			p.overlay.Add(r.object)
			names = append(names, r.name())
		}
		for _, level := range local.Levels(found) {
			p.plan(ctx, level)
		}
		for _, r := range found {
			if why := p.refusal(r); why != "" {
				refused = append(refused, r.name()+" "+why)
			}
		}
	}
	p.list(names, "Dependents of what is replaced",
		"These are in the cluster, depend on objects that would be replaced, and are planned, too: %s.")
	users := p.users(ctx, lists, elsewhere)
	names = nil
	for _, r := range users {
		names = append(names, r.name())
		if paused(r.object) {
			refused = append(refused, r.name()+" is paused")
		}
	}
	p.list(names, "Users of a provider configuration", "Nothing would be done to these until the objects are "+
		"replaced from which their provider configuration takes values: %s.")
	p.list(refused, "Replacement prevented", "The controller would replace nothing that these depend on: %s.")
	if len(elsewhere) > 0 {
		p.report(diagnostic.Warning, "", "Dependents in other namespaces", "%d resources in other namespaces depend "+
			"on objects that would be replaced. They are not planned.", len(elsewhere))
	}
}

// list reports a warning about resources, if there are any.
func (p *planner) list(names []string, summary, detail string) {
	if len(names) > 0 {
		slices.Sort(names)
		p.report(diagnostic.Warning, "", summary, detail, strings.Join(names, ", "))
	}
}

func (r *planned) name() string {
	return fmt.Sprintf("%s %s/%s", r.model.Kind, r.object.GetNamespace(), r.object.GetName())
}

func paused(u *unstructured.Unstructured) bool {
	policies, given, _ := unstructured.NestedStringSlice(u.Object, "spec", "managementPolicies")
	return u.GetAnnotations()[meta.AnnotationKeyReconciliationPaused] == "true" || given && len(policies) == 0
}

// refusal returns why a dependent, which was planned, would prevent the replacement; empty if it
// would not. What policies deny is reported with them.
func (p *planner) refusal(r *planned) string {
	switch {
	case paused(r.object):
		return "is paused"
	case p.later[r.key()]:
		return "" // it is changed afterwards
	}
	for _, c := range p.out.Changes {
		m := c.Resource
		if m.Model != r.model || m.Namespace != r.object.GetNamespace() || m.Name != r.object.GetName() || c.Deposed != "" {
			continue
		}
		switch {
		case c.Held != "":
			return "may not be changed: " + c.Held
		case m.Config == nil:
			return "is only observed"
		}
		return ""
	}
	if slices.ContainsFunc(p.out.Waiting, func(w Waiting) bool {
		return w.Kind == r.model.Kind && w.Namespace == r.object.GetNamespace() && w.Name == r.object.GetName()
	}) {
		return "waits for other resources"
	}
	return "cannot be planned"
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

// namespaces returns those whose resources may depend on what would be replaced; the empty one
// stands for all of them.
func (p *planner) namespaces() map[string]bool {
	out := map[string]bool{}
	for key, u := range p.replaced {
		out[key.Namespace] = true
		if u.GetAnnotations()[v1alpha1.AnnotationReferableFrom] != "" {
			out[""] = true // that is all
		}
	}
	return out
}

// dependents returns the resources of the cluster that refer to those whose objects would be
// replaced, or read their connection Secrets, and are not planned yet.
func (p *planner) dependents(ctx context.Context, lists lists, elsewhere map[types.UID]bool) (out []*planned) {
	if len(p.replaced) == 0 {
		return nil
	}
	for namespace := range p.namespaces() {
		p.each(ctx, lists, namespace, func(r *planned) {
			of := p.refersToReplaced(r)
			switch {
			case of == nil || p.overlay.Like(r.object) != nil || slices.ContainsFunc(out, func(x *planned) bool { return x.key() == r.key() }):
			case of.Namespace != r.object.GetNamespace():
				elsewhere[r.object.GetUID()] = true
			default:
				out = append(out, r)
			}
		})
	}
	return out
}

// each calls a function with the resources of the cluster in a namespace.
func (p *planner) each(ctx context.Context, lists lists, namespace string, f func(*planned)) {
	for i := range p.presented {
		for _, m := range p.presented[i].Model.Resources {
			if _, served := p.served(m.GroupVersionKind().GroupKind()); !served {
				continue
			}
			items := lists.of(ctx, p.Client, m.ListGroupVersionKind(), namespace)
			for j := range items {
				f(&planned{provider: &p.presented[i], model: m, object: &items[j]})
			}
		}
	}
}

// refersToReplaced returns a resource whose object would be replaced, and that another one refers
// to, or whose connection Secret it reads; nil if there is none.
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
	for _, secret := range references.SecretsRead(r.object) {
		if of := p.writerOf(types.NamespacedName{Namespace: r.object.GetNamespace(), Name: secret}); of != nil && *of != r.key() {
			return of
		}
	}
	return nil
}

// writerOf returns the resource whose object would be replaced, and that writes a Secret; nil if
// there is none.
func (p *planner) writerOf(secret types.NamespacedName) *store.Key {
	for of, u := range p.replaced {
		if of.Namespace == secret.Namespace && secret.Name != "" && references.SecretWritten(u) == secret.Name {
			return &of
		}
	}
	return nil
}

// knownLater reports whether the value of a Secret is known only when an object is replaced: keys
// of attributes that the plan does not change stay as they are.
func (p *planner) knownLater(ref translate.SecretKeySelector) bool {
	of := p.writerOf(types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name})
	if of == nil {
		return false
	}
	path, isAttribute := strings.CutPrefix(ref.Key, "attribute.")
	name, _, _ := strings.Cut(path, ".")
	plan := p.plans[*of]
	if before := plan.Prior.State; isAttribute && before != cty.NilVal && !before.IsNull() && before.Type().HasAttribute(name) {
		after := plan.State.GetAttr(name)
		return !after.IsWhollyKnown() || !after.RawEquals(before.GetAttr(name))
	}
	return true
}

// users returns the resources of the cluster that use a provider configuration which reads the
// connection Secret of one whose object would be replaced, and are not planned.
func (p *planner) users(ctx context.Context, lists lists, elsewhere map[types.UID]bool) (out []*planned) {
	for i := range p.presented {
		of := &p.presented[i]
		for _, kind := range []string{model.ProviderConfigKind, model.ClusterProviderConfigKind} {
			if of.module != nil {
				continue // its providers have configurations
			}
			configs := lists.of(ctx, p.overlay, schema.GroupVersionKind{Group: of.Model.Group, Version: of.Model.Version, Kind: kind + "List"}, "")
			for j := range configs {
				config := &configs[j]
				k := slices.IndexFunc(providerconfig.SecretsOf(config), func(s types.NamespacedName) bool { return p.writerOf(s) != nil })
				if k < 0 {
					continue
				}
				writer := p.writerOf(providerconfig.SecretsOf(config)[k])
				p.each(ctx, lists, config.GetNamespace(), func(r *planned) {
					switch {
					case !r.uses(of, config) || p.overlay.Like(r.object) != nil:
					case r.object.GetNamespace() != writer.Namespace:
						elsewhere[r.object.GetUID()] = true
					case r.key() != *writer:
						out = append(out, r)
					}
				})
			}
		}
	}
	return out
}

// uses reports whether a resource uses a configuration of a provider.
func (r *planned) uses(of *LocalProvider, config *unstructured.Unstructured) bool {
	if m := r.provider.module; m == nil && r.provider != of || m != nil && !slices.Contains(slices.Collect(maps.Values(m.Providers)), of) {
		return false
	}
	names := func(path ...string) bool {
		ref, _, _ := unstructured.NestedStringMap(r.object.Object, path...)
		return cmp.Or(ref["kind"], model.ClusterProviderConfigKind) == config.GetKind() &&
			cmp.Or(ref["name"], providerconfig.DefaultName) == config.GetName()
	}
	named, _, _ := unstructured.NestedMap(r.object.Object, "spec", "providerConfigRefs")
	for key := range named {
		if names("spec", "providerConfigRefs", key) {
			return true
		}
	}
	return names("spec", "providerConfigRef")
}
