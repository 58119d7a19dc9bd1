package policy

import (
	"fmt"
	"sync"
	_ "time/tzdata" // conditions name time zones, and images may have none

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/landbridge-io/landbridge/internal/expression"
)

// The types of the variables. Values are maps with these fields.
var (
	planType     = types.NewObjectType("landbridge.Plan")
	changeType   = types.NewObjectType("landbridge.Change")
	childType    = types.NewObjectType("landbridge.ContainedResource")
	resourceType = types.NewObjectType("landbridge.Resource")
	// configurationType is that of a provider configuration.
	configurationType = types.NewObjectType("landbridge.Configuration")
	// ownerType is that of a resource that owns an object, and queryType that of a ResourceQuery.
	ownerType = types.NewObjectType("landbridge.Owner")
	queryType = types.NewObjectType("landbridge.Query")

	objects = map[string]map[string]*types.Type{
		planType.TypeName(): {
			"action": types.StringType, "reason": types.StringType, "creates": types.BoolType, "destroys": types.BoolType,
			"changes": types.NewListType(changeType), "resources": types.NewListType(childType),
		},
		changeType.TypeName(): {
			"path": types.StringType, "before": types.DynType, "after": types.DynType,
			"sensitive": types.BoolType, "unknown": types.BoolType, "replaces": types.BoolType,
		},
		childType.TypeName(): {"address": types.StringType, "action": types.StringType},
		resourceType.TypeName(): {
			"group": types.StringType, "kind": types.StringType, "namespace": types.StringType, "name": types.StringType,
			"type": types.StringType, "labels": types.NewMapType(types.StringType, types.StringType),
		},
		configurationType.TypeName(): {
			"kind": types.StringType, "namespace": types.StringType, "name": types.StringType, "account": types.StringType,
			"labels": types.NewMapType(types.StringType, types.StringType),
		},
		ownerType.TypeName(): {"kind": types.StringType, "namespace": types.StringType, "name": types.StringType},
		queryType.TypeName(): {
			"namespace": types.StringType, "name": types.StringType, "labels": types.NewMapType(types.StringType, types.StringType),
		},
	}
)

// environment has the variables and functions of the conditions of PlanPolicies, and
// estateEnvironment those of the validations of EstatePolicies.
var (
	environment = sync.OnceValues(func() (*cel.Env, error) {
		return environmentWith(cel.Variable("plan", planType), cel.Variable("resource", resourceType),
			cel.Variable("configuration", configurationType), cel.Variable("configurations", types.NewListType(configurationType)))
	})
	estateEnvironment = sync.OnceValues(func() (*cel.Env, error) {
		return environmentWith(cel.Variable("object", types.DynType), cel.Variable("identity", types.NewMapType(types.StringType, types.DynType)),
			cel.Variable("displayName", types.StringType), cel.Variable("managed", types.BoolType), cel.Variable("declared", types.BoolType),
			cel.Variable("owner", ownerType), cel.Variable("resourceType", types.StringType), cel.Variable("query", queryType),
			cel.Variable("configuration", configurationType))
	})
)

// environmentWith returns an environment with variables, and what all have in common.
func environmentWith(variables ...cel.EnvOption) (*cel.Env, error) {
	base, err := cel.NewEnv(
		cel.CrossTypeNumericComparisons(true), cel.DefaultUTCTimeZone(true), cel.OptionalTypes(),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals()),
	)
	if err != nil {
		return nil, err
	}
	return base.Extend(append(variables, cel.CustomTypeProvider(provider{base.CELTypeProvider()}),
		cel.Variable("now", types.TimestampType))...)
}

// provider adds the types of the variables to CEL's.
type provider struct{ types.Provider }

// FindStructType implements types.Provider.
func (p provider) FindStructType(name string) (*types.Type, bool) {
	if _, ok := objects[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldType implements types.Provider.
func (p provider) FindStructFieldType(object, field string) (*types.FieldType, bool) {
	if fields, ok := objects[object]; ok {
		t, ok := fields[field]
		return &types.FieldType{Type: t}, ok
	}
	return p.Provider.FindStructFieldType(object, field)
}

// compile returns the program of a condition.
func compile(condition string) (cel.Program, error) {
	return compileIn(environment, "the condition", condition)
}

// compileIn returns the program of an expression that is true or false. what names it in errors.
func compileIn(environment func() (*cel.Env, error), what, text string) (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	return expression.Compile(env, text, func(t *cel.Type) error {
		if t != types.BoolType {
			return fmt.Errorf("%s is of type %s: it must be true or false", what, t)
		}
		return nil
	})
}
