package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Key identifies an object.
type Key struct {
	// Group and Kind are as in the API, such as random.landbridge.io and Password.
	Group string `json:"group,omitempty"`
	Kind  string `json:"kind"`
	// Namespace is empty for kinds without namespaces.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns the key for people, such as Password team-a/db.
func (k Key) String() string {
	if k.Namespace == "" {
		return k.Kind + " " + k.Name
	}
	return k.Kind + " " + k.Namespace + "/" + k.Name
}

// resource returns KIND.GROUP/NAME, as kubectl and landbridge take it.
func (k Key) resource() string {
	out := strings.ToLower(k.Kind)
	if k.Group != "" {
		out += "." + k.Group
	}
	return out + "/" + k.Name
}

// in returns the flag that names the namespace; "" without one.
func (k Key) in() string {
	if k.Namespace == "" {
		return ""
	}
	return " -n " + k.Namespace
}

func keyOf(u *unstructured.Unstructured) Key {
	gvk := u.GroupVersionKind()
	return Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// Unread is an object that could not be read.
type Unread struct {
	Key
	// Why it could not be read.
	Why string `json:"why"`
}

// Snapshot is what was read of a cluster to explain one object. What is neither in Objects nor in
// Unread does not exist.
type Snapshot struct {
	// At is when it was read.
	At time.Time `json:"at"`
	// Subject is the object to explain.
	Subject Key `json:"subject"`
	// Objects are the subject and what its state depends on. Of Secrets they have only the
	// metadata.
	Objects []*unstructured.Unstructured `json:"objects"`
	Unread  []Unread                     `json:"unread,omitempty"`
	// Owners are what serves kinds: the values of the label landbridge.io/provider of their CRDs,
	// by KIND.GROUP. Types are Terraform's names of their types. Kinds of modules have none.
	Owners map[string]string `json:"owners,omitempty"`
	Types  map[string]string `json:"types,omitempty"`
	// References are the kinds that the references beside fields may refer to: the values of the
	// annotation landbridge.io/references of CRDs, by KIND.GROUP.
	References map[string]map[string][]string `json:"references,omitempty"`
	// Events are those of the subject.
	Events []corev1.Event `json:"events,omitempty"`
	// System is the namespace of the controller, and Leases are those of its replicas. LeasesUnread
	// says why they are unknown.
	System       string                 `json:"system,omitempty"`
	Leases       []coordinationv1.Lease `json:"leases,omitempty"`
	LeasesUnread string                 `json:"leasesUnread,omitempty"`
	// Shards says which shard each provider configuration belongs to; nil if the replicas do not
	// share the work, or if it could not be read. ShardsUnread says why it is unknown.
	Shards       *shard.Table `json:"shards,omitempty"`
	ShardsUnread string       `json:"shardsUnread,omitempty"`
}

// find returns an object; nil if it does not exist or could not be read.
func (s *Snapshot) find(k Key) *unstructured.Unstructured {
	i := slices.IndexFunc(s.Objects, func(u *unstructured.Unstructured) bool { return keyOf(u) == k })
	if i < 0 {
		return nil
	}
	return s.Objects[i]
}

// unread returns why an object could not be read; "" if it was read or does not exist.
func (s *Snapshot) unread(k Key) string {
	for _, u := range s.Unread {
		if u.Key == k {
			return u.Why
		}
	}
	return ""
}

// selected returns the objects that a link selects, by name.
func (s *Snapshot) selected(l link) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, u := range s.Objects {
		k := keyOf(u)
		if k.Group == l.Group && k.Kind == l.Kind && k.Namespace == l.Namespace &&
			labels.SelectorFromSet(l.labels).Matches(labels.Set(u.GetLabels())) {
			out = append(out, u)
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}

// via is how an object depends on another.
type via string

const (
	viaReference via = "reference"
	viaSecret    via = "secret"
	viaConfig    via = "configuration"
	viaOwner     via = "owner"
	viaProvider  via = "provider"
	viaSource    via = "source"
	viaSandbox   via = "sandbox"
	viaShard     via = "shard"
)

// link is a dependency of an object.
type link struct {
	Key
	version string // of the group; "" for any
	via     via
	// field of the object that names the other.
	field string
	// key of a Secret.
	key string
	// labels select objects. The link has no name then.
	labels map[string]string
}

const landbridgeGroup = v1alpha1.Group

// moduleOwner is the prefix of the label landbridge.io/provider for kinds of a TerraformModule.
const moduleOwner = "Module."

// isConfig reports whether the object is a provider configuration.
func isConfig(k Key) bool {
	return k.Group != landbridgeGroup && (k.Kind == model.ProviderConfigKind || k.Kind == model.ClusterProviderConfigKind)
}

// links returns what the state of an object depends on.
func (s *Snapshot) links(u *unstructured.Unstructured) []link {
	k := keyOf(u)
	switch {
	case k.Group == landbridgeGroup && k.Kind == "TerraformModule":
		return moduleLinks(u, s.System)
	case k.Group == landbridgeGroup || k.Group == "":
		return nil
	}
	owner, group := s.ownerLinks(k), strings.TrimPrefix(k.Group, string(s.modeOf(k))+".")
	if isConfig(k) {
		return append(secretLinks(u, u.Object["spec"], "spec"), owner...)
	}
	out := append(referenceLinks(u), s.besideLinks(u)...)
	forProvider, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "forProvider")
	out = append(out, secretLinks(u, forProvider, "spec.forProvider")...)
	if len(owner) > 0 && owner[0].Kind == "TerraformModule" {
		out = append(out, s.instanceConfigLinks(u, owner[0].Key)...)
	} else if ref, ok, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRef"); ok {
		out = append(out, configLink(u, ref, "spec.providerConfigRef", group))
	}
	return append(out, owner...)
}

// modeOf returns the mode of an object. The provider configurations of what is no resource are of
// another group.
func (s *Snapshot) modeOf(k Key) model.Mode {
	of := k.Group
	if name, known := s.Types[k.Kind+"."+k.Group]; known {
		of = name
	}
	mode, _ := model.ModeOf(of)
	return mode
}

// ownerLinks returns what serves the kind of an object: a TerraformProvider or a TerraformModule;
// none for programs that are made for one provider.
func (s *Snapshot) ownerLinks(k Key) []link {
	owner := s.Owners[k.Kind+"."+k.Group]
	switch name, isModule := strings.CutPrefix(owner, moduleOwner); {
	case owner == "":
		return nil
	case isModule:
		return []link{{Key: Key{Group: landbridgeGroup, Kind: "TerraformModule", Name: name}, via: viaOwner}}
	default:
		return []link{{Key: Key{Group: landbridgeGroup, Kind: "TerraformProvider", Name: owner}, via: viaOwner}}
	}
}

// instanceConfigLinks returns the provider configurations of the instance of a module: one for each
// of its providers, and those that are named for one.
func (s *Snapshot) instanceConfigLinks(u *unstructured.Unstructured, module Key) []link {
	m := s.find(module)
	if m == nil {
		return nil
	}
	providers, _, _ := unstructured.NestedStringMap(m.Object, "status", "providers")
	every, _, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRef")
	named, _, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRefs")
	var out []link
	for _, source := range sortedKeys(providers) {
		p := s.find(Key{Group: landbridgeGroup, Kind: "TerraformProvider", Name: providers[source]})
		if p == nil {
			continue
		}
		group, _, _ := unstructured.NestedString(p.Object, "spec", "group")
		group = cmp.Or(group, p.GetName()+"."+landbridgeGroup)
		local := source[strings.LastIndex(source, "/")+1:]
		used := false
		for _, name := range sortedKeys(named) {
			ref, _ := named[name].(map[string]any)
			if alias := strings.HasPrefix(name, local+"."); ref != nil && (name == local || alias) {
				used = used || !alias
				out = append(out, configLink(u, ref, "spec.providerConfigRefs."+name, group))
			}
		}
		if !used && every != nil {
			// Each provider has a configuration of that name in its own group.
			out = append(out, configLink(u, every, "spec.providerConfigRef for "+local, group))
		}
	}
	return out
}

func configLink(u *unstructured.Unstructured, ref map[string]any, field, group string) link {
	of := providerconfig.ReferenceIn(ref, u.GetNamespace())
	return link{Key: Key{Group: group, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name}, via: viaConfig, field: field}
}

func referenceLinks(u *unstructured.Unstructured) []link {
	var out []link
	refs, _, _ := unstructured.NestedSlice(u.Object, "spec", "references")
	for _, r := range refs {
		ref, _ := r.(map[string]any)
		from, _ := ref["from"].(map[string]any)
		if from == nil {
			continue
		}
		text := func(name string) string { s, _ := from[name].(string); return s }
		gv, err := schema.ParseGroupVersion(cmp.Or(text("apiVersion"), u.GetAPIVersion()))
		if err != nil {
			continue
		}
		l := link{
			Key:     Key{Group: gv.Group, Kind: text("kind"), Namespace: cmp.Or(text("namespace"), u.GetNamespace()), Name: text("name")},
			version: gv.Version, via: viaReference,
		}
		if to, _ := ref["to"].(string); to != "" {
			l.field = "spec." + to
		}
		if l.Name == "" {
			l.labels, _, _ = unstructured.NestedStringMap(from, "selector", "matchLabels")
		}
		out = append(out, l)
	}
	return out
}

// besideLinks returns what the references and selectors beside fields of an object name.
func (s *Snapshot) besideLinks(u *unstructured.Unstructured) []link {
	k := keyOf(u)
	targets := s.References[k.Kind+"."+k.Group]
	if len(targets) == 0 {
		return nil
	}
	var out []link
	for _, part := range []string{"initProvider", "forProvider"} {
		value, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", part)
		out = append(out, besideLinks(u, value, targets, "", "spec."+part)...)
	}
	return out
}

// besideLinks returns what a value names: path is that of the value in the schema, and at that in
// the object, with indexes.
func besideLinks(u *unstructured.Unstructured, value any, targets map[string][]string, path, at string) []link {
	var out []link
	switch v := value.(type) {
	case []any:
		for i, x := range v {
			out = append(out, besideLinks(u, x, targets, path, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			field, inner := at+"."+name, strings.TrimPrefix(path+"."+name, ".")
			kinds := targets[inner]
			if len(kinds) == 0 {
				out = append(out, besideLinks(u, v[name], targets, inner, field)...)
				continue
			}
			refs, many := v[name].([]any)
			if !many {
				refs = []any{v[name]}
			}
			for _, r := range refs {
				if ref, ok := r.(map[string]any); ok {
					out = append(out, besideLink(u, ref, kinds, field)...)
				}
			}
		}
	}
	return out
}

// besideLink returns what a reference or a selector names; none for a selector without labels.
func besideLink(u *unstructured.Unstructured, ref map[string]any, kinds []string, field string) []link {
	text := func(name string) string { s, _ := ref[name].(string); return s }
	gk := schema.ParseGroupKind(kinds[0])
	for _, other := range kinds {
		if k := schema.ParseGroupKind(other); k.Kind == text("kind") {
			gk = k
		}
	}
	l := link{
		Key: Key{
			Group: cmp.Or(gk.Group, u.GroupVersionKind().Group), Kind: gk.Kind,
			Namespace: cmp.Or(text("namespace"), u.GetNamespace()), Name: text("name"),
		},
		via: viaReference, field: field,
	}
	if l.Name == "" {
		if l.labels, _, _ = unstructured.NestedStringMap(ref, "matchLabels"); len(l.labels) == 0 {
			return nil
		}
	}
	return []link{l}
}

// secretLinks returns the Secrets that fields refer to, below a value at a path.
func secretLinks(u *unstructured.Unstructured, value any, path string) []link {
	var out []link
	switch v := value.(type) {
	case []any:
		for _, x := range v {
			out = append(out, secretLinks(u, x, path)...)
		}
	case map[string]any:
		for _, name := range sortedKeys(v) {
			ref, _ := v[name].(map[string]any)
			at := path + "." + name
			secret, _ := ref["name"].(string)
			key, _ := ref["key"].(string)
			if !strings.HasSuffix(name, "SecretRef") || secret == "" {
				out = append(out, secretLinks(u, v[name], at)...)
				continue
			}
			namespace, _ := ref["namespace"].(string)
			out = append(out, link{
				Key: Key{Kind: "Secret", Namespace: cmp.Or(namespace, u.GetNamespace()), Name: secret}, version: "v1",
				via: viaSecret, field: at, key: key,
			})
		}
	}
	return out
}

func moduleLinks(u *unstructured.Unstructured, system string) []link {
	var out []link
	source, _, _ := unstructured.NestedMap(u.Object, "spec", "source")
	if ref, _ := source["configMapRef"].(map[string]any); ref != nil {
		namespace, _ := ref["namespace"].(string)
		name, _ := ref["name"].(string)
		out = append(out, link{
			Key: Key{Kind: "ConfigMap", Namespace: namespace, Name: name}, version: "v1", via: viaSource,
			field: "spec.source.configMapRef",
		})
	}
	if ref, _ := source["credentialsSecretRef"].(map[string]any); ref != nil {
		name, _ := ref["name"].(string)
		out = append(out, link{
			Key: Key{Kind: "Secret", Namespace: system, Name: name}, version: "v1", via: viaSecret,
			field: "spec.source.credentialsSecretRef",
		})
	}
	providers, _, _ := unstructured.NestedStringMap(u.Object, "status", "providers")
	if len(providers) == 0 {
		providers, _, _ = unstructured.NestedStringMap(u.Object, "spec", "providers")
	}
	for _, source := range sortedKeys(providers) {
		out = append(out, link{
			Key: Key{Group: landbridgeGroup, Kind: "TerraformProvider", Name: providers[source]},
			via: viaProvider, field: source,
		})
	}
	return out
}

func sortedKeys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
