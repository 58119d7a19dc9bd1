package ui

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/explain"
)

// Providers are the providers of a cluster.
type Providers struct {
	Providers []ProviderView `json:"providers"`
}

// ProviderView is a provider with what it serves.
type ProviderView struct {
	Line
	Provider
	Configurations []Line `json:"configurations"`
	// Kinds are those of which there are objects.
	Kinds []Value `json:"kinds"`
}

// Provider is what a TerraformProvider says.
type Provider struct {
	Source string `json:"source,omitempty"`
	// Version is the installed one, Wanted what the spec asks for, and Available are newer ones.
	Version   string   `json:"version,omitempty"`
	Wanted    string   `json:"wanted,omitempty"`
	Available []string `json:"available,omitempty"`
	Protocol  int      `json:"protocol,omitempty"`
	Execution string   `json:"execution,omitempty"`
	Sandbox   string   `json:"sandbox,omitempty"`
	// Resources is the number of resource types, and Activated that of those that are served.
	Resources int `json:"resources"`
	Activated int `json:"activated"`
	// Behind is the number of newer versions; nil if it is not known.
	Behind     *int32             `json:"behind,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// providerOf reads a TerraformProvider. What cannot be read is empty.
func providerOf(u *unstructured.Unstructured) *Provider {
	p := &v1alpha1.TerraformProvider{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, p); err != nil {
		return &Provider{}
	}
	out := &Provider{
		Source: p.Spec.Source, Wanted: p.Spec.Version, Available: p.Status.Available, Protocol: p.Status.Protocol,
		Execution: string(p.Status.Execution), Sandbox: string(p.Status.Sandbox), Resources: p.Status.Resources, Activated: p.Status.Activated,
		Behind: p.Status.VersionsBehind, Conditions: explain.Conditions(u),
	}
	if p.Status.Installed != nil {
		out.Version = p.Status.Installed.Version
	}
	return out
}

// ProvidersOf returns the providers, with their configurations and kinds.
func ProvidersOf(c Content) Providers {
	out := Providers{Providers: []ProviderView{}}
	at := map[string]int{}
	for _, e := range c.Entries {
		if e.Provider != nil {
			at[e.Key.Name] = len(out.Providers)
			line := e.Line()
			line.Message = e.Message
			out.Providers = append(out.Providers, ProviderView{Line: line, Provider: *e.Provider, Configurations: []Line{}, Kinds: []Value{}})
		}
	}
	kinds := map[string]map[string]int{}
	for _, e := range c.Entries {
		owner := e.Owner()
		i, ok := at[owner.Name]
		if !ok || owner.Kind != "TerraformProvider" {
			continue
		}
		if e.Key.IsConfig() {
			out.Providers[i].Configurations = append(out.Providers[i].Configurations, e.Line())
			continue
		}
		if kinds[owner.Name] == nil {
			kinds[owner.Name] = map[string]int{}
		}
		kinds[owner.Name][kindOf(e.Key)]++
	}
	for name, counts := range kinds {
		p := &out.Providers[at[name]]
		for kind, n := range counts {
			p.Kinds = append(p.Kinds, Value{Value: kind, Count: n, Path: Filter{Kind: kind}.Path()})
		}
		slices.SortFunc(p.Kinds, func(a, b Value) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
		})
	}
	return out
}

// keysOf returns the keys of entries.
func keysOf(all []*Entry) []explain.Key {
	out := make([]explain.Key, len(all))
	for i, e := range all {
		out[i] = e.Key
	}
	return out
}
