package local

import (
	"context"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/crd/validation"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// kind returns the kind of a document. It is made once of its definition.
func (r *reader) kind(d document, definition func() (*apiextensionsv1.CustomResourceDefinition, error)) (*validation.Kind, error) {
	gvk := d.GroupVersionKind()
	if k := r.defined[gvk]; k != nil {
		return k, nil
	}
	of, err := definition()
	if err != nil {
		return nil, err
	}
	k, err := validation.NewKind(of, gvk.Version)
	if err == nil {
		r.defined[gvk] = k
	}
	return k, err
}

// create returns an object as the API server of a cluster would create it, with the defaults of its
// definition. What the API server would refuse is an error.
func (r *reader) create(d document, definition func() (*apiextensionsv1.CustomResourceDefinition, error)) (map[string]any, Messages) {
	k, err := r.kind(d, definition)
	if err != nil {
		return nil, Messages{errorf(d.source, "Kind not usable", "The kind %s cannot be a CustomResourceDefinition: %v.", d.Kind, err)}
	}
	out, refused := k.Create(context.Background(), d.raw) // takes milliseconds
	var messages Messages
	for _, of := range refused {
		if !r.unadmitted {
			messages = append(messages, refusal(d.source, of))
		}
	}
	slices.SortStableFunc(messages, func(a, b Message) int { return strings.Compare(a.Path, b.Path) })
	return out, messages
}

// refusal returns what the API server would refuse as a message.
func refusal(source string, of validation.Refusal) Message {
	m := errorf(source, "Not accepted by the API server", "%s.", strings.ToUpper(of.Text[:1])+of.Text[1:])
	m.Path = of.Path
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
