package model

import "strings"

// kubernetes are the resources of Kubernetes itself, by group, as kubectl knows them without a
// group.
var kubernetes = map[string]string{
	"core": "bindings componentstatuses configmaps endpoints events limitranges namespaces nodes " +
		"persistentvolumeclaims persistentvolumes pods " +
		"podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services",
	"admissionregistration.k8s.io": "mutatingadmissionpolicies mutatingadmissionpolicybindings " +
		"mutatingwebhookconfigurations validatingadmissionpolicies " +
		"validatingadmissionpolicybindings validatingwebhookconfigurations",
	"apiextensions.k8s.io":         "customresourcedefinitions",
	"apiregistration.k8s.io":       "apiservices",
	"apps":                         "controllerrevisions daemonsets deployments replicasets statefulsets",
	"autoscaling":                  "horizontalpodautoscalers",
	"batch":                        "cronjobs jobs",
	"certificates.k8s.io":          "certificatesigningrequests clustertrustbundles",
	"coordination.k8s.io":          "leases",
	"discovery.k8s.io":             "endpointslices",
	"flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
	"metrics.k8s.io":               "nodemetrics podmetrics",
	"networking.k8s.io":            "ingressclasses ingresses ipaddresses networkpolicies servicecidrs",
	"node.k8s.io":                  "runtimeclasses",
	"policy":                       "poddisruptionbudgets",
	"rbac.authorization.k8s.io":    "clusterrolebindings clusterroles rolebindings roles",
	"resource.k8s.io":              "deviceclasses resourceclaims resourceclaimtemplates resourceslices",
	"scheduling.k8s.io":            "priorityclasses",
	"storage.k8s.io":               "csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses",
}

var kubernetesGroups = func() map[string]string {
	out := map[string]string{}
	for group, plurals := range kubernetes {
		for plural := range strings.FieldsSeq(plurals) {
			out[plural] = group
		}
	}
	return out
}()

// KubernetesGroup returns the group of the resource of Kubernetes with a plural, which kubectl
// means by the plural alone. The legacy group is core. ok is false if there is none.
func KubernetesGroup(plural string) (group string, ok bool) {
	group, ok = kubernetesGroups[plural]
	return group, ok
}

// OwnKind returns a name for the kind of a resource type that tells it from the same kind of
// others: with the name of the provider before it.
func OwnKind(provider, kind string) string {
	return strings.ToUpper(provider[:1]) + strings.ReplaceAll(provider[1:], "-", "") + kind
}
