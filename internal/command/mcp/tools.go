package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Names of tools that read.
const (
	searchTool    = "search"
	attentionTool = "attention"
	explainTool   = "explain"
	historyTool   = "history"
	graphTool     = "graph"
	planTool      = "plan"
	discoverTool  = "discover"
	upgradesTool  = "upgrades"
	previewTool   = "preview"
)

type nothing struct{}

type searchInput struct {
	Query string `json:"query" jsonschema:"a part of a name, a kind, an identity, an external name, or a value that is not sensitive"`
}

type historyInput struct {
	Kind          string `json:"kind,omitempty"          jsonschema:"kind of the resources; all by default"`
	Name          string `json:"name,omitempty"          jsonschema:"name of one resource of the kind"`
	Namespace     string `json:"namespace,omitempty"     jsonschema:"namespace of the resources; by default that of the kubeconfig's context"`
	AllNamespaces bool   `json:"allNamespaces,omitempty" jsonschema:"resources of all namespaces"`
	Since         string `json:"since,omitempty"         jsonschema:"only what is not older, such as 24h"`
	By            string `json:"by,omitempty"            jsonschema:"only what was approved by this user, or has this text in because"`
	At            string `json:"at,omitempty"            jsonschema:"the values that were known at this time, such as 2026-03-01T12:00:00Z; not with since and by"`
}

type graphInput struct {
	object
	Dependents *bool `json:"dependents,omitempty" jsonschema:"what depends on the object, too; true by default"`
}

type planInput struct {
	Manifest  string `json:"manifest"            jsonschema:"YAML or JSON of resources of providers and modules, one or several, as they would be applied"`
	Namespace string `json:"namespace,omitempty" jsonschema:"namespace of objects that name none; by default that of the kubeconfig's context"`
}

type discoverInput struct {
	Types     []string `json:"types"               jsonschema:"Terraform resource types, such as aws_vpc; * stands for any characters"`
	Unmanaged bool     `json:"unmanaged,omitempty" jsonschema:"only objects that no resource manages"`
	Limit     int      `json:"limit,omitempty"     jsonschema:"most objects of each type; 100 by default, 1000 at most"`
	Namespace string   `json:"namespace,omitempty" jsonschema:"namespace of the ProviderConfig; by default that of the kubeconfig's context"`
	// A provider configuration is named as the flag --provider-config names it.
	ProviderConfig        string `json:"providerConfig,omitempty"        jsonschema:"name of the ProviderConfig in the namespace"`
	ClusterProviderConfig string `json:"clusterProviderConfig,omitempty" jsonschema:"name of the ClusterProviderConfig; default without either"`
}

type upgradesInput struct {
	Providers []string `json:"providers,omitempty" jsonschema:"names of TerraformProviders; all by default"`
}

type previewInput struct {
	Provider  string `json:"provider"            jsonschema:"name of the TerraformProvider"`
	To        string `json:"to,omitempty"        jsonschema:"the new version, such as 2.0.0; by default spec.version of the TerraformProvider"`
	Namespace string `json:"namespace,omitempty" jsonschema:"only resources of this namespace"`
	Refresh   bool   `json:"refresh,omitempty"   jsonschema:"read the remote objects first"`
}

// addTools adds the tools that read.
func (s *server) addTools(to *mcp.Server) {
	add(s, to, tool{
		searchTool, "Search",
		"Search all objects of Landbridge in the cluster: names, kinds, identities, external names and values. " +
			"Answers, for example, which resource manages the object with an id.",
		false,
	}, s.search)
	add(s, to, tool{
		attentionTool, "What needs attention",
		"What needs attention in the cluster, the most urgent first, grouped by cause.", false,
	}, s.attention)
	add(s, to, tool{
		explainTool, "Explain",
		"Why an object is not ready: the chain over references, provider configuration, provider and controller to " +
			"the cause, and the command that helps.",
		false,
	}, s.explain)
	add(s, to, tool{
		historyTool, "History",
		"What happened to the remote objects of resources: operations with time, duration, outcome, by whose wish, " +
			"and what they have changed.",
		false,
	}, s.history)
	add(s, to, tool{graphTool, "Dependencies", "What an object depends on, and what depends on it, with the state of each.", false}, s.graph)
	add(s, to, tool{
		planTool, "Plan",
		"What applying a manifest would change of remote objects. Nothing is applied. Providers run on this machine " +
			"and read remote objects.",
		true,
	}, s.plan)
	add(s, to, tool{
		discoverTool, "Discover",
		"Which remote objects of a type exist, and which resources manage them. Providers run on this machine.", true,
	}, s.discover)
	add(s, to, tool{
		upgradesTool, "Newer versions",
		"Which newer versions the providers have, and which resources use what is deprecated. Providers run " +
			"on this machine.",
		true,
	}, s.upgrades)
	add(s, to, tool{
		previewTool, "Preview of an upgrade",
		"What a new version of a provider would do to the live resources. Nothing is changed. Both versions run " +
			"on this machine.",
		true,
	}, s.preview)
}

func (s *server) search(ctx context.Context, in searchInput) (answer, error) {
	s.follow()
	found, err := s.Views.Find(ctx, in.Query)
	return encoded("The search has found objects", found, err)
}

func (s *server) attention(ctx context.Context, _ nothing) (answer, error) {
	s.follow()
	a, err := s.Views.Attention(ctx)
	return encoded("This needs attention", a, err)
}

func (s *server) explain(ctx context.Context, in object) (answer, error) {
	if err := in.check(); err != nil {
		return answer{}, err
	}
	a := s.inNamespace(in.Namespace)
	a.flag("system-namespace", s.System)
	a.names = []string{in.Kind, in.Name}
	return s.run(ctx, Call{Args: a.all("explain")})
}

func (s *server) history(ctx context.Context, in historyInput) (answer, error) {
	for _, err := range []error{isName("name", in.Name), isNamespace(in.Namespace), isDuration("since", in.Since), isTime("at", in.At)} {
		if err != nil {
			return answer{}, err
		}
	}
	a := s.inNamespace(in.Namespace)
	a.flag("system-namespace", s.System)
	a.flag("since", in.Since)
	a.flag("by", in.By)
	a.flag("at", in.At)
	if in.AllNamespaces {
		a.flag("all-namespaces", "true")
	}
	switch {
	case in.Kind != "":
		if err := isKind(in.Kind); err != nil {
			return answer{}, err
		}
		a.names = []string{in.Kind}
		if in.Name != "" {
			a.names[0] += "/" + in.Name
		}
	case in.Name != "":
		return answer{}, fmt.Errorf("name is given without kind")
	}
	return s.run(ctx, Call{Args: a.all("history")})
}

func (s *server) graph(ctx context.Context, in graphInput) (answer, error) {
	if err := in.check(); err != nil {
		return answer{}, err
	}
	a := s.inNamespace(in.Namespace)
	if in.Dependents != nil {
		a.flag("dependents", strconv.FormatBool(*in.Dependents))
	}
	a.names = []string{in.Kind, in.Name}
	return s.run(ctx, Call{Args: a.all("graph")})
}

func (s *server) plan(ctx context.Context, in planInput) (answer, error) {
	if err := isNamespace(in.Namespace); err != nil {
		return answer{}, err
	}
	kinds, err := s.kinds(func(k status.Kind) bool { return k.Mode == model.Managed })
	if err != nil {
		return answer{}, err
	}
	if err := onlyResources(kinds, in.Manifest); err != nil {
		return answer{}, err
	}
	a := s.inNamespace(in.Namespace)
	a.flag("system-namespace", s.System)
	a.flag("filename", "-")
	return s.run(ctx, Call{Args: a.all("diff"), Input: in.Manifest})
}

// Objects of a type that discover lists.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

func (s *server) discover(ctx context.Context, in discoverInput) (answer, error) {
	for _, err := range []error{
		isNamespace(in.Namespace), isName("providerConfig", in.ProviderConfig),
		isName("clusterProviderConfig", in.ClusterProviderConfig),
	} {
		if err != nil {
			return answer{}, err
		}
	}
	if len(in.Types) == 0 {
		return answer{}, fmt.Errorf("types is empty. Name the types to list, such as aws_vpc")
	}
	for _, t := range in.Types {
		if !typeText.MatchString(t) {
			return answer{}, fmt.Errorf("types has %q, which is no resource type", t)
		}
	}
	limit := in.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 0 || limit > maxLimit {
		return answer{}, fmt.Errorf("limit is %d, and must be between 1 and %d", limit, maxLimit)
	}
	a := s.inNamespace(in.Namespace)
	a.flag("system-namespace", s.System)
	a.flag("limit", strconv.Itoa(limit))
	if in.Unmanaged {
		a.flag("unmanaged", "true")
	}
	switch {
	case in.ProviderConfig != "" && in.ClusterProviderConfig != "":
		return answer{}, fmt.Errorf("providerConfig and clusterProviderConfig are both given, and only one may be")
	case in.ProviderConfig != "":
		a.flag("provider-config", "ProviderConfig/"+in.ProviderConfig)
	case in.ClusterProviderConfig != "":
		a.flag("provider-config", "ClusterProviderConfig/"+in.ClusterProviderConfig)
	}
	a.names = in.Types
	return s.run(ctx, Call{Args: a.all("discover")})
}

func (s *server) upgrades(ctx context.Context, in upgradesInput) (answer, error) {
	for _, name := range in.Providers {
		if err := isName("providers", name); err != nil {
			return answer{}, err
		}
	}
	a := s.arguments()
	a.names = in.Providers
	return s.run(ctx, Call{Args: a.all("upgrade", "plan")})
}

func (s *server) preview(ctx context.Context, in previewInput) (answer, error) {
	for _, err := range []error{isName("provider", in.Provider), isNamespace(in.Namespace), isVersion("to", in.To)} {
		if err != nil {
			return answer{}, err
		}
	}
	a := s.arguments()
	a.flag("namespace", in.Namespace)
	a.flag("system-namespace", s.System)
	a.flag("to", in.To)
	if in.Refresh {
		a.flag("refresh", "true")
	}
	a.names = []string{in.Provider}
	return s.run(ctx, Call{Args: a.all("upgrade", "preview")})
}

// kinds returns the kinds of what providers and modules serve that are selected.
func (s *server) kinds(selected func(status.Kind) bool) ([]status.Kind, error) {
	out, err := s.Cluster.AllKinds()
	return slices.DeleteFunc(out, func(k status.Kind) bool { return k.Supporting || !selected(k) }), err
}

// arguments returns those that all commands have.
func (s *server) arguments() *arguments {
	a := &arguments{flags: slices.Clone(s.Flags)}
	a.flag("output", "json")
	return a
}

// inNamespace returns those of commands that work in one namespace.
func (s *server) inNamespace(namespace string) *arguments {
	a := s.arguments()
	a.flag("namespace", cmp.Or(namespace, s.Namespace))
	return a
}
