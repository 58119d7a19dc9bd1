package validation

import (
	"context"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// Kind is a version of a kind as a cluster would have it. It is safe for concurrent use.
type Kind struct {
	definition *apiextensionsv1.CustomResourceDefinition
	schema     *Schema
}

// Refusal is what an API server would refuse of an object.
type Refusal struct {
	// Path is that of the field; empty if it is about none.
	Path string
	// Text says what is wrong, without the path at the beginning, and without a period.
	Text string
}

// NewKind returns a version of a kind.
func NewKind(definition *apiextensionsv1.CustomResourceDefinition, version string) (*Kind, error) {
	for _, v := range definition.Spec.Versions {
		if v.Name == version {
			s, err := New(v.Schema.OpenAPIV3Schema)
			return &Kind{definition, s}, err
		}
	}
	return nil, fmt.Errorf("there is no version %s", version)
}

// Create returns an object in JSON as the API server would create it, and what it would refuse.
func (k *Kind) Create(ctx context.Context, raw []byte) (map[string]any, []Refusal) {
	object, errs := k.schema.Create(ctx, raw)
	var out []Refusal
	for _, e := range errs {
		out = append(out, k.refusal(e))
	}
	return object, out
}

// CheckPath returns an error unless objects of the kind can have a field at a path.
func (k *Kind) CheckPath(path string) error { return crd.CheckPath(k.definition, path) }

// refusal returns an error of the API server. The path is not said twice.
func (k *Kind) refusal(e *field.Error) Refusal {
	body := e.ErrorBody()
	if e.Type == field.ErrorTypeForbidden {
		body = e.Detail
		if err := k.CheckPath(e.Field); err != nil {
			body = err.Error()
		}
	}
	out := Refusal{Text: strings.TrimSuffix(strings.ReplaceAll(body, e.Field+" in body ", ""), ".")}
	if e.Field != "<nil>" {
		out.Path = e.Field
	}
	return out
}
