package validation

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Schema is the schema of a version of a kind. Make one with New. It is safe for concurrent use.
type Schema struct {
	structural *structural.Structural
	validator  validation.SchemaValidator
	// rules is nil if the schema has none.
	rules *cel.Validator
}

// New returns the schema of a version. It is an error if it is not structural.
func New(props *apiextensionsv1.JSONSchemaProps) (*Schema, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err != nil {
		return nil, err
	}
	out := &Schema{}
	var err error
	if out.structural, err = structural.NewStructural(internal); err != nil {
		return nil, err
	}
	if out.validator, _, err = validation.NewSchemaValidator(internal); err != nil {
		return nil, err
	}
	out.rules = cel.NewValidator(out.structural, true, celconfig.PerCallLimit)
	return out, nil
}

// Create returns an object in JSON as the API server would create it: with defaults, and without a
// status. Fields are validated strictly: unknown ones are errors.
func (s *Schema) Create(ctx context.Context, raw []byte) (map[string]any, field.ErrorList) {
	var object map[string]any
	if err := utiljson.Unmarshal(raw, &object); err != nil {
		return nil, field.ErrorList{field.Invalid(nil, "", fmt.Sprintf("malformed JSON: %s", err))}
	}
	delete(object, "status") // a subresource
	var errs field.ErrorList
	for _, path := range pruning.PruneWithOptions(object, s.structural, true,
		structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}) {
		errs = append(errs, field.Forbidden(field.NewPath(path), "there is no such field"))
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	errs = append(errs, validation.ValidateCustomResource(nil, object, s.validator)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if s.rules != nil && len(errs) == 0 { // rules expect what the schema permits
		broken, _ := s.rules.Validate(ctx, nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	return object, errs
}
