package crd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Path and port at which programs serve conversions, as Crossplane expects them.
const (
	ConversionPath = "/convert"
	ConversionPort = 9443
)

// Service is the Service of the program that converts objects. Installers of a CRD, and the program
// itself, may replace it.
type Service struct{ Namespace, Name string }

// AddFormer adds versions of an earlier definition of a kind to a definition with one version. They
// stay served, and a webhook converts objects. Fields that all kinds share have the schema of the
// new version, since they are not converted.
func AddFormer(d, earlier *apiextensionsv1.CustomResourceDefinition, names []string, s Service) error {
	own := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	var former []apiextensionsv1.CustomResourceDefinitionVersion
	for _, v := range earlier.Spec.Versions {
		if !slices.Contains(names, v.Name) {
			continue
		}
		v = *v.DeepCopy()
		v.Storage = false
		v.SelectableFields = nil // the API server refuses versions with the same ones and other schemas
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			return fmt.Errorf("%s: the version %s has no schema", d.Name, v.Name)
		}
		if _, ok := own.Properties["spec"].Properties["forProvider"]; ok {
			shared(v.Schema.OpenAPIV3Schema, own, "spec", "forProvider", "initProvider", "import")
			shared(v.Schema.OpenAPIV3Schema, own, "status", "atProvider", "identity", "identityHistory")
		}
		former = append(former, v)
	}
	slices.SortFunc(former, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int {
		return version.CompareKubeAwareVersionStrings(b.Name, a.Name)
	})
	d.Spec.Versions = append(d.Spec.Versions, former...)
	var besides []string
	for _, v := range former {
		besides = append(besides, v.Name)
	}
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, v1alpha1.AnnotationFormerVersions, strings.Join(besides, ","))
	d.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{
				Namespace: s.Namespace, Name: s.Name, Path: ptr.To(ConversionPath), Port: ptr.To[int32](ConversionPort),
			}},
		},
	}
	for _, v := range d.Spec.Versions[1:] {
		size, err := sizeOf(d)
		if err != nil || size <= maxSize {
			return err
		}
		bare(v.Schema.OpenAPIV3Schema)
	}
	size, err := sizeOf(d)
	if err == nil && size > maxSize {
		err = fmt.Errorf("with %d versions the CRD %s has %d KiB, and the API server accepts at most about %d KiB: "+
			"drop a version with droppedVersions", len(d.Spec.Versions), d.Name, size>>10, maxSize>>10)
	}
	return err
}

// shared copies the fields that all kinds share in a part to a former version.
func shared(former, own *props, part string, typed ...string) {
	to, ok := former.Properties[part]
	if !ok {
		return
	}
	to.Properties = maps.Clone(to.Properties)
	for name, p := range own.Properties[part].Properties {
		if !slices.Contains(typed, name) {
			to.Properties[name] = p
		}
	}
	former.Properties[part] = to
}

// bare removes the descriptions of all fields.
func bare(s *props) {
	for name, p := range s.Properties {
		p.Description = ""
		bare(&p)
		s.Properties[name] = p
	}
	if s.Items != nil {
		bare(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		bare(s.AdditionalProperties.Schema)
	}
}
