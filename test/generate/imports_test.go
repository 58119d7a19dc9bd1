package generate_test

// Imports of generated code, so that go.sum contains them.
import (
	_ "github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	_ "github.com/crossplane/crossplane/apis/v2/core/v2"
	_ "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"
	_ "k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/apimachinery/pkg/runtime/schema"

	_ "github.com/landbridge-io/landbridge/apis/managed"
)
