package local

import (
	"context"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/landbridge-io/landbridge/internal/crd/validation"
)

// create returns an object as the API server of a cluster would create it, with the defaults of its definition. What the API
// server would refuse is an error.
func (r *reader) create(d document, definition func() (*apiextensionsv1.CustomResourceDefinition, error)) (map[string]any, Messages) {
	gvk := d.GroupVersionKind()
	s := r.schemas[gvk]
	if s == nil {
		of, err := definition()
		if err == nil {
			for _, v := range of.Spec.Versions {
				if v.Name == gvk.Version {
					s, err = validation.New(v.Schema.OpenAPIV3Schema)
				}
			}
		}
		if err != nil || s == nil {
			return nil, Messages{errorf(d.source, "Kind not usable", "The kind %s cannot be a CustomResourceDefinition: %v.", gvk.Kind, err)}
		}
		r.schemas[gvk] = s
	}
	out, errs := s.Create(context.Background(), d.raw) // takes milliseconds
	var messages Messages
	for _, e := range errs {
		messages = append(messages, refusal(d, e))
	}
	return out, messages
}

// refusal returns an error of the API server as a message. The path is not said twice.
func refusal(d document, e *field.Error) Message {
	body := e.ErrorBody()
	if e.Type == field.ErrorTypeForbidden {
		body = e.Detail
	}
	m := errorf(d.source, "Not accepted", "The API server would not accept it: %s.", strings.TrimSuffix(body, "."))
	if e.Field != "<nil>" {
		m.Path = e.Field
	}
	return m
}
