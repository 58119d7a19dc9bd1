package controller_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// Two replicas that start at once install or update the CRDs at the same time.
func TestReplicasStartAtOnce(t *testing.T) {
	t.Parallel()
	established := apiextensionsv1.CustomResourceDefinitionStatus{Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{
		{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
	}}
	resource := apiextensionsv1.Resource("customresourcedefinitions")
	for name, test := range map[string]struct {
		verb     string
		refusal  error
		existing bool // an earlier version of the CRDs
	}{
		"both create": {verb: "create", refusal: kerrors.NewAlreadyExists(resource, "x")},
		"both update": {verb: "update", refusal: kerrors.NewConflict(resource, "x", nil), existing: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var objects []runtime.Object
			own := []func() (*apiextensionsv1.CustomResourceDefinition, error){
				v1alpha1.CustomResourceDefinition, v1alpha1.ModuleCustomResourceDefinition, v1alpha1.PolicyCustomResourceDefinition,
				v1alpha1.QueryCustomResourceDefinition, v1alpha1.EstateCustomResourceDefinition,
			}
			for _, read := range own {
				d, err := read()
				if err != nil {
					t.Fatal(err)
				}
				if err := kinds.Mark(d, kinds.OwnCRDs); err != nil {
					t.Fatal(err)
				}
				d.Annotations[kinds.AnnotationSum], d.Status = "of an earlier version", established
				objects = append(objects, d)
			}
			if !test.existing {
				objects = nil
			}
			client := fake.NewClientset(objects...)
			refused := 0
			client.PrependReactor(test.verb, "customresourcedefinitions", func(a clienttesting.Action) (bool, runtime.Object, error) {
				// The fake API server establishes nothing.
				d := a.(interface{ GetObject() runtime.Object }).GetObject().(*apiextensionsv1.CustomResourceDefinition)
				d.Status = established
				if refused++; refused == 1 {
					return true, nil, test.refusal
				}
				return false, nil, nil
			})
			if err := controller.MakeCRDs(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			if want := len(own) + 1; refused != want {
				t.Errorf("there were %d requests, want %d", refused, want)
			}
		})
	}
}
