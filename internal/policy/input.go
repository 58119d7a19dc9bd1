package policy

import (
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Input is a plan and its resource, as conditions see them.
type Input struct {
	Resource ResourceMeta
	Model    *model.Resource
	Plan     *terraform.Plan
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
	for _, c := range translate.AllChanges(in.Model, p.Prior.State, p.State, translate.Concealed(in.Model, slices.Concat(p.Prior.SensitivePaths, p.SensitivePaths))...) {
		changes = append(changes, map[string]any{
			"path": c.Path, "before": c.Before, "after": c.After, "sensitive": c.BeforeSensitive || c.AfterSensitive, "unknown": c.AfterUnknown,
			"replaces": p.Action.IsReplace() && slices.ContainsFunc(p.RequiresReplace, func(x cty.Path) bool { return x.HasPrefix(c.Attribute) || c.Attribute.HasPrefix(x) }),
		})
	}
	contained := []any{}
	for _, c := range p.Contained {
		contained = append(contained, map[string]any{"address": c.Address, "action": string(c.Action)})
	}
	labels := in.Resource.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	return map[string]any{
		"now": now,
		"plan": map[string]any{
			"action": string(p.Action), "reason": string(p.Reason),
			"creates":  p.Action == terraform.Create || p.Action.IsReplace(),
			"destroys": p.Action == terraform.Delete || p.Action.IsReplace() || len(p.Destroys()) > 0,
			"changes":  changes, "resources": contained,
		},
		"resource": map[string]any{
			"group": in.Resource.Group, "kind": in.Resource.Kind, "namespace": in.Resource.Namespace, "name": in.Resource.Name,
			"type": in.Model.Type, "labels": labels,
		},
	}
}
