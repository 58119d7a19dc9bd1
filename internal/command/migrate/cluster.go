package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// pageSize is the number of objects that are listed at once.
const pageSize = 500

// kind is a kind of a Crossplane provider that the cluster serves.
type kind struct {
	kschema.GroupVersionKind
	plural     string
	namespaced bool
}

// Selection is which resources of a cluster are read.
type Selection struct {
	// Arguments are GROUP, KIND.GROUP or KIND.GROUP/NAME. A group has those that end with it.
	Arguments []string
	// Namespace is that of resources of kinds with one; empty for all.
	Namespace string
}

// Cluster is what a cluster has of Crossplane providers.
type Cluster struct {
	Resources []*unstructured.Unstructured
	Configs   []ProviderConfig
}

// Read reads the selected resources, and the provider configurations of their groups. An argument
// that selects nothing is an error.
func Read(ctx context.Context, c client.Reader, s Selection) (*Cluster, error) {
	kinds, configs, err := definitions(ctx, c)
	if err != nil {
		return nil, err
	}
	out := &Cluster{}
	var groups []string
	for _, argument := range s.Arguments {
		target, name, _ := strings.Cut(argument, "/")
		found, served := 0, false
		for _, k := range kinds {
			if !k.matches(target) {
				continue
			}
			served = true
			all, err := k.list(ctx, c, s.Namespace)
			if err != nil {
				return nil, err
			}
			for _, u := range all {
				if name != "" && u.GetName() != name {
					continue
				}
				found++
				if !slices.ContainsFunc(out.Resources, func(x *unstructured.Unstructured) bool { return x.GetUID() == u.GetUID() }) {
					out.Resources = append(out.Resources, u)
					groups = append(groups, k.Group)
				}
			}
		}
		switch {
		case !served:
			return nil, fmt.Errorf("%s: the cluster has no managed resources of such a kind or group. Those that it "+
				"has are in groups %s", argument, groupsOf(kinds))
		case found == 0:
			return nil, fmt.Errorf("%s: there is no such resource%s", argument, inNamespace(s.Namespace))
		}
	}
	for _, k := range configs {
		if !slices.ContainsFunc(groups, func(g string) bool { return g == k.Group || strings.HasSuffix(g, "."+k.Group) }) {
			continue
		}
		all, err := k.list(ctx, c, "")
		if err != nil {
			return nil, err
		}
		for _, u := range all {
			out.Configs = append(out.Configs, ProviderConfig{u})
		}
	}
	return out, nil
}

func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return ", where it has a namespace in " + namespace + "; -A reads all namespaces"
}

func groupsOf(kinds []kind) string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Group)
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) == 0 {
		return "of none"
	}
	return strings.Join(out, ", ")
}

// matches reports whether an argument without a name selects a kind.
func (k kind) matches(target string) bool {
	if k.Group == target || strings.HasSuffix(k.Group, "."+target) {
		return true
	}
	kind, group, _ := strings.Cut(target, ".")
	return group == k.Group && (strings.EqualFold(kind, k.Kind) || kind == k.plural)
}

// list lists the objects of a kind.
func (k kind) list(ctx context.Context, c client.Reader, namespace string) ([]*unstructured.Unstructured, error) {
	if !k.namespaced {
		namespace = ""
	}
	all := &unstructured.UnstructuredList{}
	gvk := k.GroupVersionKind
	gvk.Kind += "List"
	var out []*unstructured.Unstructured
	for next := ""; ; {
		all.SetGroupVersionKind(gvk)
		if err := c.List(ctx, all, client.InNamespace(namespace), client.Limit(pageSize), client.Continue(next)); err != nil {
			return nil, fmt.Errorf("cannot list %s: %w", k.GroupKind(), err)
		}
		for i := range all.Items {
			out = append(out, &all.Items[i])
		}
		if next = all.GetContinue(); next == "" {
			return out, nil
		}
		all = &unstructured.UnstructuredList{}
	}
}

// definitions returns the kinds of managed resources, and those of provider configurations, from
// their CRDs.
func definitions(ctx context.Context, c client.Reader) (kinds, configs []kind, err error) {
	all, err := kind{
		GroupVersionKind: kschema.GroupVersionKind{
			Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
		},
	}.list(ctx, c, "")
	if err != nil {
		return nil, nil, err
	}
	for _, d := range all {
		if _, own := d.GetLabels()[v1alpha1.LabelProvider]; own {
			continue
		}
		text := func(path ...string) string {
			s, _, _ := unstructured.NestedString(d.Object, append([]string{"spec"}, path...)...)
			return s
		}
		k := kind{plural: text("names", "plural"), namespaced: text("scope") == "Namespaced"}
		k.Group, k.Kind, k.Version = text("group"), text("names", "kind"), version(d)
		categories, _, _ := unstructured.NestedStringSlice(d.Object, "spec", "names", "categories")
		switch {
		case k.Version == "":
		case slices.Contains(categories, "managed"):
			kinds = append(kinds, k)
		case k.Kind == model.ProviderConfigKind || k.Kind == model.ClusterProviderConfigKind:
			configs = append(configs, k)
		}
	}
	return kinds, configs, nil
}

// version returns the version that the API server stores, or else the first that is served; empty
// without one.
func version(definition *unstructured.Unstructured) string {
	all, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	first := ""
	for _, x := range all {
		v, _ := x.(map[string]any)
		name, _ := v["name"].(string)
		if v["served"] != true {
			continue
		}
		if v["storage"] == true {
			return name
		}
		if first == "" {
			first = name
		}
	}
	return first
}
