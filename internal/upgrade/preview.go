package upgrade

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// Resource is a live resource.
type Resource struct {
	// Object is the custom resource. Its references are resolved.
	Object *unstructured.Unstructured
	// Stored is what is stored of its object. Values are raw, as store.Verbatim loads them.
	Stored instance.Instance
	// Earlier returns what an earlier version with a schema would go on with instead; false if
	// there is nothing else. It may be nil.
	Earlier func(*schema.Resource) (instance.Instance, bool)
	// Secrets reads the Secrets that it refers to.
	Secrets translate.Secrets
	// Unknown sets the values that are not known yet in its configuration. Nil: all are known.
	Unknown func(config cty.Value) (cty.Value, error)
}

// Acquire leases an executor with the provider configuration of a resource. release must be called
// without errors.
type Acquire func(ctx context.Context, u *unstructured.Unstructured) (ex terraform.Executor, release func(), diags diagnostic.Diagnostics)

// Version is a resource type in one version of a provider.
type Version struct {
	Model *model.Resource
	Kind  *evolution.Kind
	Acquire
}

// Preview previews the resources of one type. It is safe for concurrent use.
type Preview struct {
	Installed, New Version
	// Refresh reads the remote objects first.
	Refresh bool
	// Known are secrets of provider configurations. Diagnostics do not show them. It may be nil.
	Known *redact.Redactor

	fields fields
}

// NewPreview returns a preview of a type that both versions have.
func NewPreview(installed, new Version, refresh bool, known *redact.Redactor) *Preview {
	return &Preview{Installed: installed, New: new, Refresh: refresh, Known: known, fields: fieldsOf(installed.Kind, new.Kind)}
}

// Of returns what the new version would do to a resource.
func (p *Preview) Of(ctx context.Context, r Resource) []Finding {
	object, out := p.fields.of(r.Object.Object)
	if block := p.New.Model.Schema.Block; block.Deprecated && !p.Installed.Model.Schema.Block.Deprecated {
		out = append(out, Finding{
			Outcome: Deprecated, Cause: Cause{
				Summary: "the resource type is deprecated", Detail: block.DeprecationMessage,
			},
		})
	}
	is := p.attempt(ctx, p.New, object, r)
	if is.outcome != Unchanged && is.outcome != NotPreviewed {
		is = is.without(p.attempt(ctx, p.Installed, r.Object.Object, r), func() attempt {
			return p.attempt(ctx, p.Installed, r.Object.Object, r)
		})
	}
	if is.outcome == Unchanged && len(out) > 0 {
		return out
	}
	conceal := p.concealer(r)
	for _, c := range is.causes {
		out = append(out, Finding{Outcome: is.outcome, Cause: c.conceal(conceal), Unanswered: is.unanswered})
	}
	if len(is.causes) == 0 {
		out = append(out, Finding{Outcome: is.outcome})
	}
	return out
}

// concealer returns a redactor with the secrets of a resource: those of either version's schema,
// and those of its Secrets.
func (p *Preview) concealer(r Resource) *redact.Redactor {
	out := &redact.Redactor{}
	for _, v := range []Version{p.Installed, p.New} {
		objects := []instance.Instance{r.Stored}
		for _, d := range r.Stored.Deposed {
			objects = append(objects, d.Instance())
		}
		for _, in := range objects {
			addSecrets(out, v.Model, in)
		}
		if in := r.storedFor(v.Model.Schema); len(in.RawState) == 0 && in.Exists() {
			v.Model.Root().Secrets(in.State, out.AddValue)
		}
		if read, diags := read(v.Model, r.Object, r.Object.Object); !diags.HasErrors() && read.Described() {
			_, _ = read.Configuration(func(ref translate.SecretKeySelector) ([]byte, error) {
				b, err := r.Secrets(ref)
				if err == nil {
					out.Add(b)
				}
				return b, err
			})
		}
	}
	return out
}

// addSecrets adds the sensitive values of an instance whose values are raw. If they do not fit the
// schema, everything is added that may be sensitive by the names of attributes.
func addSecrets(to *redact.Redactor, m *model.Resource, in instance.Instance) {
	v, _ := instance.DecodeValue(in.RawState, 0, m.Schema.ImpliedType(), 0)
	if v != cty.NilVal && v.IsNull() {
		return
	}
	if v == cty.NilVal {
		var attributes map[string]any
		_ = json.Unmarshal(in.RawState, &attributes)
		for name, x := range attributes {
			if f := m.Root().Object.ByTerraform(name); f == nil || f.Secret() || f.Type.HasSecrets() {
				addStrings(to, x)
			}
		}
		return
	}
	m.Root().Secrets(v, to.AddValue)
	for _, path := range in.SensitivePaths {
		if secret, err := path.Apply(v); err == nil {
			to.AddValue(secret)
		}
	}
}

// addStrings adds the strings within a JSON value.
func addStrings(to *redact.Redactor, v any) {
	switch v := v.(type) {
	case string:
		to.AddStrings(v)
	case []any:
		for _, x := range v {
			addStrings(to, x)
		}
	case map[string]any:
		for _, x := range v {
			addStrings(to, x)
		}
	}
}

// read returns the request of a custom resource, with the object that has its spec.
func read(m *model.Resource, of *unstructured.Unstructured, object map[string]any) (desired.Spec, diagnostic.Diagnostics) {
	spec, _, _ := unstructured.NestedMap(object, "spec")
	at, _, _ := unstructured.NestedMap(object, "status", "atProvider")
	return desired.Read(m, desired.CustomResource{
		Namespace: of.GetNamespace(), Name: of.GetName(), Annotations: of.GetAnnotations(), Spec: spec, AtProvider: at,
	})
}

// attempt is what a version does with a resource.
type attempt struct {
	outcome    Outcome
	causes     []Cause
	unanswered bool
}

// attempt has a version do what it would do with a resource, up to the plan.
func (p *Preview) attempt(ctx context.Context, v Version, object map[string]any, r Resource) attempt {
	spec, diags := read(v.Model, r.Object, object)
	if diags.HasErrors() {
		return p.failed(v, Refused, diags)
	}
	ex, release, diags := v.Acquire(ctx, r.Object)
	if diags.HasErrors() {
		return p.failed(v, NotPreviewed, diags)
	}
	defer release()
	t := terraform.ResourceType{Schema: v.Model.Schema}
	in, diags := upgraded(ctx, ex, t, r.storedFor(v.Model.Schema))
	if diags.HasErrors() {
		return p.failed(v, NotUpgraded, diags)
	}
	existed := in.Exists()
	if p.Refresh && existed {
		read, diags := ex.Refresh(ctx, t, in)
		if diags.HasErrors() {
			return p.failed(v, NotPreviewed, diags)
		}
		in = read.Instance
	}
	if r.Object.GetDeletionTimestamp() != nil || !spec.Described() {
		return attempt{outcome: Unchanged}
	}
	config, diags := spec.Configuration(r.Secrets)
	if diags.HasErrors() {
		return p.failed(v, Refused, diags)
	}
	if r.Unknown != nil {
		var err error
		if config.Value, err = r.Unknown(config.Value); err != nil {
			return p.failed(v, NotPreviewed, diagnostic.Errorf("Invalid reference", "%s.", err))
		}
	}
	if in.Exists() {
		config.Value = spec.CreateToken.In(config.Value, in.State, "")
	}
	plan, diags := ex.Plan(ctx, t, in, *config)
	if diags.HasErrors() {
		return p.failed(v, Refused, diags)
	}
	return planned(v.Model, spec, plan, existed)
}

// storedFor returns what a version with a schema goes on with.
func (r *Resource) storedFor(s *schema.Resource) instance.Instance {
	if r.Earlier != nil {
		if in, ok := r.Earlier(s); ok {
			return in
		}
	}
	return r.Stored
}

// upgraded brings an instance to the versions of the schemas. Objects that are still to be
// destroyed have to be upgraded, too.
func upgraded(
	ctx context.Context, ex terraform.Executor, t terraform.ResourceType, in instance.Instance,
) (instance.Instance, diagnostic.Diagnostics) {
	u, ok := ex.(terraform.Upgrader)
	if !ok {
		return in, diagnostic.Errorf("Not possible", "This way of execution cannot upgrade a state without reading the object.")
	}
	in.Operation = nil // planned as if it had not begun
	out, diags := in, diagnostic.Diagnostics(nil)
	if in.Exists() {
		out, diags = u.Upgrade(ctx, t, in)
	}
	for _, d := range in.Deposed {
		_, more := u.Upgrade(ctx, t, d.Instance())
		diags = append(diags, more...)
	}
	return out, diags
}

// failed returns the errors as causes. Without an answer of the provider, nothing is known.
func (p *Preview) failed(v Version, outcome Outcome, diags diagnostic.Diagnostics) attempt {
	out := attempt{outcome: outcome}
	if terraform.Unanswered(diags) {
		out.outcome, out.unanswered = NotPreviewed, true
	}
	for _, d := range diags.Errors() {
		c := Cause{Summary: d.Summary, Detail: d.Detail}
		if p.Known != nil {
			c.Summary, c.Detail = p.Known.Replace(c.Summary), p.Known.Replace(c.Detail)
		}
		if len(d.Attribute) > 0 {
			c.Path = v.Model.UserPath(d.Attribute)
		}
		if !slices.ContainsFunc(out.causes, func(x Cause) bool { return x.key() == c.key() }) {
			out.causes = append(out.causes, c)
		}
	}
	return out
}

// planned returns the outcome of a plan. existed is set if an object is stored.
func planned(m *model.Resource, spec desired.Spec, plan terraform.Plan, existed bool) attempt {
	held := func(permitted bool, action string) string {
		switch {
		case spec.Paused:
			return "the resource is paused"
		case !permitted:
			return fmt.Sprintf("spec.managementPolicies does not allow %s", action)
		}
		return ""
	}
	switch {
	case plan.Action == terraform.NoOp, plan.Action == terraform.Create && !existed:
		return attempt{outcome: Unchanged}
	case plan.Action == terraform.Create:
		return attempt{
			outcome: Create, causes: []Cause{{
				Summary: "The object that is stored does not exist", Held: held(spec.Policies.Create, "Create"),
			}},
		}
	case plan.Action == terraform.Update:
		return attempt{outcome: Update, causes: []Cause{{Changes: changes(m, plan), Held: held(spec.Policies.Update, "Update")}}}
	}
	c := Cause{Changes: changes(m, plan), Held: held(spec.Policies.Create && spec.Policies.Delete, "Create and Delete")}
	switch {
	case spec.Policies.Protected:
		c.Held = "spec.lifecycle.deletionProtection is true"
	case spec.ReplaceNever:
		c.Held = "spec.lifecycle.replacePolicy is Never"
	}
	if plan.Reason == terraform.ReplaceBecauseTainted {
		c.Summary = "The object is tainted"
	}
	return attempt{outcome: Replace, causes: []Cause{c}}
}
