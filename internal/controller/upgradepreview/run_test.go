package upgradepreview_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/upgradepreview"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// cluster is one with CRDs of some resource types, and without resources.
type cluster struct {
	types []string
	// listed are the kinds that were listed.
	listed []string
}

func (c *cluster) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return kerrors.NewNotFound(kschema.GroupResource{}, key.Name)
}

func (c *cluster) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	switch list := list.(type) {
	case *metav1.PartialObjectMetadataList:
		for _, t := range c.types {
			one := metav1.PartialObjectMetadata{}
			one.Annotations = map[string]string{v1alpha1.AnnotationResourceType: t}
			list.Items = append(list.Items, one)
		}
	case *unstructured.UnstructuredList:
		c.listed = append(c.listed, list.GetKind())
	}
	return nil
}

// A preview that was interrupted goes on after the last type that was done, and does not look at
// what comes before it again.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	provider, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	version := upgradepreview.Version{Provider: provider}
	for name, c := range map[string]struct {
		after       string
		done, lists []string
	}{
		"from the beginning": {
			"", []string{"random_id", "random_pet", "random_uuid"},
			[]string{"ClusterProviderConfigList", "ProviderConfigList", "IDList", "PetList", "UUIDList"},
		},
		"in the middle":       {"random_id", []string{"random_pet", "random_uuid"}, []string{"PetList", "UUIDList"}},
		"a type that is gone": {"random_integer", []string{"random_pet", "random_uuid"}, []string{"PetList", "UUIDList"}},
		"at the end":          {"random_uuid", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader := &cluster{types: []string{"random_uuid", "random_id", "random_pet", "another_provider"}}
			var done []string
			_, err := upgradepreview.Preview(t.Context(), upgradepreview.Options{
				Provider: "random", Reader: reader, Installed: version, New: version, Secrets: &redact.Redactor{}, After: c.after,
				Done: func(p upgradepreview.Progress) {
					if done = append(done, p.Type); p.Types != 3 || p.Number != 3-len(c.done)+len(done) {
						t.Errorf("%s is number %d of %d", p.Type, p.Number, p.Types)
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.done, done); diff != "" {
				t.Errorf("done, -want +got:\n%s", diff)
			}
			// Whether all namespaces may be listed at all is found out by the first kind.
			if diff := cmp.Diff(append([]string{"IDList"}, c.lists...), reader.listed); diff != "" {
				t.Errorf("listed, -want +got:\n%s", diff)
			}
		})
	}
}
