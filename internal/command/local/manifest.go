package local

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

const (
	defaultName      = "default" // of provider configurations, and of namespaces
	externalNameKey  = "crossplane.io/external-name"
	pausedKey        = "crossplane.io/paused"
	invalidReference = "Invalid provider configuration reference"
)

// ManifestResource is a custom resource of a manifest, translated.
type ManifestResource struct {
	Model           *model.Resource
	Namespace, Name string
	// Source is the file, and the place in it.
	Source string

	// config is nil when the object is only to be observed.
	config *terraform.Config
	// imports is the object to take over; known is where it was last known to be.
	imports, known *terraform.ImportTarget
	policies       []string
	paused         bool
	replaceNever   bool
	keepTainted    bool
	untaint        bool
	// provider is the provider configuration.
	provider cty.Value
}

// Label is the resource's name within its address: a name that Terraform would take.
func (r *ManifestResource) Label() string {
	label := strings.ReplaceAll(r.Name, ".", "_")
	if label == "" || label[0] >= '0' && label[0] <= '9' {
		label = "_" + label
	}
	return label
}

// Address is Terraform's address of the resource.
func (r *ManifestResource) Address() string { return r.Model.Type + "." + r.Label() }

func (r *ManifestResource) allows(action string) bool {
	return slices.Contains(r.policies, action) || slices.Contains(r.policies, "*")
}

// Manifest is what manifests ask for.
type Manifest struct {
	// Resources are in the order of the manifest.
	Resources []*ManifestResource
	secrets   *redact.Redactor
}

type objectKey struct{ kind, namespace, name string }

// reader reads the documents of a manifest.
type reader struct {
	provider *model.Provider
	kinds    map[kschema.GroupVersionKind]*model.Resource
	out      *Manifest
	messages Messages
	seen     map[objectKey]string
	secrets  map[objectKey]map[string][]byte
	configs  map[objectKey]configDocument
	// values are the provider configurations that were translated.
	values map[objectKey]cty.Value
}

type configDocument struct {
	configObject
	source string
}

// ReadManifest reads custom resources of one provider, with the Secrets and provider
// configurations they refer to. With errors the Manifest is incomplete.
func ReadManifest(p *model.Provider, sources []Source) (*Manifest, Messages) {
	r := &reader{
		provider: p, kinds: map[kschema.GroupVersionKind]*model.Resource{}, out: &Manifest{secrets: &redact.Redactor{}},
		seen: map[objectKey]string{}, secrets: map[objectKey]map[string][]byte{},
		configs: map[objectKey]configDocument{}, values: map[objectKey]cty.Value{},
	}
	for _, m := range p.Resources {
		r.kinds[m.GroupVersionKind()] = m
	}
	var resources []document
	for _, s := range sources {
		docs, messages := documents(s)
		r.messages = append(r.messages, messages...)
		for _, d := range docs {
			switch gvk := d.GroupVersionKind(); {
			case r.kinds[gvk] != nil:
				resources = append(resources, d)
			case gvk == corev1.SchemeGroupVersion.WithKind("Secret"):
				r.secret(d)
			case r.isConfig(gvk):
				r.config(d)
			case gvk.Group == v1alpha1.GroupVersion.Group && gvk.Kind == "TerraformProvider", gvk == corev1.SchemeGroupVersion.WithKind("Namespace"):
				r.messages = append(r.messages, Message{Severity: diagnostic.Warning, Source: d.source, Summary: "Not used",
					Detail: fmt.Sprintf("A %s means something in a cluster only.", gvk.Kind)})
			default:
				r.messages = append(r.messages, r.unknownKind(d, gvk))
			}
		}
	}
	for _, k := range sortedKeys(r.configs) {
		r.configure(k)
	}
	for _, d := range resources {
		r.resource(d)
	}
	if len(r.out.Resources) == 0 && !r.messages.HasErrors() {
		r.messages = append(r.messages, errorf("", "Nothing to do", "There is no resource of %s in the manifest.", p.Group))
	}
	return r.out, conceal(r.out.secrets, r.messages)
}

func (r *reader) isConfig(gvk kschema.GroupVersionKind) bool {
	return gvk.Group == r.provider.Group && gvk.Version == r.provider.Version && (gvk.Kind == model.ProviderConfigKind || gvk.Kind == model.ClusterProviderConfigKind)
}

func sortedKeys[V any](m map[objectKey]V) []objectKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b objectKey) int {
		return strings.Compare(a.kind+"\x00"+a.namespace+"\x00"+a.name, b.kind+"\x00"+b.namespace+"\x00"+b.name)
	})
}

func (r *reader) unknownKind(d document, gvk kschema.GroupVersionKind) Message {
	var groups, near []string
	for known := range r.kinds {
		if !slices.Contains(groups, known.GroupVersion().String()) {
			groups = append(groups, known.GroupVersion().String())
		}
		if strings.EqualFold(known.Kind, gvk.Kind) || strings.EqualFold(r.kinds[known].Type, gvk.Kind) || strings.EqualFold(r.kinds[known].Plural, gvk.Kind) {
			near = append(near, fmt.Sprintf("%s of %s", known.Kind, known.GroupVersion()))
		}
	}
	slices.Sort(groups)
	slices.Sort(near)
	detail := fmt.Sprintf("The provider has no kind %s of %s. Its kinds are of %s; landbridge provider inspect lists them.", gvk.Kind, d.APIVersion, strings.Join(groups, ", "))
	if len(near) > 0 {
		detail = fmt.Sprintf("The provider has no kind %s of %s. Did you mean %s?", gvk.Kind, d.APIVersion, strings.Join(near, " or "))
	}
	return errorf(d.source, "Unknown kind", "%s", detail)
}

// add notes an object, and says whether it is one that can be used.
func (r *reader) add(d document, key objectKey, meta metav1.ObjectMeta) bool {
	if msgs := validation.NameIsDNSSubdomain(meta.Name, false); len(msgs) > 0 {
		m := errorf(d.source, "Invalid name", "%s.", strings.Join(msgs, "; "))
		m.Path = "metadata.name"
		r.messages = append(r.messages, m)
		return false
	}
	if at, ok := r.seen[key]; ok {
		r.messages = append(r.messages, errorf(d.source, "Duplicate object", "There is another %s of the same name in %s.", d.Kind, at))
		return false
	}
	r.seen[key] = d.source
	return true
}

func (r *reader) secret(d document) {
	var s corev1.Secret
	if m := d.decode(&s); len(m) > 0 {
		r.messages = append(r.messages, m...)
		return
	}
	key := objectKey{d.GroupVersionKind().String(), namespaceOr(s.Namespace), s.Name}
	if r.add(d, key, s.ObjectMeta) {
		r.secrets[objectKey{namespace: key.namespace, name: s.Name}] = secretData(&s)
	}
}

func namespaceOr(namespace string) string {
	if namespace == "" {
		return defaultName
	}
	return namespace
}

// read reads Secrets; own is the namespace that a reference without one means, and the only
// one it may mean unless foreign.
func (r *reader) read(own string, foreign bool) translate.Secrets {
	return func(s translate.SecretKeySelector) ([]byte, error) {
		namespace := namespaceOr(own)
		if foreign && s.Namespace != "" {
			namespace = s.Namespace
		}
		data, ok := r.secrets[objectKey{namespace: namespace, name: s.Name}]
		if !ok {
			return nil, fmt.Errorf("there is no Secret %s of namespace %s in the manifest", s.Name, namespace)
		}
		b, ok := data[s.Key]
		if !ok {
			return nil, fmt.Errorf("the Secret %s has no key %s", s.Name, s.Key)
		}
		r.out.secrets.Add(b)
		return b, nil
	}
}

func (r *reader) config(d document) {
	var c configObject
	if m := d.decode(&c); len(m) > 0 {
		r.messages = append(r.messages, m...)
		return
	}
	key := objectKey{kind: d.Kind, name: c.Metadata.Name}
	if d.Kind == model.ProviderConfigKind {
		key.namespace = namespaceOr(c.Metadata.Namespace)
	}
	if r.add(d, key, c.Metadata) {
		r.configs[key] = configDocument{c, d.source}
	}
}

func (r *reader) configure(key objectKey) {
	c := r.configs[key]
	v, diags := translate.ProviderConfig(r.provider, c.Spec, r.read(key.namespace, key.kind == model.ClusterProviderConfigKind))
	r.messages = append(r.messages, translated(c.source, "", diags, r.provider.UserPath)...)
	if !diags.HasErrors() {
		r.values[key] = v
	}
}

func (r *reader) resource(d document) {
	var o customResource
	if m := d.decode(&o); len(m) > 0 {
		r.messages = append(r.messages, m...)
		return
	}
	m := r.kinds[d.GroupVersionKind()]
	namespace := namespaceOr(o.Metadata.Namespace)
	if !r.add(d, objectKey{d.GroupVersionKind().String(), namespace, o.Metadata.Name}, o.Metadata) {
		return
	}
	out := &ManifestResource{Model: m, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Source: d.source}
	address := objectKey{kind: "address", name: out.Address()}
	if at, ok := r.seen[address]; ok {
		r.messages = append(r.messages, errorf(d.source, "Duplicate address", "Its address in the state is %s, and so is that of the object in %s. Use a state file for each.", out.Address(), at))
		return
	}
	r.seen[address] = d.source

	t := resourceReader{reader: r, out: out, spec: o.Spec, annotations: o.Metadata.Annotations}
	t.source, t.namespace = d.source, namespace
	t.read()
	if !t.failed {
		r.out.Resources = append(r.out.Resources, out)
	}
}

// resourceReader reads the spec of one resource.
type resourceReader struct {
	*reader
	out               *ManifestResource
	spec              resourceSpec
	annotations       map[string]string
	source, namespace string
	failed            bool
}

func (t *resourceReader) refuse(path, summary, detail string, args ...any) {
	m := errorf(t.source, summary, detail, args...)
	m.Address, m.Path = t.out.Address(), path
	t.messages = append(t.messages, m)
	t.failed = true
}

func (t *resourceReader) say(diags diagnostic.Diagnostics, spell func(cty.Path) string) {
	t.messages = append(t.messages, translated(t.source, t.out.Address(), diags, spell)...)
	t.failed = t.failed || diags.HasErrors()
}

func (t *resourceReader) read() {
	t.readPolicies()
	t.readImport()
	t.readProvider()
	if !t.out.allows("Create") && !t.out.allows("Update") && !t.complete() {
		return // what is only observed need not be described
	}
	t.readConfig()
}

var managementPolicies = []string{"Observe", "Create", "Update", "Delete", "LateInitialize", "*"}

func (t *resourceReader) readPolicies() {
	t.out.policies = []string{"*"}
	if p := t.spec.ManagementPolicies; p != nil {
		t.out.policies = *p
	}
	for i, p := range t.out.policies {
		if !slices.Contains(managementPolicies, p) {
			t.refuse(fmt.Sprintf("spec.managementPolicies[%d]", i), "Unsupported value", "%q is none of %s.", p, strings.Join(managementPolicies, ", "))
		}
	}
	t.out.paused = len(t.out.policies) == 0 || t.annotations[pausedKey] == "true"
	oneOf := func(path, value string, allowed ...string) {
		if value != "" && !slices.Contains(allowed, value) {
			t.refuse(path, "Unsupported value", "%q is none of %s.", value, strings.Join(allowed, ", "))
		}
	}
	l := t.spec.Lifecycle
	oneOf("spec.lifecycle.replacePolicy", l.ReplacePolicy, crd.ReplaceAutomatic, crd.ReplaceNever)
	oneOf("spec.lifecycle.taintPolicy", l.TaintPolicy, crd.TaintReplace, crd.TaintKeep)
	t.out.replaceNever, t.out.keepTainted = l.ReplacePolicy == crd.ReplaceNever, l.TaintPolicy == crd.TaintKeep
	t.out.untaint = t.annotations[v1alpha1.AnnotationUntaint] != ""
}

func (t *resourceReader) readImport() {
	if raw := t.annotations[v1alpha1.AnnotationIdentity]; raw != "" && t.out.Model.Schema.Identity != nil {
		var identity map[string]any
		if json.Unmarshal([]byte(raw), &identity) == nil {
			if v, diags := translate.ImportIdentity(t.out.Model, identity); !diags.HasErrors() {
				t.out.known = &terraform.ImportTarget{Identity: v}
			}
		}
	}
	if t.annotations[externalNameKey] != "" && t.out.known == nil {
		id, err := translate.ImportID(t.out.Model, t.about())
		if err != nil {
			t.refuse("metadata.annotations["+externalNameKey+"]", "Object cannot be looked for", "%s.", err)
		}
		t.out.known = &terraform.ImportTarget{ID: id, Identity: cty.NilVal}
	}
	i := t.spec.Import
	switch {
	case i == nil:
	case (i.ID != nil) == (i.Identity != nil):
		t.refuse("spec.import", "Invalid import", "Give exactly one of spec.import.id and spec.import.identity.")
	case i.ID != nil && *i.ID == "":
		t.refuse("spec.import.id", "Invalid import", "The id is empty.")
	case i.ID != nil:
		t.out.imports = &terraform.ImportTarget{ID: *i.ID, Identity: cty.NilVal}
	default:
		v, diags := translate.ImportIdentity(t.out.Model, i.Identity)
		t.say(diags, func(p cty.Path) string { return translate.IdentityPath(t.out.Model, p) })
		t.out.imports = &terraform.ImportTarget{Identity: v}
	}
}

// about is the resource, as far as the configuration of its kind is about it.
func (t *resourceReader) about() translate.Subject {
	// As the API server would have it.
	kind, name := model.ClusterProviderConfigKind, defaultName
	if ref := t.spec.ProviderConfigRef; ref != nil {
		kind, name = ref.Kind, ref.Name
	}
	return translate.Subject{
		Namespace: t.namespace, Name: t.out.Name, ExternalName: t.annotations[externalNameKey],
		ProviderConfigKind: kind, ProviderConfigName: name,
		ForProvider: t.spec.ForProvider, InitProvider: t.spec.InitProvider,
	}
}

// readProvider finds the provider configuration. Without any, the provider is on its own: many
// have nothing that must be configured.
func (t *resourceReader) readProvider() {
	key := objectKey{kind: model.ClusterProviderConfigKind, name: defaultName}
	ref := t.spec.ProviderConfigRef
	if ref != nil {
		key = objectKey{kind: ref.Kind, name: ref.Name}
	}
	switch key.kind {
	case model.ClusterProviderConfigKind:
	case model.ProviderConfigKind:
		key.namespace = t.namespace
	default:
		t.refuse("spec.providerConfigRef.kind", invalidReference, "It is %q, where %s or %s is meant.", key.kind, model.ProviderConfigKind, model.ClusterProviderConfigKind)
		return
	}
	_, given := t.configs[key]
	v, valid := t.values[key]
	switch {
	case valid:
		t.out.provider = v
	case given:
		t.failed = true // that was said already
	case key == objectKey{kind: model.ClusterProviderConfigKind, name: defaultName}:
		t.out.provider = t.provider.Schema.Config.EmptyValue()
	default:
		t.refuse("spec.providerConfigRef", "Provider configuration not found", "There is no %s %s in the manifest.", key.kind, key.name)
	}
}

// complete says whether the spec has all the fields that the schema requires.
func (t *resourceReader) complete() bool {
	for _, f := range t.out.Model.Root().Object.Settable() {
		if !f.Required || !f.Input {
			continue
		}
		_, always := t.spec.ForProvider[f.InputName()]
		_, initially := t.spec.InitProvider[f.InputName()]
		if !always && !initially {
			return false
		}
	}
	return true
}

func (t *resourceReader) readConfig() {
	m := t.out.Model
	for _, ref := range translate.References(m, t.spec.ForProvider) {
		if field := ref.Field().JSONName; ref.Object[field] == nil {
			t.refuse(ref.Path+field, "Reference not resolved", "References mean something in a cluster only: give %s its value here.", field)
		}
	}
	c, diags := translate.Desired(m, t.about(), t.reader.read(t.namespace, false))
	t.say(diags, m.UserPath)
	all, paths, more := translate.IgnoreChanges(m, t.spec.Lifecycle.IgnoreChanges)
	t.say(more, m.UserPath)
	if diags.HasErrors() || more.HasErrors() {
		return
	}
	t.out.config = &terraform.Config{
		Value: c.Value, SensitivePaths: c.SensitivePaths,
		CreateBeforeDestroy: t.spec.Lifecycle.CreateBeforeDestroy,
		IgnoreChanges: terraform.IgnoreChanges{
			All: all,
			// What only initProvider says holds at creation; afterwards it is left to others.
			Paths: append(translate.InitOnly(m, t.spec.ForProvider, t.spec.InitProvider), paths...),
		},
	}
}
