package local

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/crd/validation"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/translate"
)

const (
	defaultName      = "default" // of provider configurations, and of namespaces
	invalidReference = "Invalid provider configuration reference"
)

// Manifest holds the resources of manifests.
type Manifest struct {
	// Resources are in the order of the manifest, without data sources. Data are those.
	Resources, Data []*ManifestResource
	secrets         *redact.Redactor
}

// NewManifest returns a manifest without resources, which conceals secrets in messages.
func NewManifest(secrets *redact.Redactor) *Manifest { return &Manifest{secrets: secrets} }

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
	// values are the translated provider configurations.
	values map[objectKey]cty.Value
	// unadmitted is set if nothing is refused that an API server would refuse.
	unadmitted bool
	// defined are kinds, as far as they were needed.
	defined map[kschema.GroupVersionKind]*validation.Kind
}

func newReader(p *model.Provider, secrets *redact.Redactor) *reader {
	return &reader{
		provider: p, kinds: map[kschema.GroupVersionKind]*model.Resource{}, out: &Manifest{secrets: secrets},
		seen: map[objectKey]string{}, secrets: map[objectKey]map[string][]byte{},
		configs: map[objectKey]configDocument{}, values: map[objectKey]cty.Value{},
		defined: map[kschema.GroupVersionKind]*validation.Kind{},
	}
}

type configDocument struct {
	configObject
	source string
	// refused is what the API server would refuse of it.
	refused Messages
}

// ReadOption changes how manifests are read.
type ReadOption func(*reader)

// WithoutAdmission reads also what an API server would refuse: what is to be destroyed, and for
// comparisons with Terraform, which has none.
func WithoutAdmission() ReadOption { return func(r *reader) { r.unadmitted = true } }

// ReadManifest reads custom resources of one provider, with the Secrets and provider
// configurations they refer to. With errors the Manifest is incomplete.
func ReadManifest(p *model.Provider, sources []Source, options ...ReadOption) (*Manifest, Messages) {
	r := newReader(p, &redact.Redactor{})
	for _, o := range options {
		o(r)
	}
	for _, m := range p.All() {
		r.kinds[m.GroupVersionKind()] = m
	}
	var resources []document
	for _, s := range sources {
		docs, messages := documents(s)
		r.messages = append(r.messages, messages...)
		for _, d := range docs {
			switch gvk := d.GroupVersionKind(); {
			case r.kinds[gvk] != nil && r.kinds[gvk].Mode == model.Ephemeral:
				r.messages = append(r.messages, Message{Severity: diagnostic.Warning, Source: d.source, Summary: "Not used",
					Detail: "An ephemeral resource is opened in a cluster only."})
			case r.kinds[gvk] != nil && r.kinds[gvk].Mode == model.Action:
				r.messages = append(r.messages, Message{Severity: diagnostic.Warning, Source: d.source, Summary: "Not used",
					Detail: "An action is invoked in a cluster only."})
			case r.kinds[gvk] != nil:
				resources = append(resources, d)
			case gvk == corev1.SchemeGroupVersion.WithKind("Secret"):
				r.secret(d)
			case r.isConfig(gvk):
				r.config(d)
			case gvk.Group == v1alpha1.GroupVersion.Group && gvk.Kind == "TerraformProvider", gvk == corev1.SchemeGroupVersion.WithKind("Namespace"):
				r.messages = append(r.messages, Message{Severity: diagnostic.Warning, Source: d.source, Summary: "Not used",
					Detail: fmt.Sprintf("A %s has an effect in a cluster only.", gvk.Kind)})
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
	if len(r.out.Resources)+len(r.out.Data) == 0 && !r.messages.HasErrors() {
		r.messages = append(r.messages, errorf("", "Nothing to do", "There is no resource of %s in the manifest.", p.Group))
	}
	return r.out, conceal(r.out.secrets, r.messages)
}

func (r *reader) isConfig(gvk kschema.GroupVersionKind) bool {
	return gvk.Group == r.provider.Group && gvk.Version == r.provider.Version &&
		(gvk.Kind == model.ProviderConfigKind || gvk.Kind == model.ClusterProviderConfigKind)
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
		if strings.EqualFold(known.Kind, gvk.Kind) || strings.EqualFold(r.kinds[known].Type, gvk.Kind) ||
			strings.EqualFold(r.kinds[known].Plural, gvk.Kind) {
			near = append(near, fmt.Sprintf("%s of %s", known.Kind, known.GroupVersion()))
		}
	}
	slices.Sort(groups)
	slices.Sort(near)
	detail := fmt.Sprintf("The provider has no kind %s of %s. Its kinds are of %s; landbridge provider "+
		"inspect lists them.", gvk.Kind, d.APIVersion, strings.Join(groups, ", "))
	if len(near) > 0 {
		detail = fmt.Sprintf("The provider has no kind %s of %s. Did you mean %s?", gvk.Kind, d.APIVersion, strings.Join(near, " or "))
	}
	return errorf(d.source, "Unknown kind", "%s", detail)
}

// add registers an object. It reports whether its name is valid and not taken.
func (r *reader) add(d document, key objectKey, meta metav1.ObjectMeta) bool {
	if msgs := apivalidation.NameIsDNSSubdomain(meta.Name, false); len(msgs) > 0 {
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

// read returns a reader of Secrets. own is the namespace of references, and foreign permits others.
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
	if !r.add(d, key, c.Metadata) {
		return
	}
	accepted, refused := r.create(d, func() (*apiextensionsv1.CustomResourceDefinition, error) {
		definitions := crd.ProviderConfig(r.provider)
		i := slices.IndexFunc(definitions, func(x *apiextensionsv1.CustomResourceDefinition) bool { return x.Spec.Names.Kind == d.Kind })
		if i < 0 {
			return nil, fmt.Errorf("there is no kind %s", d.Kind)
		}
		return definitions[i], nil
	})
	if spec, _, _ := unstructured.NestedMap(accepted, "spec"); spec != nil {
		c.Spec = spec
	}
	r.configs[key] = configDocument{c, d.source, refused}
}

func (r *reader) configure(key objectKey) {
	c := r.configs[key]
	v, diags := translate.ProviderConfig(r.provider, c.Spec, r.read(key.namespace, key.kind == model.ClusterProviderConfigKind))
	from := len(r.messages)
	r.messages = append(r.messages, translated(c.source, "", diags, r.provider.UserPath)...)
	r.addRefused(from, c.refused)
	usable := !diags.HasErrors() && !c.refused.HasErrors()
	if _, given := c.Spec[model.ServiceAccountTokens]; given {
		m := tokensNotUsed(c.source, v)
		r.messages = append(r.messages, m)
		usable = usable && m.Severity != diagnostic.Error
	}
	if usable {
		r.values[key] = v
	}
}

// tokensNotUsed returns the message about a configuration with tokens of ServiceAccounts, which
// only the controller requests. It is an error if an argument has the path of the file of one.
func tokensNotUsed(source string, config cty.Value) Message {
	out := Message{Severity: diagnostic.Warning, Source: source, Summary: "Not used", Path: "spec." + model.ServiceAccountTokens,
		Detail: "Only the controller requests tokens of ServiceAccounts. Here, the provider uses the credentials of its environment."}
	if config == cty.NilVal {
		return out
	}
	_ = cty.Walk(config, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsKnown() && !v.IsNull() && v.Type() == cty.String && strings.Contains(v.AsString(), "$(tokenFile.") {
			out.Severity, out.Summary = diagnostic.Error, "Token not available"
			out.Detail = "An argument has the path of a token of a ServiceAccount, which only the controller " +
				"requests. Use a provider configuration with other credentials here."
		}
		return true, nil
	})
	return out
}
