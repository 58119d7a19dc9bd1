package diff_test

import (
	"errors"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/landbridge-io/landbridge/internal/command/diff"
)

func TestRefusal(t *testing.T) {
	things := schema.GroupKind{Group: "open.landbridge.io", Kind: "Thing"}
	unchecked := field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; "+
		"correct the existing errors to complete validation")
	size := field.Invalid(field.NewPath("spec", "forProvider", "size"), "string", "must be of type integer")
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"fields": {
			kerrors.NewInvalid(things, "a", field.ErrorList{size, field.Required(field.NewPath("spec", "forProvider", "name"), ""), unchecked}),
			`spec.forProvider.size: Invalid value: "string": must be of type integer; spec.forProvider.name: Required value`,
		},
		"no field": {
			kerrors.NewInvalid(things, "a", field.ErrorList{unchecked}),
			`Thing.open.landbridge.io "a" is invalid: <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`,
		},
		"no rule": {
			kerrors.NewForbidden(schema.GroupResource{Resource: "things"}, "a", errors.New("ask first")),
			`things "a" is forbidden: ask first`,
		},
		"no API status": {errors.New("connection refused"), "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := diff.Refusal(test.err); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
