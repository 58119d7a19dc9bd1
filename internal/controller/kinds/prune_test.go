package kinds_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/fake"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// reading is a manager whose reader lists objects objects, or returns an error.
type reading struct {
	manager.Manager
	client.Reader
	objects int
	err     error
}

func (r reading) GetAPIReader() client.Reader { return r }

func (r reading) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if r.err != nil {
		return r.err
	}
	list.(*metav1.PartialObjectMetadataList).Items = make([]metav1.PartialObjectMetadata, r.objects)
	return nil
}

func definition(name string, established bool) *apiextensionsv1.CustomResourceDefinition {
	c := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelProvider: "owner"}},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.org", Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Thing", ListKind: "ThingList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1alpha1"}},
		},
	}
	if established {
		c.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{
			Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue,
		}}
	}
	return c
}

func TestPrune(t *testing.T) {
	t.Parallel()
	noMatch := &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "example.org", Kind: "ThingList"}}
	notFound := kerrors.NewNotFound(schema.GroupResource{Group: "example.org", Resource: "things"}, "")
	for name, test := range map[string]struct {
		reads       reading
		established bool
		keep        string
		left        bool
		inUse       []string
		err         string
	}{
		"without objects":     {established: true},
		"with objects":        {reads: reading{objects: 1}, established: true, left: true, inUse: []string{"Thing of example.org"}},
		"kept":                {established: true, keep: "things.example.org", left: true},
		"never served":        {reads: reading{err: noMatch}, left: true},
		"not served any more": {reads: reading{err: notFound}, established: true, left: true},
		"not served yet: tried again": {
			reads: reading{err: noMatch}, established: true, left: true,
			err: "cannot remove the CRD things.example.org: no matches",
		},
		"objects cannot be listed": {
			reads: reading{err: errors.New("timeout")}, established: true, left: true,
			err: "cannot remove the CRD things.example.org: timeout",
		},
		"not established, without objects": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := definition("others.example.org", true)
			other.Labels[v1alpha1.LabelProvider] = "another"
			crds := fake.NewClientset(definition("things.example.org", test.established), other).ApiextensionsV1().CustomResourceDefinitions()
			rt := &kinds.Runtime{Manager: test.reads, CRDs: crds}
			inUse, err := rt.Prune(t.Context(), "owner", func(c *apiextensionsv1.CustomResourceDefinition) bool { return c.Name == test.keep })
			if diff := cmp.Diff(test.inUse, inUse); diff != "" {
				t.Errorf("in use: -want +got:\n%s", diff)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			left, err := crds.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"others.example.org"}
			if test.left {
				want = append(want, "things.example.org")
			}
			var names []string
			for _, c := range left.Items {
				names = append(names, c.Name)
			}
			if diff := cmp.Diff(want, names); diff != "" {
				t.Errorf("CRDs: -want +got:\n%s", diff)
			}
		})
	}
}
