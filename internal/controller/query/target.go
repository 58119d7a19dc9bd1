package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Provider is a provider that is served.
type Provider struct {
	// Name of the TerraformProvider.
	Name    string
	Model   *model.Provider
	Configs Configs
}

// Configs resolves the provider configurations of a provider, as providerconfig.Resolver does.
type Configs interface {
	Name(of providerconfig.Reference) string
	Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[provider.Server]
	Access(ctx context.Context, of providerconfig.Reference) ownership.Access
}

// target is what a query lists.
type target struct {
	provider  Provider
	resource  *model.Resource
	list      *model.ListResource
	config    cty.Value
	reference *xpv2.ProviderConfigReference
	namespace string
	policies  []*policy.EstatePolicy
}

func (t *target) configuration() providerconfig.Reference {
	return providerconfig.ReferenceOf(t.reference, t.namespace)
}

// target returns what a query lists, or why it cannot.
func (r *Reconciler) target(q *v1alpha1.ResourceQuery) (*target, *problem) {
	p, problem := chosen(q, r.Providers(q.Spec.ResourceType))
	if problem != nil {
		return nil, problem
	}
	t := &target{
		provider: p, resource: p.Model.Resources[q.Spec.ResourceType],
		list: p.Model.ListResource(q.Spec.ResourceType), namespace: q.Namespace,
	}
	if t.list == nil {
		return nil, stalled(v1alpha1.ReasonNotListable, "The provider of TerraformProvider %s has no list resource "+
			"for %s. Name a type in spec.resourceType that it can list.", p.Name, q.Spec.ResourceType)
	}
	if ref := q.Spec.ProviderConfigRef; ref != nil {
		t.reference = &xpv2.ProviderConfigReference{Kind: ref.Kind, Name: ref.Name}
	}
	t.config, problem = configOf(q, t.list)
	return t, problem
}

// chosen returns the provider that a query uses, of those that have its resource type.
func chosen(q *v1alpha1.ResourceQuery, having []Provider) (Provider, *problem) {
	if name := q.Spec.TerraformProvider; name != "" {
		having = slices.DeleteFunc(slices.Clone(having), func(p Provider) bool { return p.Name != name })
	}
	names := make([]string, 0, len(having))
	for _, p := range having {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	switch {
	case len(having) == 1:
		return having[0], nil
	case len(having) > 1:
		return Provider{}, stalled(v1alpha1.ReasonInvalidConfiguration,
			"The TerraformProviders %s have the resource type %s. Name one in spec.terraformProvider.",
			strings.Join(names, ", "), q.Spec.ResourceType)
	case q.Spec.TerraformProvider != "":
		return Provider{}, waiting(v1alpha1.ReasonProviderNotRunning,
			"The TerraformProvider %s is not served, or has no resource type %s. Correct spec.terraformProvider or "+
				"spec.resourceType, or install the provider.",
			q.Spec.TerraformProvider, q.Spec.ResourceType)
	}
	return Provider{}, waiting(v1alpha1.ReasonProviderNotRunning, "No provider that is served has the resource type "+
		"%s. Correct spec.resourceType, or install the provider.", q.Spec.ResourceType)
}

// configOf returns the arguments of a list resource.
func configOf(q *v1alpha1.ResourceQuery, l *model.ListResource) (cty.Value, *problem) {
	arguments := map[string]any{}
	if c := q.Spec.Config; c != nil {
		if err := json.Unmarshal(c.Raw, &arguments); err != nil {
			return cty.NilVal, stalled(v1alpha1.ReasonInvalidConfiguration, "spec.config is not an object: %s.", err)
		}
	}
	config, diags := translate.ListConfig(l, arguments, nil)
	if diags.HasErrors() {
		return cty.NilVal, invalidConfig(l, diags)
	}
	return config, nil
}

// invalidConfig is the problem that spec.config has errors.
func invalidConfig(l *model.ListResource, diags diagnostic.Diagnostics) *problem {
	lines := make([]string, 0, len(diags))
	for _, d := range diags.Errors() {
		lines = append(lines, d.Format(func(p cty.Path) string { return "spec.config" + strings.TrimPrefix(l.UserPath(p), l.Type) }))
	}
	return stalled(v1alpha1.ReasonInvalidConfiguration, "%s", strings.Join(lines, "\n"))
}

// Preview returns why a query cannot run, as far as it can be told without a provider
// configuration.
func (r *Reconciler) Preview(u *unstructured.Unstructured) []string {
	q := &v1alpha1.ResourceQuery{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, q); err != nil {
		return nil // the API server refuses it
	}
	if _, problem := r.target(q); problem != nil {
		return strings.Split(problem.message, "\n")
	}
	return nil
}

// elsewhere and placing are when a query is looked at again that another replica works on, and one
// whose provider configuration is being placed.
const (
	elsewhere = time.Minute
	placing   = 2 * time.Second
)

// belongs reports whether this controller works on a query now. If not, it is reconciled again
// after the duration.
func (r *Reconciler) belongs(ctx context.Context, t *target) (here bool, again time.Duration, _ error) {
	name := t.provider.Configs.Name(t.configuration())
	if r.Shards != nil {
		use := shard.Use{Configurations: []string{name}, Types: []string{t.resource.Type}}
		switch r.Shards.Belong(use) {
		case managed.Elsewhere:
			return false, elsewhere, nil
		case managed.Unplaced:
			h := t.provider.Configs.Resolve(ctx, t.reference, t.namespace)
			if h.Denied || h.Missing {
				return true, 0, nil // it has no place: this shard tells why
			}
			return false, placing, r.Shards.Place(ctx, []ownership.Access{{Configuration: name, Account: h.Account}}, use.Types)
		}
	}
	return r.Active(t.resource.GroupVersionKind().GroupKind(), name), placing, nil
}

// matching returns the policies that judge the objects of a type in a namespace.
func matching(all []*policy.EstatePolicy, resourceType, namespace string) (out []*policy.EstatePolicy) {
	for _, p := range all {
		if p.Matches(resourceType, namespace) {
			out = append(out, p)
		}
	}
	return out
}

// notServedAgain is when a query is looked at again whose provider is not served.
const notServedAgain = 15 * time.Second

// problem is why a query has no result.
type problem struct {
	reason  xpv2.ConditionReason
	message string
	// stalled is set if it lasts until the spec, or what it refers to, changes.
	stalled bool
	// passing is set if it ends within seconds and is not reported.
	passing bool
	// retryAt is when the next attempt is; zero: after a delay.
	retryAt time.Time
}

func stalled(reason xpv2.ConditionReason, format string, args ...any) *problem {
	return &problem{reason: reason, message: fmt.Sprintf(format, args...), stalled: true}
}

func waiting(reason xpv2.ConditionReason, format string, args ...any) *problem {
	return &problem{reason: reason, message: fmt.Sprintf(format, args...)}
}

// again returns when a query with the problem is reconciled again.
func (p *problem) again(q *v1alpha1.ResourceQuery) time.Duration {
	switch {
	case !p.retryAt.IsZero():
		return max(time.Until(p.retryAt), 10*time.Millisecond)
	case p.stalled:
		return intervalOf(q)
	}
	return min(intervalOf(q), notServedAgain)
}
