package library_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/generate/generatetest"
)

func TestKinds(t *testing.T) {
	generatetest.Kinds(t, "package/crds", func(s *runtime.Scheme) error { return v1alpha1.AddToScheme(s) })
	generatetest.EndToEnd(t, generatetest.EndToEndOptions{Program: "bin/provider-cloud"})
}
