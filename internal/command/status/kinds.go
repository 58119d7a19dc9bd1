package status

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Client accesses managed resources.
type Client struct {
	dynamic   dynamic.Interface
	discovery discovery.DiscoveryInterface
}

// NewClient returns a client. It does not connect yet.
func NewClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // one request for each kind, and there may be many
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	disco, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Client{dynamic: d, discovery: disco}, nil
}

// Kind is a kind that a cluster serves: of managed resources, of data sources, ephemeral resources
// or actions, or of what they need.
type Kind struct {
	schema.GroupVersionResource
	Kind, Singular string
	ShortNames     []string
	// Supporting is set for a kind of what managed resources need: providers, modules, provider
	// configurations and policies.
	Supporting bool
	// Mode is that of the kind: model.Managed for managed resources and what they need.
	Mode model.Mode
	// Cluster is set if the objects have no namespace.
	Cluster bool
}

// String returns the unique name of the kind, such as password.random.landbridge.io.
func (k Kind) String() string { return k.Singular + "." + k.Group }

// fullName is the kind of rows, such as password.random.landbridge.io.
func (k Kind) fullName() string { return strings.ToLower(k.Kind) + "." + k.Group }

// place orders kinds as rows are ordered: what resources need comes first.
func (k Kind) place() string {
	if k.Supporting {
		return "0 " + k.fullName() + " "
	}
	return "1 " + k.fullName() + " "
}

// Kinds returns the kinds of managed resources, by group and name. Groups that are unavailable are
// left out; the error names them.
func (c *Client) Kinds() ([]Kind, error) {
	out, err := c.AllKinds()
	return slices.DeleteFunc(out, func(k Kind) bool { return k.Supporting || k.Mode != model.Managed }), err
}

// AllKinds returns the kinds of managed resources, then those of data sources, ephemeral resources
// and actions, and then those of what they need, as Kinds does.
func (c *Client) AllKinds() ([]Kind, error) {
	_, lists, err := c.discovery.ServerGroupsAndResources()
	if err != nil && len(lists) == 0 {
		return nil, fmt.Errorf("cannot find out which kinds the cluster serves: %w", err)
	}
	var out []Kind
	for _, list := range lists {
		gv, parseErr := schema.ParseGroupVersion(list.GroupVersion)
		if parseErr != nil {
			continue
		}
		for _, r := range list.APIResources {
			k := Kind{
				GroupVersionResource: gv.WithResource(r.Name), Kind: r.Kind, Singular: r.SingularName,
				ShortNames: r.ShortNames, Cluster: !r.Namespaced,
			}
			k.Supporting = supporting(gv.Group, r)
			for _, mode := range model.Unmanaged {
				if inCategory(r, mode.Category()) {
					k.Mode = mode
				}
			}
			if k.Supporting || k.Mode != model.Managed || gv.Group != v1alpha1.Group && inCategory(r, model.Category) {
				out = append(out, k)
			}
		}
	}
	slices.SortFunc(out, func(a, b Kind) int { return strings.Compare(a.order(), b.order()) })
	var partial *discovery.ErrGroupDiscoveryFailed
	if errors.As(err, &partial) {
		// Another API's server may be unavailable. That only matters for its own kinds.
		err = nil
	}
	return out, err
}

func (k Kind) order() string {
	order := "0 "
	switch {
	case k.Supporting:
		order = "2 "
	case k.Mode != model.Managed:
		order = "1 "
	}
	return order + k.Group + " " + k.Singular
}

// inCategory reports whether a kind of a category can be listed.
func inCategory(r metav1.APIResource, category string) bool {
	return slices.Contains(r.Categories, category) && !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list")
}

// supporting reports whether a kind is one of what managed resources need.
func supporting(group string, r metav1.APIResource) bool {
	if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list") {
		return false
	}
	config := r.Kind == model.ProviderConfigKind || r.Kind == model.ClusterProviderConfigKind
	return group == v1alpha1.Group || config && slices.Contains(r.Categories, "provider")
}

// Find returns the kind with a name: its plural, singular, kind or a short name, with or without
// the group, in upper or lower case. A name without the group that several kinds have is that of a
// resource type, rather than that of a data source, an ephemeral resource or an action.
func Find(kinds []Kind, name string) (Kind, error) {
	short, group, _ := strings.Cut(strings.ToLower(name), ".")
	var found []Kind
	for _, k := range kinds {
		if k.called(short) && (group == "" || group == k.Group || group == k.Version+"."+k.Group) {
			found = append(found, k)
		}
	}
	if resources := slices.DeleteFunc(slices.Clone(found), func(k Kind) bool { return k.Mode != model.Managed }); len(resources) > 0 {
		found = resources
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(kinds) == 0 {
			return Kind{}, fmt.Errorf("there is no kind %s: the cluster serves no managed resources; kubectl get "+
				"terraformproviders shows which providers are installed", name)
		}
		return Kind{}, fmt.Errorf("there is no kind %s among the managed resources; kubectl api-resources "+
			"--categories=%s lists them", name, model.Category)
	default:
		all := make([]string, len(found))
		for i, k := range found {
			all[i] = k.String()
		}
		return Kind{}, fmt.Errorf("several kinds are called %s; say which: %s", name, strings.Join(all, ", "))
	}
}

// KindOf returns the kind of a row.
func KindOf(kinds []Kind, r Row) (Kind, error) {
	for _, k := range kinds {
		if k.Kind == r.Kind && k.GroupVersion().String() == r.APIVersion {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("the kind of %s is not served any more", r.Title())
}

func (k Kind) called(name string) bool {
	return name == k.Resource || name == k.Singular || name == strings.ToLower(k.Kind) || slices.Contains(k.ShortNames, name)
}
