package policy

import (
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Input is a plan and its resource, as conditions see them.
type Input struct {
	Resource ResourceMeta
	// Configurations are the provider configurations that the resource uses: one, or several if it
	// is a module.
	Configurations []Configuration
	Model          *model.Resource
	Plan           *terraform.Plan
}

// Configuration identifies a provider configuration.
type Configuration struct {
	// Namespace is empty for a ClusterProviderConfig.
	Kind, Namespace, Name string
	UID                   types.UID
	Labels                map[string]string
	// Account is the one that a ClusterProviderConfig declares to be for; empty without a
	// declaration. That of a ProviderConfig does not count: whoever may write in one namespace
	// could claim any.
	Account string
}

// ConfigurationOf returns the Configuration of an object in the cluster or a manifest.
func ConfigurationOf(kind string, o metav1.Object) Configuration {
	out := Configuration{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(), Labels: o.GetLabels()}
	if kind == model.ClusterProviderConfigKind {
		out.Namespace, out.Account = "", o.GetAnnotations()[v1alpha1.AnnotationAccount]
	}
	return out
}

// Same reports whether two are the same object, and declared to be for the same account.
func (c Configuration) Same(o Configuration) bool {
	return c.UID == o.UID && c.Kind == o.Kind && c.Namespace == o.Namespace && c.Name == o.Name && c.Account == o.Account
}

func (c Configuration) variable() map[string]any {
	return map[string]any{
		"kind": c.Kind, "namespace": c.Namespace, "name": c.Name, "account": c.Account, "labels": labelsOr(c.Labels),
	}
}

func labelsOr(labels map[string]string) map[string]string {
	if labels == nil {
		return map[string]string{}
	}
	return labels
}

// ResourceMeta identifies the custom resource of a plan.
type ResourceMeta struct {
	Group, Kind, Namespace, Name string
	Labels                       map[string]string
}

// variables returns the variables of conditions.
func (in Input) variables(now time.Time) map[string]any {
	p := in.Plan
	changes := []any{}
	for _, c := range translate.AllChanges(in.Model, p.Prior.State, p.State,
		translate.Concealed(in.Model, slices.Concat(p.Prior.SensitivePaths, p.SensitivePaths))...) {
		changes = append(changes, map[string]any{
			"path": c.Path, "before": c.Before, "after": c.After, "sensitive": c.BeforeSensitive || c.AfterSensitive, "unknown": c.AfterUnknown,
			"replaces": p.Action.IsReplace() && slices.ContainsFunc(p.RequiresReplace,
				func(x cty.Path) bool { return x.HasPrefix(c.Attribute) || c.Attribute.HasPrefix(x) }),
		})
	}
	contained := []any{}
	for _, c := range p.Contained {
		contained = append(contained, map[string]any{"address": c.Address, "action": string(c.Action)})
	}
	configurations := []any{}
	for _, c := range in.Configurations {
		configurations = append(configurations, c.variable())
	}
	out := map[string]any{
		"now": now, "configurations": configurations,
		"plan": map[string]any{
			"action": string(p.Action), "reason": string(p.Reason),
			"creates":  p.Action == terraform.Create || p.Action.IsReplace(),
			"destroys": p.Action == terraform.Delete || p.Action.IsReplace() || len(p.Destroys()) > 0,
			"changes":  changes, "resources": contained,
		},
		"resource": map[string]any{
			"group": in.Resource.Group, "kind": in.Resource.Kind, "namespace": in.Resource.Namespace, "name": in.Resource.Name,
			"type": in.Model.Type, "labels": labelsOr(in.Resource.Labels),
		},
	}
	// With several, the variable has no value, so that a condition which does not consider that
	// cannot be evaluated.
	switch len(configurations) {
	case 0:
		out["configuration"] = Configuration{}.variable()
	case 1:
		out["configuration"] = configurations[0]
	}
	return out
}
