package local

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/crd/validation"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// kind is a kind as a cluster would have it.
type kind struct {
	definition *apiextensionsv1.CustomResourceDefinition
	schema     *validation.Schema
}

// kind returns the kind of a document. It is made once of its definition.
func (r *reader) kind(d document, definition func() (*apiextensionsv1.CustomResourceDefinition, error)) (*kind, error) {
	gvk := d.GroupVersionKind()
	if k := r.defined[gvk]; k != nil {
		return k, nil
	}
	of, err := definition()
	if err != nil {
		return nil, err
	}
	for _, v := range of.Spec.Versions {
		if v.Name != gvk.Version {
			continue
		}
		s, err := validation.New(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		r.defined[gvk] = &kind{of, s}
		return r.defined[gvk], nil
	}
	return nil, fmt.Errorf("there is no version %s", gvk.Version)
}

// create returns an object as the API server of a cluster would create it, with the defaults of its
// definition. What the API server would refuse is an error.
func (r *reader) create(d document, definition func() (*apiextensionsv1.CustomResourceDefinition, error)) (map[string]any, Messages) {
	k, err := r.kind(d, definition)
	if err != nil {
		return nil, Messages{errorf(d.source, "Kind not usable", "The kind %s cannot be a CustomResourceDefinition: %v.", d.Kind, err)}
	}
	out, errs := k.schema.Create(context.Background(), d.raw) // takes milliseconds
	var messages Messages
	for _, e := range errs {
		if r.unadmitted {
			break
		}
		messages = append(messages, k.refusal(d, e))
	}
	slices.SortStableFunc(messages, func(a, b Message) int { return strings.Compare(a.Path, b.Path) })
	return out, messages
}

// refusal returns an error of the API server as a message. The path is not said twice.
func (k *kind) refusal(d document, e *field.Error) Message {
	body := e.ErrorBody()
	if e.Type == field.ErrorTypeForbidden {
		body = e.Detail
		if err := crd.CheckPath(k.definition, e.Field); err != nil {
			body = err.Error()
		}
	}
	body = strings.TrimSuffix(strings.ReplaceAll(body, e.Field+" in body ", ""), ".")
	m := errorf(d.source, "Not accepted by the API server", "%s.", strings.ToUpper(body[:1])+body[1:])
	if e.Field != "<nil>" {
		m.Path = e.Field
	}
	return m
}

// addRefused adds what the API server would refuse of an object, except for fields that one of the
// object's messages, which begin at from, is about already.
func (r *reader) addRefused(from int, refused Messages) {
	said := r.messages[from:]
	for _, m := range refused {
		path := strings.Replace(m.Path, "spec.initProvider.", "spec.forProvider.", 1) // what is read of both has the paths of one
		about := func(of Message) bool {
			return of.Severity == diagnostic.Error && (of.Path == path || path != "" && strings.Contains(of.Detail, path))
		}
		if !slices.ContainsFunc(said, about) {
			r.messages = append(r.messages, m)
		}
	}
}
