package local

import (
	"fmt"
	"strings"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// ManifestResource is a custom resource of a manifest, translated.
type ManifestResource struct {
	Model           *model.Resource
	Namespace, Name string
	Labels          map[string]string
	// Source is the file, and the place in it.
	Source string
	// Spec is the request of the resource.
	Spec desired.Spec
	// Config is the configuration of the object; nil when the object is only observed and the
	// resource does not describe it.
	Config *terraform.Config
	// Configurations are the provider configurations that it uses.
	Configurations []policy.Configuration
	// Declared has spec.actions.
	Declared *unstructured.Unstructured

	// provider is the provider configuration.
	provider cty.Value
	// object is the resource as in the manifest, with what is known of its object. It has
	// references, for which Config is read when it is planned: from resource and secrets.
	object     *unstructured.Unstructured
	references []references.Reference
	resource   desired.CustomResource
	secrets    translate.Secrets
}

// NewResource returns a resource that was read elsewhere than in a manifest. provider is its
// provider configuration.
func NewResource(r ManifestResource, provider cty.Value) *ManifestResource {
	r.provider = provider
	return &r
}

// Label returns the resource's name within its address, in characters that Terraform permits.
func (r *ManifestResource) Label() string { return tfstate.Label(r.Name) }

// Address returns Terraform's address of the resource.
func (r *ManifestResource) Address() string { return r.Model.Address() + "." + r.Label() }

func (r *ManifestResource) terraform() terraform.ResourceType {
	return terraform.ResourceType{Schema: r.Model.Schema}
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
	out := &ManifestResource{Model: m, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Labels: o.Metadata.Labels, Source: d.source}
	address := objectKey{kind: "address", name: out.Address()}
	if at, ok := r.seen[address]; ok {
		r.messages = append(r.messages,
			errorf(d.source, "Duplicate address", "Its address in the state is %s, and so is that of the object in "+
				"%s. Use a state file for each.", out.Address(), at))
		return
	}
	r.seen[address] = d.source

	object, refused := r.create(d, func() (*apiextensionsv1.CustomResourceDefinition, error) { return crd.Resource(m) })
	for i := range refused {
		refused[i].Address = out.Address()
	}
	from := len(r.messages)
	t := resourceReader{reader: r, out: out, failed: refused.HasErrors()}
	t.resource = desired.CustomResource{Namespace: namespace, Name: out.Name, Annotations: o.Metadata.Annotations, AtProvider: d.atProvider()}
	t.resource.Spec, _, _ = unstructured.NestedMap(object, "spec")
	if t.resource.Spec == nil {
		t.resource.Spec = map[string]any{}
	}
	out.Declared = &unstructured.Unstructured{Object: map[string]any{"spec": t.resource.Spec}}
	t.read(d)
	if !refused.HasErrors() {
		t.admit()
		t.admitTriggers()
	}
	r.addRefused(from, refused)
	switch {
	case t.failed:
	case out.isData():
		r.out.Data = append(r.out.Data, out)
	default:
		r.out.Resources = append(r.out.Resources, out)
	}
}

// atProvider returns status.atProvider as the controller gets it. A status of another shape counts
// as absent.
func (d document) atProvider() map[string]any {
	var o struct {
		Status struct {
			AtProvider map[string]any `json:"atProvider"`
		} `json:"status"`
	}
	_ = kjson.UnmarshalCaseSensitivePreserveInts(d.raw, &o)
	return o.Status.AtProvider
}

// resourceReader reads one resource, whose spec is as the API server would store it.
type resourceReader struct {
	*reader
	out      *ManifestResource
	resource desired.CustomResource
	failed   bool
}

func (t *resourceReader) refuse(path, summary, detail string, args ...any) {
	m := errorf(t.out.Source, summary, detail, args...)
	m.Address, m.Path = t.out.Address(), path
	t.messages = append(t.messages, m)
	t.failed = true
}

func (t *resourceReader) say(diags diagnostic.Diagnostics) {
	t.messages = append(t.messages, translated(t.out.Source, t.out.Address(), diags, t.out.Model.UserPath)...)
	t.failed = t.failed || diags.HasErrors()
}

func (t *resourceReader) read(d document) {
	t.refer(d)
	var diags diagnostic.Diagnostics
	t.out.Spec, diags = desired.Read(t.out.Model, t.resource)
	t.say(diags)
	if t.out.Spec.Tokens.Taint != "" {
		t.messages = append(t.messages, Message{Severity: diagnostic.Warning, Source: t.out.Source, Address: t.out.Address(), Summary: "Not used",
			Detail: fmt.Sprintf("The annotation %s has an effect in a cluster only. Use terraform taint with "+
				"the state file.", v1alpha1.AnnotationTaint)})
	}
	t.readProvider()
	if !t.out.Spec.Described() || len(t.out.references) > 0 {
		return
	}
	t.out.Config, diags = t.out.Spec.Configuration(t.reader.read(t.resource.Namespace, false))
	t.say(diags)
}

// admit refuses combinations of management policies that crossplane-runtime refuses. The content of
// an identity to import only matters while nothing is stored, so Plan reports it.
func (t *resourceReader) admit() {
	given, _, _ := unstructured.NestedStringSlice(t.resource.Spec, "managementPolicies")
	policies := make(xpv2.ManagementPolicies, len(given))
	for i, p := range given {
		policies[i] = xpv2.ManagementAction(p)
	}
	if len(policies) > 0 && xpmanaged.NewManagementPoliciesResolver(true, policies).Validate() != nil {
		t.refuse("spec.managementPolicies", "Unsupported value", "The combination %s is not supported. Crossplane's "+
			"documentation of management policies lists the supported ones.", strings.Join(given, ", "))
	}
}

// readProvider finds the provider configuration. The default one need not be given: many
// providers need no configuration.
func (t *resourceReader) readProvider() {
	ref, _, _ := unstructured.NestedStringMap(t.resource.Spec, "providerConfigRef")
	key := objectKey{kind: ref["kind"], name: ref["name"]}
	switch key.kind {
	case model.ClusterProviderConfigKind:
	case model.ProviderConfigKind:
		key.namespace = t.resource.Namespace
	default:
		t.refuse("spec.providerConfigRef.kind", invalidReference, "It is %q, where %s or %s is meant.", key.kind,
			model.ProviderConfigKind, model.ClusterProviderConfigKind)
		return
	}
	c, given := t.configs[key]
	if !given {
		c.Metadata.Namespace, c.Metadata.Name = key.namespace, key.name
	}
	t.out.Configurations = []policy.Configuration{policy.ConfigurationOf(key.kind, &c.Metadata)}
	v, valid := t.values[key]
	switch {
	case valid:
		t.out.provider = v
	case given:
		t.failed = true // configure has reported why
	case key == objectKey{kind: model.ClusterProviderConfigKind, name: defaultName}:
		t.out.provider = t.provider.Schema.Config.EmptyValue()
	default:
		t.refuse("spec.providerConfigRef", "Provider configuration not found", "There is no %s %s in the manifest.", key.kind, key.name)
	}
}
