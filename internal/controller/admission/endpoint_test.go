package admission_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typeddiscoveryv1 "k8s.io/client-go/kubernetes/typed/discovery/v1"

	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// endpointSlices are those of a namespace. The API server of the tests has none.
type endpointSlices struct {
	typeddiscoveryv1.EndpointSliceInterface
	stored map[string]*discoveryv1.EndpointSlice
	writes int
}

func (s *endpointSlices) Get(_ context.Context, name string, _ metav1.GetOptions) (*discoveryv1.EndpointSlice, error) {
	if found := s.stored[name]; found != nil {
		return found.DeepCopy(), nil
	}
	return nil, kerrors.NewNotFound(discoveryv1.Resource("endpointslices"), name)
}

func (s *endpointSlices) Create(
	_ context.Context, made *discoveryv1.EndpointSlice, _ metav1.CreateOptions,
) (*discoveryv1.EndpointSlice, error) {
	s.writes++
	s.stored[made.Name] = made
	return made, nil
}

func (s *endpointSlices) Update(
	_ context.Context, changed *discoveryv1.EndpointSlice, _ metav1.UpdateOptions,
) (*discoveryv1.EndpointSlice, error) {
	s.writes++
	if s.stored[changed.Name].AddressType != changed.AddressType {
		return nil, kerrors.NewBadRequest("addressType is immutable")
	}
	s.stored[changed.Name] = changed
	return changed, nil
}

// TestServiceLeadsToTheActiveReplica: the Service leads to the replica that became active last, and
// nothing is written when it does already.
func TestServiceLeadsToTheActiveReplica(t *testing.T) {
	t.Parallel()
	slices := &endpointSlices{stored: map[string]*discoveryv1.EndpointSlice{}}
	for _, step := range []struct {
		address string
		writes  int
		want    map[discoveryv1.AddressType]string
	}{
		{"", 0, map[discoveryv1.AddressType]string{}},
		{"10.0.0.1", 1, map[discoveryv1.AddressType]string{"IPv4": "10.0.0.1"}},
		{"10.0.0.1", 1, map[discoveryv1.AddressType]string{"IPv4": "10.0.0.1"}},
		{"10.0.0.2", 2, map[discoveryv1.AddressType]string{"IPv4": "10.0.0.2"}},
		{"fd00::1", 3, map[discoveryv1.AddressType]string{"IPv4": "10.0.0.2", "IPv6": "fd00::1"}},
	} {
		w := &admission.Webhooks{
			Options: admission.Options{
				Port: 9443, Service: crd.Service{Name: "landbridge-plans"}, Address: step.address,
			}, Endpoints: slices,
		}
		if err := w.Lead(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := map[discoveryv1.AddressType]string{}
		for _, s := range slices.stored {
			got[s.AddressType] = s.Endpoints[0].Addresses[0]
			if s.Labels[discoveryv1.LabelServiceName] != "landbridge-plans" || *s.Ports[0].Port != 9443 {
				t.Errorf("%q: the EndpointSlice is %+v", step.address, s)
			}
		}
		if diff := cmp.Diff(step.want, got); diff != "" || slices.writes != step.writes {
			t.Errorf("%q: %d writes, want %d (-want +got):\n%s", step.address, slices.writes, step.writes, diff)
		}
	}
}
