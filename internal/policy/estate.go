package policy

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// EstatePolicy is a compiled v1alpha1.EstatePolicy.
type EstatePolicy struct {
	// Name of the EstatePolicy, and Generation of what was compiled.
	Name       string
	Generation int64

	match       v1alpha1.EstatePolicyMatch
	validations []validation
	invalid     error
}

type validation struct {
	message string
	program cel.Program
	invalid error
}

// CompileEstate returns the policy of an EstatePolicy. All objects that it matches violate a
// validation that cannot be compiled.
func CompileEstate(p *v1alpha1.EstatePolicy) *EstatePolicy {
	out := &EstatePolicy{
		Name: p.Name, Generation: p.Generation, match: p.Spec.Match,
		invalid: validatePatterns(p.Spec.Match.ResourceTypes, p.Spec.Match.Namespaces),
	}
	for i, v := range p.Spec.Validations {
		compiled := validation{message: cmp.Or(v.Message, "the expression "+v.Expression+" is false.")}
		compiled.program, compiled.invalid = compileIn(estateEnvironment, "the expression", v.Expression)
		if compiled.invalid != nil && out.invalid == nil {
			out.invalid = fmt.Errorf("spec.validations[%d].expression: %w", i, compiled.invalid)
		}
		out.validations = append(out.validations, compiled)
	}
	return out
}

// Invalid returns why the policy cannot be evaluated; nil if it can.
func (p *EstatePolicy) Invalid() error { return p.invalid }

// Matches reports whether the policy judges the objects of a resource type that a ResourceQuery in
// a namespace finds.
func (p *EstatePolicy) Matches(resourceType, namespace string) bool {
	return matchesAny(p.match.ResourceTypes, resourceType) && matchesAny(p.match.Namespaces, namespace)
}

// Found is an object that a ResourceQuery has found, as validations see it.
type Found struct {
	Model *model.Resource
	// Configuration is the provider configuration of the query.
	Configuration Configuration
	Query         QueryMeta
	DisplayName   string
	Identity      cty.Value
	// State is the object's state; cty.NilVal if it is not known.
	State cty.Value
	// Managed is set if a resource manages the object, and Declared if one only describes it.
	Managed, Declared bool
	// Owner is that resource; empty if there is none.
	Owner OwnerMeta
}

// QueryMeta identifies a ResourceQuery.
type QueryMeta struct {
	Namespace, Name string
	Labels          map[string]string
}

// OwnerMeta identifies the resource that manages or describes an object.
type OwnerMeta struct{ Kind, Namespace, Name string }

// Violated is a validation that an object violates.
type Violated struct{ Policy, Message string }

// Judge returns the validations of policies that an object violates.
func Judge(ctx context.Context, policies []*EstatePolicy, f Found, now time.Time) (out []Violated) {
	var variables map[string]any
	for _, p := range policies {
		if !p.Matches(f.Model.Type, f.Query.Namespace) {
			continue
		}
		if variables == nil {
			variables = f.variables(now)
		}
		for _, v := range p.validations {
			if message, violated := v.judge(ctx, variables); violated {
				out = append(out, Violated{p.Name, message})
			}
		}
	}
	return out
}

func (v validation) judge(ctx context.Context, variables map[string]any) (message string, violated bool) {
	if v.invalid != nil {
		return fmt.Sprintf("it cannot be used, so every object that it matches violates it: %s", expression.FirstLine(v.invalid)), true
	}
	value, _, err := v.program.ContextEval(ctx, variables)
	if err != nil {
		return fmt.Sprintf("it cannot be evaluated, so it counts as violated: %s", expression.FirstLine(err)), true
	}
	return v.message, value.Value() != true
}

// variables returns the variables of validations.
func (f Found) variables(now time.Time) map[string]any {
	var object any
	if f.State != cty.NilVal {
		object = translate.Observation(f.Model, f.State)
	}
	return map[string]any{
		"object": object, "identity": translate.Identity(f.Model, f.Identity), "displayName": f.DisplayName,
		"managed": f.Managed, "declared": f.Declared, "resourceType": f.Model.Type, "configuration": f.Configuration.variable(), "now": now,
		"owner": map[string]any{"kind": f.Owner.Kind, "namespace": f.Owner.Namespace, "name": f.Owner.Name},
		"query": map[string]any{"namespace": f.Query.Namespace, "name": f.Query.Name, "labels": labelsOr(f.Query.Labels)},
	}
}
