package controller_test

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// refusing refuses all Secrets because of their size.
type refusing struct{ typedcorev1.SecretInterface }

func (refusing) Create(context.Context, *corev1.Secret, metav1.CreateOptions) (*corev1.Secret, error) {
	return nil, kerrors.NewRequestEntityTooLargeError("limit is 3145728")
}

// Refused writes of state are counted by kind.
func TestRefusedWritesAreCounted(t *testing.T) {
	if err := controller.RegisterMetrics(); err != nil {
		t.Fatal(err)
	}
	s := &store.Secrets{Client: refusing{}, Refused: controller.CountRefused}
	for range 2 {
		_, err := s.Save(t.Context(), store.Key{Group: "test.landbridge.io", Kind: "Thing", Name: "one"}, &schema.Resource{Block: &schema.Block{}}, store.Record{})
		if !errors.Is(err, store.ErrTooLarge) {
			t.Fatal(err)
		}
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "landbridge_state_writes_refused_total" {
			continue
		}
		if m := f.GetMetric(); len(m) != 1 || m[0].GetCounter().GetValue() != 2 || m[0].GetLabel()[0].GetValue() != "test.landbridge.io" || m[0].GetLabel()[1].GetValue() != "Thing" {
			t.Errorf("got %v", m)
		}
		return
	}
	t.Error("there is no such metric")
}
