package chart_test

import (
	"maps"
	"slices"
)

type object = map[string]any

// dimension is a choice. The values of one are merged with those of the others, so they have
// different keys at the top.
type dimension map[string]object

// dimensions are what can be chosen. Every combination is rendered.
var dimensions = []dimension{
	{
		"image":    {},
		"opentofu": {"image": object{"openTofu": true}},
		"digest":   {"image": object{"digest": "sha256:0123456789012345678901234567890123456789012345678901234567890123"}},
	},
	{
		"metrics":    {},
		"no metrics": {"metrics": object{"enabled": false, "serviceMonitor": object{"enabled": true}}},
		"http":       {"metrics": object{"secure": false, "serviceMonitor": object{"enabled": true}}},
		"monitoring": {
			"metrics": object{
				"readers": []any{object{
					"kind": "ServiceAccount", "name": "prometheus", "namespace": "monitoring",
				}},
				"serviceMonitor": object{"enabled": true, "labels": object{"release": "prometheus"}},
				"prometheusRule": object{"enabled": true, "labels": object{"release": "prometheus"}},
				"dashboard":      object{"enabled": true},
			},
		},
		"certificate":   {"metrics": object{"certificates": object{"secretName": "metrics"}, "serviceMonitor": object{"enabled": true}}},
		"cert-manager":  {"metrics": object{"certificates": object{"issuerRef": object{"kind": "ClusterIssuer", "name": "ca"}}}},
		"no dashboards": {"metrics": object{"dashboard": object{"enabled": false}}},
	},
	{
		"empty cache":   {},
		"claimed cache": {"cache": object{"persistentVolumeClaim": object{"create": true, "storageClassName": "shared"}}},
		"own cache":     {"cache": object{"persistentVolumeClaim": object{"existingClaim": "mine"}}},
	},
	{
		"no mirror":    {},
		"mirror":       {"providerMirror": object{"persistentVolumeClaim": object{"claimName": "mirror"}}},
		"image mirror": {"providerMirror": object{"image": object{"reference": "registry.example/mirror:1"}}},
	},
	{
		"no installation": {},
		"installation":    {"providerInstallation": "provider_installation {\n  direct {}\n}\n"},
	},
	{
		"all namespaces":  {},
		"some namespaces": {"rbac": object{"secretNamespaces": []any{"team", "other"}, "tokenNamespaces": []any{"team"}, "userRoles": false}},
	},
	{
		"no providers": {},
		"providers": {
			"providers": object{"random": object{"source": "hashicorp/random", "version": "~> 3.7", "activate": []any{"random_*"}}},
			"configurations": []any{object{
				"apiVersion": "random.landbridge.io/v1alpha1", "kind": "ClusterProviderConfig",
				"metadata": object{"name": "default"}, "spec": object{},
			}},
		},
	},
	{
		"defaults": {},
		"everything else": {
			"replicas": 1, "gracePeriodSeconds": 300, "flags": object{"poll": "5m", "max-providers": 50, "require-allowed-namespaces": true},
			"imagePullSecrets": []any{object{"name": "pull"}}, "env": []any{object{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}},
			"envFrom": []any{object{"secretRef": object{"name": "credentials"}}}, "podAnnotations": object{"a": "b"}, "podLabels": object{"c": "d"},
			"nodeSelector": object{"kubernetes.io/arch": "arm64"}, "tolerations": []any{object{"operator": "Exists"}},
			"affinity": object{"nodeAffinity": object{}}, "priorityClassName": "system-cluster-critical",
			"extraVolumes":        []any{object{"name": "ca", "configMap": object{"name": "ca"}}},
			"extraVolumeMounts":   []any{object{"name": "ca", "mountPath": "/etc/ca"}},
			"serviceAccount":      object{"annotations": object{"eks.amazonaws.com/role-arn": "arn"}},
			"podDisruptionBudget": object{"enabled": false}, "protectNamespace": false, "plans": object{"enabled": true, "port": 8443},
			"ui": object{
				"enabled": true, "urls": []any{"https://landbridge.example.com", "http://localhost:8080"}, "namespaces": []any{"team-a"},
				"certificates": object{"secretName": "ui"}, "from": []any{object{"namespaceSelector": object{}}},
			},
			"networkPolicy": object{
				"metricsFrom": []any{object{"namespaceSelector": object{"matchLabels": object{"kubernetes.io/metadata.name": "monitoring"}}}},
				"egress":      []any{object{"ports": []any{object{"port": 443}}}},
			},
		},
		"no network policy": {
			"networkPolicy": object{"enabled": false}, "resources": object{}, "plans": object{"enabled": true},
			"ui": object{"enabled": true},
		},
	},
}

// combinations returns every combination of the dimensions, by their names.
func combinations() map[string]object {
	all := map[string]object{"": {}}
	for _, d := range dimensions {
		next := map[string]object{}
		for name, values := range all {
			for choice, more := range d {
				both := maps.Clone(values)
				maps.Copy(both, more)
				next[name+", "+choice] = both
			}
		}
		all = next
	}
	return all
}

// names returns the names of the combinations in order.
func names(all map[string]object) []string { return slices.Sorted(maps.Keys(all)) }
