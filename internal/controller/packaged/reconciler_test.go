package packaged_test

import (
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
)

// cluster is a manager of a fake client.
type cluster struct {
	manager.Manager
	client client.Client
}

func (c cluster) GetClient() client.Client { return c.client }

// A kind is served until its CRD is gone: while the CRD is being deleted, so are its objects.
func TestServesUntilDefinitionIsGone(t *testing.T) {
	t.Parallel()
	const name = "things.example.org"
	definition := func(uid types.UID, deleted bool) *apiextensionsv1.CustomResourceDefinition {
		c := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid, Generation: 1}}
		if deleted {
			c.Generation, c.DeletionTimestamp = 2, &metav1.Time{Time: time.Now()}
			c.Finalizers = []string{"customresourcecleanup.apiextensions.k8s.io"}
		}
		return c
	}
	for name, tc := range map[string]struct {
		definition *apiextensionsv1.CustomResourceDefinition
		want       bool
	}{
		"unchanged":              {definition("uid", false), true},
		"being deleted":          {definition("uid", true), true},
		"another, being deleted": {definition("other", true), false},
		"another":                {definition("other", false), false},
		"gone":                   {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme := runtime.NewScheme()
			if err := apiextensionsv1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			b := fake.NewClientBuilder().WithScheme(scheme)
			if tc.definition != nil {
				b.WithObjects(tc.definition)
			}
			r := &packaged.Reconciler{Runtime: &kinds.Runtime{Manager: cluster{client: b.Build()}}}
			r.Started("things.example.org", "uid")
			if got, err := r.Serves(t.Context(), "things.example.org"); got != tc.want || err != nil {
				t.Errorf("got %t, %v", got, err)
			}
		})
	}
}
