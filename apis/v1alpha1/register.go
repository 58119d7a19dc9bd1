package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group and Version of Landbridge's own types.
const (
	Group   = "landbridge.io"
	Version = "v1alpha1"
)

var (
	// GroupVersion of Landbridge's own types.
	GroupVersion = schema.GroupVersion{Group: Group, Version: Version}
	// SchemeBuilder collects the types.
	SchemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
		s.AddKnownTypes(GroupVersion, &TerraformProvider{}, &TerraformProviderList{}, &TerraformModule{}, &TerraformModuleList{},
			&PlanPolicy{}, &PlanPolicyList{}, &ResourceQuery{}, &ResourceQueryList{}, &EstatePolicy{}, &EstatePolicyList{})
		metav1.AddToGroupVersion(s, GroupVersion)
		return nil
	})
	// AddToScheme adds the types to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
