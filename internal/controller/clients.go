package controller

import (
	"errors"

	"k8s.io/client-go/discovery"
	admissionv1 "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	authorizationv1 "k8s.io/client-go/kubernetes/typed/authorization/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	discoveryv1 "k8s.io/client-go/kubernetes/typed/discovery/v1"
	rbacv1 "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/rest"
)

// clients are typed clients of the API groups that the controllers use. The program is smaller by
// megabytes than with kubernetes.Clientset, which has those of all groups.
type clients struct {
	core          corev1.CoreV1Interface
	admission     admissionv1.AdmissionregistrationV1Interface
	authorization authorizationv1.AuthorizationV1Interface
	endpoints     discoveryv1.DiscoveryV1Interface
	rbac          rbacv1.RbacV1Interface
	discovery     discovery.DiscoveryInterface
}

func newClients(config *rest.Config) (clients, error) {
	shared, err := rest.HTTPClientFor(config)
	if err != nil {
		return clients{}, err
	}
	var out clients
	var errs [6]error
	out.core, errs[0] = corev1.NewForConfigAndClient(config, shared)
	out.admission, errs[1] = admissionv1.NewForConfigAndClient(config, shared)
	out.authorization, errs[2] = authorizationv1.NewForConfigAndClient(config, shared)
	out.endpoints, errs[3] = discoveryv1.NewForConfigAndClient(config, shared)
	out.rbac, errs[4] = rbacv1.NewForConfigAndClient(config, shared)
	out.discovery, errs[5] = discovery.NewDiscoveryClientForConfigAndClient(config, shared)
	return out, errors.Join(errs[:]...)
}
