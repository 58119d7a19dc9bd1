package demo

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// failure is an error that is about an object.
type failure struct {
	object *unstructured.Unstructured
	error
}

func (f failure) Unwrap() error { return f.error }

func about(u *unstructured.Unstructured, err error) error { return failure{u, err} }

// About returns the name of the object that an error of Run or of an Installation is about; empty
// if there is none.
func About(err error) string {
	var f failure
	if !errors.As(err, &f) {
		return ""
	}
	return f.object.GetName()
}
