package cloud

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	hccty "github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	sdk "github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// SDK returns a function that makes providers with the legacy SDK. meta adds attributes to their
// schema for provider_meta.
func SDK(meta bool) func(Run) tfprotov5.ProviderServer {
	return func(run Run) tfprotov5.ProviderServer {
		p := &sdk.Provider{ResourcesMap: map[string]*sdk.Resource{}}
		for name, a := range run {
			p.ResourcesMap[name] = (&sdkResource{a}).resource()
		}
		if meta {
			p.ProviderMetaSchema = (&sdkResource{}).metaSchemas()
		}
		return sdk.NewGRPCProviderServer(p)
	}
}

func (r *sdkResource) metaSchemas() map[string]*sdk.Schema {
	out := map[string]*sdk.Schema{}
	for name, a := range metaBlock.Attributes {
		out[name] = r.typed(a.Type)
		out[name].Optional = true
	}
	return out
}

type sdkResource struct{ active *Active }

func (r *sdkResource) resource() *sdk.Resource {
	s := r.active.Schema()
	out := &sdk.Resource{
		SchemaVersion: int(s.Version),
		Schema:        r.schemas(s.Block, ""),
		CreateContext: r.create, ReadContext: r.read, UpdateContext: r.update, DeleteContext: r.delete,
		Importer: &sdk.ResourceImporter{StateContext: r.importState},
		CustomizeDiff: func(context.Context, *sdk.ResourceDiff, any) error {
			if f := r.active.fault("Plan"); f == "error" || f == "call" {
				return errors.New("fault: Plan")
			}
			return nil
		},
	}
	if n := s.Block.Blocks[timeouts]; n != nil {
		out.Timeouts = defaultTimeouts(n)
	}
	for version := range s.Version {
		out.StateUpgraders = append(out.StateUpgraders, sdk.StateUpgrader{
			Version: int(version), Type: hccty.EmptyObject,
			Upgrade: func(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
				if f := r.active.fault("Upgrade"); f == "error" || f == "call" {
					return nil, errors.New("fault: Upgrade")
				}
				return r.active.renamedFields(raw), nil
			},
		})
	}
	if s.Identity != nil {
		out.Identity = &sdk.ResourceIdentity{Version: s.Identity.Version, SchemaFunc: r.identitySchema}
		for version := range s.Identity.Version {
			out.Identity.IdentityUpgraders = append(out.Identity.IdentityUpgraders, sdk.IdentityUpgrader{
				Version: version, Type: protocolType(cty.EmptyObject),
				Upgrade: func(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
					if f := r.active.fault("UpgradeIdentity"); f == "error" || f == "call" {
						return nil, errors.New("fault: UpgradeIdentity")
					}
					return r.active.renamedFields(raw), nil
				},
			})
		}
	}
	if f := r.active.fault("Validate"); f == "error" || f == "warning" {
		// Every schema has an attribute, and this one is in all.
		out.ValidateRawResourceConfigFuncs = []sdk.ValidateRawResourceConfigFunc{
			func(_ context.Context, _ sdk.ValidateResourceConfigFuncRequest, resp *sdk.ValidateResourceConfigFuncResponse) {
				resp.Diagnostics = append(resp.Diagnostics, r.diagnostic("Validate"))
			},
		}
	}
	return out
}

// timeouts is the block that the SDK adds to resources with timeouts.
const timeouts = "timeouts"

// Defaults of the timeouts.
const (
	createTimeout = 3 * time.Minute
	readTimeout   = 2 * time.Minute
	deleteTimeout = 7 * time.Minute
)

func defaultTimeouts(n *schema.NestedBlock) *sdk.ResourceTimeout {
	out := &sdk.ResourceTimeout{}
	for name, x := range map[string]struct {
		to *(*time.Duration)
		by time.Duration
	}{"create": {&out.Create, createTimeout}, "read": {&out.Read, readTimeout}, "delete": {&out.Delete, deleteTimeout}} {
		if n.Attributes[name] != nil {
			*x.to = &x.by
		}
	}
	return out
}

func (r *sdkResource) diagnostic(rpc string) diag.Diagnostic {
	severity := diag.Error
	if r.active.fault(rpc) == "warning" {
		severity = diag.Warning
	}
	return diag.Diagnostic{Severity: severity, Summary: "Fault: " + rpc, Detail: "It was ordered."}
}

func (r *sdkResource) schemas(b *schema.Block, at string) map[string]*sdk.Schema {
	out := map[string]*sdk.Schema{}
	for name, a := range b.Attributes {
		if at == "" && name == "id" {
			continue // the SDK's own
		}
		x := r.typed(a.Type)
		x.Required, x.Optional, x.Computed, x.Sensitive, x.WriteOnly = a.Required, a.Optional, a.Computed, a.Sensitive, a.WriteOnly
		path := at + "." + name
		x.ForceNew = name != "note" && (a.Required || a.Optional) && !a.WriteOnly && r.active.chance("replace", path)%5 == 0
		if a.Optional && !a.Computed && !a.WriteOnly && a.Type == cty.String && r.active.chance("default", path)%3 == 0 {
			x.Default = "default"
		}
		if a.Type == cty.String && !a.WriteOnly && (a.Required || a.Optional) && r.active.chance("bend", path)%5 == 0 {
			x.StateFunc = func(v any) string { return "hash of " + fmt.Sprint(v) }
		}
		if (a.Required || a.Optional) && !a.WriteOnly && r.active.chance("suppress", path)%6 == 0 {
			x.DiffSuppressFunc = func(_, before, after string, _ *sdk.ResourceData) bool { return before != "" && after == "" }
		}
		out[name] = x
	}
	for name, n := range b.Blocks {
		if at == "" && name == timeouts {
			continue // the SDK's own
		}
		x := &sdk.Schema{
			Type: sdk.TypeList, Optional: true, Elem: &sdk.Resource{Schema: r.schemas(n.Block, at+"."+name)},
			MaxItems: int(n.MaxItems),
		}
		if n.Nesting == schema.NestingSet {
			x.Type = sdk.TypeSet
		}
		out[name] = x
	}
	return out
}

func (r *sdkResource) typed(t cty.Type) *sdk.Schema {
	switch {
	case t == cty.String:
		return &sdk.Schema{Type: sdk.TypeString}
	case t == cty.Bool:
		return &sdk.Schema{Type: sdk.TypeBool}
	case t == cty.Number:
		return &sdk.Schema{Type: sdk.TypeFloat}
	case t.IsListType() && t.ElementType().IsObjectType():
		// A block that is optional and computed is an attribute in the schema.
		fields := map[string]*sdk.Schema{}
		for name, x := range t.ElementType().AttributeTypes() {
			fields[name] = r.typed(x)
			fields[name].Optional = true
		}
		return &sdk.Schema{Type: sdk.TypeList, Elem: &sdk.Resource{Schema: fields}}
	case t.IsListType():
		return &sdk.Schema{Type: sdk.TypeList, Elem: r.typed(t.ElementType())}
	case t.IsSetType():
		return &sdk.Schema{Type: sdk.TypeSet, Elem: r.typed(t.ElementType())}
	case t.IsMapType():
		return &sdk.Schema{Type: sdk.TypeMap, Elem: r.typed(t.ElementType())}
	}
	panic("the SDK has no " + t.FriendlyName())
}

func (r *sdkResource) identitySchema() map[string]*sdk.Schema {
	out := map[string]*sdk.Schema{}
	for name, a := range r.active.Schema().Identity.Attributes {
		x := r.typed(a.Type)
		x.RequiredForImport, x.OptionalForImport = a.RequiredForImport, a.OptionalForImport
		out[name] = x
	}
	return out
}

// plain returns a value in the form that the SDK accepts.
func plain(v cty.Value) any {
	if v.IsNull() {
		return nil
	}
	switch t := v.Type(); {
	case t == cty.String:
		return v.AsString()
	case t == cty.Bool:
		return v.True()
	case t == cty.Number:
		f, _ := new(big.Float).Set(v.AsBigFloat()).Float64()
		return f
	case t.IsMapType(), t.IsObjectType():
		out := map[string]any{}
		for name, x := range v.AsValueMap() {
			out[name] = plain(x)
		}
		return out
	default:
		var out []any
		for _, x := range v.AsValueSlice() {
			out = append(out, plain(x))
		}
		return out
	}
}

func (r *sdkResource) identify(d *sdk.ResourceData, rpc string) diag.Diagnostics {
	if r.active.Schema().Identity == nil || r.active.fault(rpc) == "noidentity" {
		return nil
	}
	i, err := d.Identity()
	if err != nil {
		return diag.FromErr(err)
	}
	for name, v := range r.active.identity(d.Id()).AsValueMap() {
		if r.active.fault(rpc) == "newidentity" && name != "id" {
			v = r.active.fill(v.Type(), "new identity", name, r.active.Index)
		}
		if v.IsNull() {
			continue
		}
		if err := i.Set(name, plain(v)); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}

// compute sets the computed attributes. The remote object has only these; the SDK keeps what is
// configured.
func (r *sdkResource) compute(d *sdk.ResourceData, about ...any) diag.Diagnostics {
	values := map[string]cty.Value{"id": cty.StringVal(d.Id())}
	for name, a := range r.active.Schema().Block.Attributes {
		if name == "id" || !a.Computed || a.WriteOnly {
			continue
		}
		if _, configured := d.GetOk(name); configured && a.Optional {
			continue
		}
		v := r.active.fill(a.Type, append([]any{"computed", name}, about...)...)
		if err := d.Set(name, plain(v)); err != nil {
			return diag.FromErr(err)
		}
		values[name] = v
	}
	r.active.Put(d.Id(), cty.ObjectVal(values))
	return nil
}

func (r *sdkResource) create(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
	fault := r.active.fault("Apply")
	if fault == "error" {
		return diag.Diagnostics{r.diagnostic("Apply")}
	}
	d.SetId(r.active.nextID())
	diags := append(r.compute(d), r.identify(d, "Apply")...)
	return append(diags, r.end(d)...)
}

// end ends an apply that has changed something, with its fault.
func (r *sdkResource) end(d *sdk.ResourceData) diag.Diagnostics {
	switch r.active.fault("Apply") {
	case "warning":
		return diag.Diagnostics{r.diagnostic("Apply")}
	case "null":
		d.SetId("")
	case "errornull":
		d.SetId("")
		return diag.Diagnostics{r.diagnostic("Apply")}
	case "errorpartial":
		return diag.Diagnostics{r.diagnostic("Apply")}
	case "errornoprivate":
		d.Partial(true)
		return diag.Diagnostics{r.diagnostic("Apply")}
	}
	return nil
}

func (r *sdkResource) read(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
	fault := r.active.fault("Read")
	if slices.Contains([]string{"error", "errorgone", "call"}, fault) {
		return diag.Diagnostics{r.diagnostic("Read")}
	}
	if _, found := r.active.object(d.Id()); !found || fault == "gone" {
		d.SetId("")
		return nil
	}
	// What drifted shows in everything the SDK is told of the object.
	v, _ := r.active.object(d.Id())
	for name, a := range r.active.Schema().Block.Attributes {
		if x := v.GetAttr(name); name != "id" && !a.WriteOnly && !x.IsNull() {
			if err := d.Set(name, plain(x)); err != nil {
				return diag.FromErr(err)
			}
		}
	}
	diags := r.identify(d, "Read")
	if fault == "warning" {
		diags = append(diags, r.diagnostic("Read"))
	}
	return diags
}

func (r *sdkResource) update(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
	if r.active.fault("Apply") == "error" {
		d.Partial(r.active.chance("partial")%2 == 0)
		return diag.Diagnostics{r.diagnostic("Apply")}
	}
	diags := r.compute(d, r.active.Index)
	if r.active.chance("update sets identity")%2 == 0 || r.active.fault("Apply") == "newidentity" {
		diags = append(diags, r.identify(d, "Apply")...)
	}
	return append(diags, r.end(d)...)
}

func (r *sdkResource) delete(_ context.Context, d *sdk.ResourceData, _ any) diag.Diagnostics {
	switch r.active.fault("Apply") {
	case "error", "errorpartial", "errornull", "errornoprivate":
		return diag.Diagnostics{r.diagnostic("Apply")}
	}
	r.active.Remove(d.Id())
	return nil
}

func (r *sdkResource) importState(_ context.Context, d *sdk.ResourceData, _ any) ([]*sdk.ResourceData, error) {
	switch r.active.fault("Import") {
	case "error", "call":
		return nil, errors.New("fault: Import")
	case "none":
		return nil, nil
	}
	if d.Id() == "" {
		i, err := d.Identity()
		if err != nil {
			return nil, err
		}
		id, _ := i.Get("id").(string)
		d.SetId(id)
	}
	if diags := r.identify(d, "Import"); diags.HasError() {
		return nil, errors.New(diags[0].Summary)
	}
	return []*sdk.ResourceData{d}, nil
}
