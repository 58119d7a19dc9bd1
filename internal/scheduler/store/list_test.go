package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// All stored instances are listed, over several pages, and nothing that others have made.
func TestList(t *testing.T) {
	client := secrets(t)
	s := &store.Secrets{Client: client}
	want := []store.Key{{Group: "test.landbridge.io", Kind: "Thing", Name: "cluster-scoped"}}
	save(t, s, want[0], store.Record{Owner: "uid-1"})
	for i := range 120 {
		want = append(want, key(fmt.Sprintf("thing-%03d", i)))
		save(t, s, want[i+1], store.Record{Owner: "uid-1", Instance: anInstance(password)})
	}
	for _, other := range []*corev1.Secret{
		{ObjectMeta: metav1.ObjectMeta{Name: "other"}},
		{ObjectMeta: metav1.ObjectMeta{Name: "labelled", Labels: map[string]string{"app.kubernetes.io/managed-by": "landbridge"}}},
	} {
		if _, err := client.Create(t.Context(), other, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := (&store.Secrets{Client: client}).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b store.Key) int { return strings.Compare(a.Name, b.Name) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}
