package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// resource is a custom resource that is exported.
type resource struct {
	key   store.Key
	model *model.Resource
	// block is the resource in the state that is written, with raw values.
	block *tfstate.ResourceBlock
	// found is the stored instance, with values where the schema has its version.
	found  instance.Instance
	spec   desired.Spec
	config *terraform.Config
	// targets are the resources and data sources that it refers to, and takes are values of them.
	targets       []store.Key
	takes         []references.Taken
	provider      *used
	configuration *configuration
	// links are the resources whose attributes are in the configuration, by the values of these
	// attributes.
	links map[string]*resource
	// planned is what a plan would do without the state; nil if it is not planned.
	planned *outcome
}

func (r *resource) address() string { return r.block.Address() }

// read reads the custom resource of a stored instance; a reason if it cannot be exported.
func (e *exporter) read(
	ctx context.Context, key store.Key, block *tfstate.ResourceBlock, found instance.Instance,
) (_ *resource, reason string, err error) {
	p, m := e.model(key)
	if m == nil {
		return nil, "no provider on this machine has its kind; see --provider-mirror", nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(m.GroupVersionKind())
	err = e.Client.Get(ctx, namespacedName(key), u)
	switch {
	case kerrors.IsNotFound(err):
		return nil, "the resource does not exist any more. landbridge state export exports what is stored of its object", nil
	case err != nil:
		return nil, "", err
	case u.GetDeletionTimestamp() != nil:
		return nil, "it is being deleted", nil
	}
	refs, err := references.Of(u, m)
	if err != nil {
		return nil, err.Error(), nil
	}
	// Some values of references are not written to the spec. Those that cannot be resolved here are
	// missing in the plan.
	_, _ = references.Resolver{Reader: e.Client, Served: e.served}.Resolve(ctx, u, refs)
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	at, _, _ := unstructured.NestedMap(u.Object, "status", "atProvider")
	out := &resource{key: key, model: m, block: block, found: found}
	var diags diagnostic.Diagnostics
	out.spec, diags = desired.Read(m, desired.CustomResource{
		Namespace: key.Namespace, Name: key.Name, Annotations: u.GetAnnotations(), Spec: spec, AtProvider: at,
	})
	switch {
	case !found.Exists():
		return nil, "its object does not exist", nil
	case diags.HasErrors():
		return nil, strings.TrimSuffix(diags.Err().Error(), "."), nil
	case !out.spec.Policies.Manage:
		return nil, "it only observes its object, which Terraform would manage", nil
	case !out.spec.Described():
		return nil, "it has no configuration", nil
	}
	config, problems := out.spec.Configuration(e.secretsOf(ctx, key.Namespace))
	if err := problems.Err(); err != nil {
		return nil, strings.TrimSuffix(e.Secrets.Replacer().Replace(err.Error()), "."), nil
	}
	out.config = config
	out.targets, out.takes = references.Keys(refs), references.Unchanged(refs)
	ref := providerconfig.ReferenceOf(&xpv2.ProviderConfigReference{
		Kind: out.spec.Subject.ProviderConfigKind, Name: out.spec.Subject.ProviderConfigName,
	}, key.Namespace)
	out.provider, out.configuration = e.use(p, m.Type, ref)
	return out, "", nil
}

// served returns the list kind of a kind, and whether a provider has it.
func (e *exporter) served(of kschema.GroupKind) (list string, ok bool) {
	_, m := e.model(store.Key{Group: of.Group, Kind: of.Kind})
	if m == nil {
		return "", false
	}
	return m.ListGroupVersionKind().Kind, true
}

// notes tells what Terraform is going to do with an exported object.
func (r *resource) notes() string {
	if r.found.Status == instance.Tainted {
		return "it is tainted, so Terraform replaces its object at the next apply"
	}
	if n := len(r.found.Deposed); n > 0 {
		return fmt.Sprintf("it has %d deposed objects, which Terraform destroys at the next apply", n)
	}
	return ""
}

// write writes the resource block, and adjusts the state to it.
func (e *exporter) write(body *hclwrite.Body, r *resource) {
	l := e.links(r.key, r.targets, r.takes)
	block := body.AppendNewBlock("resource", []string{r.block.Type, r.block.Name})
	r.writeProvider(block.Body())
	w := &writer{variables: &e.variables, prefix: r.block.Name, marked: r.config.SensitivePaths, refer: l.refer}
	w.block(block.Body(), r.model.Schema.Block, r.config.Value, nil)
	r.writeLifecycle(block.Body())
	r.links = l.resources()
	kept := &r.block.Instances[0].Kept
	for _, names := range l.targets {
		kept.Dependencies = append(kept.Dependencies, strings.Join(names, "."))
	}
	slices.Sort(kept.Dependencies)
	l.order(block.Body())
	r.block.Provider = r.provider.address(r.configuration)
	for _, path := range w.concealed {
		if in := &r.block.Instances[0].Instance; !slices.ContainsFunc(in.SensitivePaths, path.Equals) {
			in.SensitivePaths = append(in.SensitivePaths, path)
		}
	}
}

// writeProvider writes the meta-argument provider, unless the resource type implies it.
func (r *resource) writeProvider(body *hclwrite.Body) {
	if r.configuration.alias != "" || implied(r.block.Type) != r.provider.name {
		body.SetAttributeRaw("provider", r.provider.expression(r.configuration))
	}
}

func (r *resource) writeLifecycle(body *hclwrite.Body) {
	lifecycle := hclwrite.NewBlock("lifecycle", nil)
	b := lifecycle.Body()
	if r.config.CreateBeforeDestroy {
		b.SetAttributeValue("create_before_destroy", cty.True)
	}
	if !r.spec.Policies.Delete || r.spec.Policies.Protected {
		b.SetAttributeValue("prevent_destroy", cty.True)
	}
	switch ignored := r.config.IgnoreChanges; {
	case ignored.All, !r.spec.Policies.Update:
		b.SetAttributeRaw("ignore_changes", hclwrite.TokensForIdentifier("all"))
	case len(ignored.Paths) > 0:
		var all []hclwrite.Tokens
		for _, path := range ignored.Paths {
			all = append(all, hclwrite.TokensForTraversal(ofPath(path)))
		}
		b.SetAttributeRaw("ignore_changes", hclwrite.TokensForTuple(all))
	}
	if len(b.Attributes()) > 0 {
		body.AppendBlock(lifecycle)
	}
}

// conceal adds the sensitive values of the object to those that are not shown.
func (r *resource) conceal(secrets *redact.Redactor) {
	if r.found.State == cty.NilVal {
		return
	}
	r.model.Root().Secrets(r.found.State, secrets.AddValue)
	for _, path := range r.found.SensitivePaths {
		if v, err := path.Apply(r.found.State); err == nil {
			secrets.AddValue(v)
		}
	}
}

// importTargets returns what the object can be imported by: its identity, and its import id. A
// reason tells why there is no id.
func (e *exporter) importTargets(r *resource) (out []terraform.ImportTarget, reason string) {
	if v := r.found.Identity; v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown() {
		out = append(out, terraform.ImportTarget{Identity: v})
	}
	id := r.spec.NamedImport.ID
	if t := r.spec.Import.Target; t != nil && t.ID != "" {
		id = t.ID
	}
	if f := r.model.Root().Object.ByTerraform("id"); id == "" && f != nil && f.Type.Kind == model.String && r.found.State != cty.NilVal {
		if v, _ := r.found.State.GetAttr("id").Unmark(); !v.IsNull() && v.IsKnown() {
			id = v.AsString()
		}
	}
	switch {
	case id == "":
		reason = "no import id is known"
	case e.Secrets.Replace(id) != id:
		reason = "its import id is a sensitive value"
	default:
		out = append(out, terraform.ImportTarget{ID: id})
	}
	return out, reason
}

// writeImport writes the import block of a resource.
func (e *exporter) writeImport(body *hclwrite.Body, r *resource) {
	targets, reason := e.importTargets(r)
	if r.planned != nil {
		targets, reason = nil, r.planned.reason
		if r.planned.target != nil {
			targets = []terraform.ImportTarget{*r.planned.target}
		}
	}
	if len(targets) == 0 {
		body.AppendUnstructuredTokens(comment(fmt.Sprintf("There is no import block for %s: %s.", r.address(), reason)))
		return
	}
	block := body.AppendNewBlock("import", nil).Body()
	r.writeProvider(block)
	block.SetAttributeRaw("to", traverse(r.block.Type, r.block.Name))
	if targets[0].ID != "" {
		block.SetAttributeValue("id", cty.StringVal(targets[0].ID))
		return
	}
	given := map[string]cty.Value{}
	for name, v := range targets[0].Identity.AsValueMap() {
		if !v.IsNull() {
			given[name] = v
		}
	}
	block.SetAttributeValue("identity", cty.ObjectVal(given))
}
