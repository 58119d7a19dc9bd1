package crd_test

import (
	"cmp"
	"context"
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"pgregory.net/rapid"
)

// apiServer does to CRDs and custom resources what the API server does, with its own code.
type apiServer struct {
	structural *structural.Structural
	validator  validation.SchemaValidator
	cel        *cel.Validator
	// budget is what the rules may cost for one object; 0 is the API server's.
	budget int64
}

// accept returns what becomes of a CRD at the API server; the test fails if it is refused.
func accept(t rapid.TB, in *apiextensionsv1.CustomResourceDefinition) *apiServer {
	t.Helper()
	in = in.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(in)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&in.Spec)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(in, internal, nil); err != nil {
		t.Fatal(err)
	}
	internal.Status.StoredVersions = []string{in.Spec.Versions[0].Name}
	if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal); len(errs) > 0 {
		t.Fatalf("%s: %s", in.Name, errs.ToAggregate())
	}
	noAlternatives(t, in.Name, in.Spec.Versions[0].Schema.OpenAPIV3Schema)
	s := serve(t, in)
	s.cel = cel.NewValidator(s.structural, true, celconfig.PerCallLimit)
	return s
}

// noAlternatives fails the test if a schema has alternatives. The API server answers to whoever
// meets none of them with a message that names neither the field nor what to do; a rule has a
// message of its own.
func noAlternatives(t rapid.TB, at string, p *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	if p == nil {
		return
	}
	if len(p.AnyOf)+len(p.OneOf)+len(p.AllOf) > 0 || p.Not != nil {
		t.Fatalf("%s has anyOf, oneOf, allOf or not", at)
	}
	for name, inner := range p.Properties {
		noAlternatives(t, at+"."+name, &inner)
	}
	if p.Items != nil {
		noAlternatives(t, at+"[]", p.Items.Schema)
	}
	if p.AdditionalProperties != nil {
		noAlternatives(t, at+"[key]", p.AdditionalProperties.Schema)
	}
}

// serve returns the API server of a CRD that was accepted already. It leaves out the rules in CEL,
// which take long to compile.
func serve(t rapid.TB, in *apiextensionsv1.CustomResourceDefinition) *apiServer {
	t.Helper()
	schema := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		in.Spec.Versions[0].Schema.OpenAPIV3Schema, schema, nil,
	); err != nil {
		t.Fatal(err)
	}
	s := &apiServer{}
	var err error
	if s.structural, err = structural.NewStructural(schema); err != nil {
		t.Fatalf("%s is not structural: %v", in.Name, err)
	}
	if s.validator, _, err = validation.NewSchemaValidator(schema); err != nil {
		t.Fatal(err)
	}
	return s
}

var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(apiextensionsv1.AddToScheme(s))
	return s
}()

// write returns what becomes of a custom resource that is written: it is brought to the API
// server's form, pruned, defaulted and checked. old is nil for a create.
func (s *apiServer) write(t rapid.TB, object, old map[string]any) (map[string]any, field.ErrorList) {
	t.Helper()
	object = form(t, object)
	pruning.Prune(object, s.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	var previous any
	if old != nil {
		previous = old
	}
	if s.cel == nil {
		return object, errs
	}
	celErrs, _ := s.cel.Validate(context.Background(), nil, s.structural, object, previous, cmp.Or(s.budget, celconfig.RuntimeCELCostBudget))
	return object, append(errs, celErrs...)
}

// form returns a value as the API server decodes it.
func form(t rapid.TB, in map[string]any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
