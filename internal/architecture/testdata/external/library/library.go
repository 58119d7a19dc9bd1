// Package library reads schemas and writes custom resources.
package library

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// Install returns the object that installs a provider.
func Install(source string) *v1alpha1.TerraformProvider {
	return &v1alpha1.TerraformProvider{
		ObjectMeta: metav1.ObjectMeta{Name: "cloud"},
		Spec:       v1alpha1.TerraformProviderSpec{Source: source, Execution: v1alpha1.ExecutionInProcess},
	}
}

// Timeouts are what every resource of generated kinds has.
func Timeouts() managed.Lifecycle { return managed.Lifecycle{} }

// Schema returns the schema that a provider's answers describe, and its diagnostics.
func Schema(answer *tfprotov6.GetProviderSchemaResponse) (*schema.Provider, schema.Diagnostics) {
	return schema.FromProtocol(6, answer, nil, nil)
}

// Mistake returns where in a configuration a mistake is.
func Mistake(err error) string {
	var mistake *config.Error
	if errors.As(err, &mistake) {
		return config.FormatPath(mistake.Path)
	}
	return ""
}
