package admission

import (
	"context"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// A Service without a selector leads to the addresses in its EndpointSlices. The active replica
// writes its own there, since replicas on standby know no plans.

// endpoint returns the EndpointSlice that leads the Service to this replica.
func (o Options) endpoint() *discoveryv1.EndpointSlice {
	kind := discoveryv1.AddressTypeIPv4
	if ip, err := netip.ParseAddr(o.Address); err == nil && ip.Is6() {
		kind = discoveryv1.AddressTypeIPv6
	}
	return &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Service.Name + "-" + strings.ToLower(string(kind)), // the type of an EndpointSlice cannot change
			Labels: map[string]string{
				discoveryv1.LabelServiceName: o.Service.Name,
				discoveryv1.LabelManagedBy:   "controller." + v1alpha1.Group,
			},
		},
		AddressType: kind,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{o.Address}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}},
		Ports:       []discoveryv1.EndpointPort{{Name: ptr.To(""), Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(int32(o.Port))}},
	}
}

// lead leads the Service to this replica, if its address is known.
func (w *Webhooks) lead(ctx context.Context) error {
	if w.Address == "" {
		return nil
	}
	want := w.endpoint()
	have, err := w.Endpoints.Get(ctx, want.Name, metav1.GetOptions{})
	switch {
	case kerrors.IsNotFound(err):
		_, err = w.Endpoints.Create(ctx, want, metav1.CreateOptions{})
	case err == nil && !(equality.Semantic.DeepEqual(have.Endpoints, want.Endpoints) && equality.Semantic.DeepEqual(have.Ports, want.Ports)):
		have.Endpoints, have.Ports = want.Endpoints, want.Ports
		_, err = w.Endpoints.Update(ctx, have, metav1.UpdateOptions{})
	}
	return err
}
