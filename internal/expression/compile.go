package expression

import (
	"errors"
	"strings"

	"github.com/google/cel-go/cel"
)

// maxCost bounds what one evaluation may cost, in CEL's units. Kubernetes has the same limit for an
// expression.
const maxCost = 1_000_000

// Compile returns the program of an expression, whose result has a type that check accepts.
func Compile(env *cel.Env, expression string, check func(*cel.Type) error) (cel.Program, error) {
	return compile(env, expression, func(*cel.Ast) {}, check)
}

// compile compiles an expression that prepare may change once it is parsed.
func compile(env *cel.Env, expression string, prepare func(*cel.Ast), check func(*cel.Type) error) (cel.Program, error) {
	ast, issues := env.Parse(expression)
	if issues != nil && issues.Err() != nil {
		return nil, issues.Err()
	}
	prepare(ast)
	if ast, issues = env.Check(ast); issues != nil && issues.Err() != nil {
		return nil, issues.Err()
	}
	if err := check(ast.OutputType()); err != nil {
		return nil, err
	}
	return env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100))
}

// FirstLine returns an error with the first line of its text: CEL shows the place in the expression
// below it.
func FirstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}
