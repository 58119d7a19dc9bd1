package health_test

import (
	"context"
	"errors"
	"fmt"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fluxExpressions are the healthCheckExprs of a Kustomization, for one kind.
type fluxExpressions struct {
	InProgress string `json:"inProgress"`
	Failed     string `json:"failed"`
	Current    string `json:"current"`
}

// fluxEvaluator evaluates expressions as package cel of github.com/fluxcd/pkg/runtime does (RFC
// 0009 of Flux): it looks at the generation first, and then at InProgress, Failed and Current. An
// error of an expression is an error.
type fluxEvaluator struct {
	programs []cel.Program
	statuses []kstatus.Status
}

func newFluxEvaluator(e fluxExpressions) (*fluxEvaluator, error) {
	// The environment and the options are Flux's. Expressions are parsed, not checked.
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders())
	if err != nil {
		return nil, err
	}
	out := &fluxEvaluator{statuses: []kstatus.Status{kstatus.InProgressStatus, kstatus.FailedStatus, kstatus.CurrentStatus}}
	for _, expression := range []string{e.InProgress, e.Failed, e.Current} {
		if expression == "" {
			return nil, errors.New("an expression is missing")
		}
		parsed, issues := env.Parse(expression)
		if issues.Err() != nil {
			return nil, fmt.Errorf("%s: %w", expression, issues.Err())
		}
		program, err := env.Program(parsed, cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(100))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", expression, err)
		}
		out.programs = append(out.programs, program)
	}
	return out, nil
}

func (e *fluxEvaluator) evaluate(ctx context.Context, u *unstructured.Unstructured) (kstatus.Status, error) {
	observed, found, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if found && observed != u.GetGeneration() {
		return kstatus.InProgressStatus, nil
	}
	for i, program := range e.programs {
		value, _, err := program.ContextEval(ctx, u.Object)
		if err != nil {
			return "", err
		}
		if value == types.True {
			return e.statuses[i], nil
		}
	}
	return kstatus.InProgressStatus, nil
}
