package cluster

import (
	"context"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Packaged returns the API groups of kinds without a TerraformProvider, sorted. Packaged programs
// serve them, and only these have their configuration.
func (c *Reader) Packaged(ctx context.Context) ([]string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := c.Client.List(ctx, list); err != nil {
		return nil, err
	}
	var out []string
	for _, d := range list.Items {
		if d.Annotations[v1alpha1.AnnotationResourceType] != "" && d.Labels[v1alpha1.LabelProvider] == "" {
			_, group, _ := strings.Cut(d.Name, ".")
			out = append(out, group)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
