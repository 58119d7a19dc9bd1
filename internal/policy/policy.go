package policy

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/google/cel-go/cel"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/expression"
)

// Policy is a compiled PlanPolicy.
type Policy struct {
	// Name of the PlanPolicy.
	Name string

	spec    v1alpha1.PlanPolicySpec
	program cel.Program
	invalid error
}

// Compile returns the policy of a PlanPolicy. A policy that cannot be compiled acts on all plans
// that it matches.
func Compile(p *v1alpha1.PlanPolicy) *Policy {
	out := &Policy{Name: p.Name, spec: p.Spec}
	out.program, out.invalid = compile(p.Spec.Condition)
	if out.invalid == nil {
		out.invalid = validate(&p.Spec)
	}
	return out
}

// validate checks what the API server checks, for policies of files, and the patterns.
func validate(spec *v1alpha1.PlanPolicySpec) error {
	switch spec.Action {
	case v1alpha1.PlanPolicyDeny, v1alpha1.PlanPolicyRequireApproval, v1alpha1.PlanPolicyWarn:
	default:
		return fmt.Errorf("spec.action is %q: it must be Deny, RequireApproval or Warn", spec.Action)
	}
	return validatePatterns(spec.Match.Groups, spec.Match.Kinds, spec.Match.Namespaces)
}

func validatePatterns(all ...[]string) error {
	for _, pattern := range slices.Concat(all...) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("the pattern %q of spec.match cannot be used: %w", pattern, err)
		}
	}
	return nil
}

// Invalid returns why the policy cannot be evaluated; nil if it can.
func (p *Policy) Invalid() error { return p.invalid }

// Result is what a policy decides about a plan that it acts on.
type Result struct {
	Policy string                    `json:"policy"`
	Action v1alpha1.PlanPolicyAction `json:"action"`
	// Message tells users why.
	Message string `json:"message"`
}

// String returns the message with the name of the policy.
func (r Result) String() string { return fmt.Sprintf("PlanPolicy %s: %s", r.Policy, r.Message) }

// decide returns what the policy decides; false if it does not act on the plan.
func (p *Policy) decide(ctx context.Context, in Input, now time.Time) (Result, bool) {
	if !p.matches(in.Resource) {
		return Result{}, false
	}
	out := Result{
		Policy: p.Name, Action: cmp.Or(p.spec.Action, v1alpha1.PlanPolicyDeny),
		Message: cmp.Or(p.spec.Message, "the condition of the policy is met."),
	}
	if p.invalid != nil {
		out.Message = fmt.Sprintf("it cannot be used, so it acts on every plan that it matches: %s", expression.FirstLine(p.invalid))
		return out, true
	}
	value, _, err := p.program.ContextEval(ctx, in.variables(now))
	if err != nil {
		out.Message = fmt.Sprintf("its condition cannot be evaluated, so it counts as met: %s", expression.FirstLine(err))
		return out, true
	}
	return out, value.Value() == true
}

func (p *Policy) matches(r ResourceMeta) bool {
	m := p.spec.Match
	return matchesAny(m.Groups, r.Group) && matchesAny(m.Kinds, r.Kind) && matchesAny(m.Namespaces, r.Namespace)
}

// matchesAny reports whether a name matches one of some patterns; any name if there are none. A
// pattern that cannot be used matches.
func matchesAny(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok || err != nil
	})
}

// Verdict is what policies decide about a plan.
type Verdict struct {
	// Denied are the policies that deny the plan, Approval those that require an approval, and
	// Warnings the others.
	Denied, Approval, Warnings []Result
}

// Decide returns what policies decide about a plan at a time.
func Decide(ctx context.Context, policies []*Policy, in Input, now time.Time) Verdict {
	var out Verdict
	for _, p := range policies {
		r, acts := p.decide(ctx, in, now)
		switch {
		case !acts:
		case r.Action == v1alpha1.PlanPolicyWarn:
			out.Warnings = append(out.Warnings, r)
		case r.Action == v1alpha1.PlanPolicyRequireApproval:
			out.Approval = append(out.Approval, r)
		default:
			out.Denied = append(out.Denied, r)
		}
	}
	return out
}

// Results returns all results, the strictest first.
func (v Verdict) Results() []Result { return slices.Concat(v.Denied, v.Approval, v.Warnings) }
