package cloud

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/metaschema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	fw "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Framework6 returns a function that makes providers with the plugin framework, over protocol 6.
// meta adds a schema for provider_meta.
func Framework6(meta bool) func(Run) tfprotov6.ProviderServer {
	return func(run Run) tfprotov6.ProviderServer { return providerserver.NewProtocol6(newFramework(run, meta))() }
}

// Framework5 is Framework6 over protocol 5.
func Framework5(meta bool) func(Run) tfprotov5.ProviderServer {
	return func(run Run) tfprotov5.ProviderServer { return providerserver.NewProtocol5(newFramework(run, meta))() }
}

func newFramework(run Run, meta bool) provider.Provider {
	if meta {
		return metaProvider{frameworkProvider{run}}
	}
	return frameworkProvider{run}
}

type frameworkProvider struct{ run Run }

// metaProvider is a provider with a schema for provider_meta.
type metaProvider struct{ frameworkProvider }

func (metaProvider) MetaSchema(_ context.Context, _ provider.MetaSchemaRequest, resp *provider.MetaSchemaResponse) {
	resp.Schema = metaschema.Schema{Attributes: map[string]metaschema.Attribute{
		"module": metaschema.StringAttribute{Optional: true}, "count": metaschema.NumberAttribute{Optional: true},
	}}
}

func (p frameworkProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "framework"
}

func (p frameworkProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {
}

func (p frameworkProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (p frameworkProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p frameworkProvider) Resources(context.Context) []func() resource.Resource {
	var out []func() resource.Resource
	for name, a := range p.run {
		r := &frameworkResource{name: name, active: a}
		if a.Schema().Identity == nil {
			out = append(out, func() resource.Resource { return r })
		} else {
			out = append(out, func() resource.Resource { return &identifiedResource{r} })
		}
	}
	return out
}

type frameworkResource struct {
	name   string
	active *Active
}

func (r *frameworkResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (r *frameworkResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	s := r.active.Schema()
	resp.Schema = fw.Schema{Version: s.Version, Attributes: r.attributes(s.Block.Attributes, ""), Blocks: r.blocks(s.Block.Blocks, "")}
}

func (r *frameworkResource) attributes(in map[string]*schema.Attribute, at string) map[string]fw.Attribute {
	out := map[string]fw.Attribute{}
	for name, a := range in {
		out[name] = r.attribute(a, at+"."+name)
	}
	return out
}

func (r *frameworkResource) attribute(a *schema.Attribute, at string) fw.Attribute {
	required, optional, computed, sensitive, writeOnly := a.Required, a.Optional, a.Computed, a.Sensitive, a.WriteOnly
	if n := a.Nested; n != nil {
		object := fw.NestedAttributeObject{Attributes: r.attributes(n.Attributes, at)}
		switch n.Nesting {
		case schema.NestingList:
			return fw.ListNestedAttribute{
				NestedObject: object, Required: required, Optional: optional, Computed: computed,
				Sensitive: sensitive, WriteOnly: writeOnly,
			}
		case schema.NestingSet:
			return fw.SetNestedAttribute{NestedObject: object, Required: required, Optional: optional, Computed: computed, Sensitive: sensitive}
		case schema.NestingMap:
			return fw.MapNestedAttribute{
				NestedObject: object, Required: required, Optional: optional, Computed: computed,
				Sensitive: sensitive, WriteOnly: writeOnly,
			}
		}
		return fw.SingleNestedAttribute{
			Attributes: object.Attributes, Required: required, Optional: optional, Computed: computed,
			Sensitive: sensitive, WriteOnly: writeOnly,
		}
	}
	replaces, keeps := r.active.chance("replace", at)%5 == 0, r.active.chance("keeps", at)%3 == 0
	switch t := a.Type; {
	case t == cty.String:
		out := fw.StringAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: sensitive, WriteOnly: writeOnly}
		if at == ".id" || keeps {
			out.PlanModifiers = append(out.PlanModifiers, stringplanmodifier.UseStateForUnknown())
		} else if replaces {
			out.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
		}
		if computed && optional && r.active.chance("default", at)%3 == 0 {
			out.Default = stringdefault.StaticString("default")
		}
		return out
	case t == cty.Bool:
		out := fw.BoolAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: sensitive, WriteOnly: writeOnly}
		if replaces {
			out.PlanModifiers = []planmodifier.Bool{boolplanmodifier.RequiresReplaceIfConfigured()}
		}
		return out
	case t == cty.Number:
		return fw.NumberAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: sensitive, WriteOnly: writeOnly}
	case t == cty.DynamicPseudoType:
		return fw.DynamicAttribute{Required: required, Optional: optional, Computed: computed, Sensitive: sensitive, WriteOnly: writeOnly}
	case t.IsListType():
		out := fw.ListAttribute{
			ElementType: frameworkType(t.ElementType()), Required: required, Optional: optional, Computed: computed,
			Sensitive: sensitive, WriteOnly: writeOnly,
		}
		if replaces {
			out.PlanModifiers = []planmodifier.List{listplanmodifier.RequiresReplace()}
		}
		return out
	case t.IsSetType():
		return fw.SetAttribute{
			ElementType: frameworkType(t.ElementType()), Required: required, Optional: optional, Computed: computed,
			Sensitive: sensitive,
		}
	case t.IsMapType():
		return fw.MapAttribute{
			ElementType: frameworkType(t.ElementType()), Required: required, Optional: optional, Computed: computed,
			Sensitive: sensitive, WriteOnly: writeOnly,
		}
	case t.IsObjectType():
		return fw.ObjectAttribute{
			AttributeTypes: frameworkTypes(t), Required: required, Optional: optional, Computed: computed,
			Sensitive: sensitive, WriteOnly: writeOnly,
		}
	default:
		panic("the framework has no " + t.FriendlyName())
	}
}

func frameworkTypes(t cty.Type) map[string]attr.Type {
	out := map[string]attr.Type{}
	for name, x := range t.AttributeTypes() {
		out[name] = frameworkType(x)
	}
	return out
}

func frameworkType(t cty.Type) attr.Type {
	switch {
	case t == cty.String:
		return types.StringType
	case t == cty.Bool:
		return types.BoolType
	case t == cty.Number:
		return types.NumberType
	case t.IsListType():
		return types.ListType{ElemType: frameworkType(t.ElementType())}
	case t.IsSetType():
		return types.SetType{ElemType: frameworkType(t.ElementType())}
	case t.IsMapType():
		return types.MapType{ElemType: frameworkType(t.ElementType())}
	case t.IsObjectType():
		return types.ObjectType{AttrTypes: frameworkTypes(t)}
	}
	panic("the framework has no " + t.FriendlyName())
}

func (r *frameworkResource) blocks(in map[string]*schema.NestedBlock, at string) map[string]fw.Block {
	out := map[string]fw.Block{}
	for name, n := range in {
		object := fw.NestedBlockObject{Attributes: r.attributes(n.Attributes, at+"."+name), Blocks: r.blocks(n.Blocks, at+"."+name)}
		switch n.Nesting {
		case schema.NestingList:
			out[name] = fw.ListNestedBlock{NestedObject: object}
		case schema.NestingSet:
			out[name] = fw.SetNestedBlock{NestedObject: object}
		case schema.NestingSingle:
			out[name] = fw.SingleNestedBlock{Attributes: object.Attributes, Blocks: object.Blocks}
		default:
			panic("the framework has no blocks of nesting " + string(n.Nesting))
		}
	}
	return out
}

// value converts a value of the framework by its wire format.
func (r *frameworkResource) value(v tftypes.Value, t cty.Type) cty.Value {
	d, err := tfprotov6.NewDynamicValue(protocolType(t), v)
	if err != nil {
		panic(fmt.Sprintf("encoding the framework's value: %s", err))
	}
	return decode(&d, t)
}

func frameworkValue(v cty.Value, t cty.Type) tftypes.Value {
	out, err := dynamic(v, t).Unmarshal(protocolType(t))
	if err != nil {
		panic(fmt.Sprintf("decoding a value for the framework: %s", err))
	}
	return out
}

func (r *frameworkResource) state(v cty.Value) tftypes.Value {
	return frameworkValue(v, r.active.Schema().ImpliedType())
}

func (r *frameworkResource) identify(to *tfsdk.ResourceIdentity, rpc, id string) {
	s := r.active.Schema().Identity
	if to == nil || s == nil || r.active.fault(rpc) == "noidentity" {
		return
	}
	v := r.active.identity(id)
	if r.active.fault(rpc) == "newidentity" {
		values := v.AsValueMap()
		for name, x := range s.Attributes {
			if name != "id" {
				values[name] = r.active.fill(x.Type, "new identity", name, r.active.Index)
			}
		}
		v = cty.ObjectVal(values)
	}
	to.Raw = frameworkValue(v, s.ImpliedType())
}

// complain adds the diagnostic of the fault, if any, and reports whether it is an error.
func (r *frameworkResource) complain(diags *diag.Diagnostics, rpc string) bool {
	summary, detail := "Fault: "+rpc, "It was ordered."
	at := path.Root("id")
	for _, name := range slices.Sorted(maps.Keys(r.active.Schema().Block.Attributes)) {
		if r.active.chance("somewhere", name)%2 == 0 {
			at = path.Root(name)
		}
	}
	isAnywhere := r.active.chance("somewhere")%3 == 0
	switch f := r.active.fault(rpc); f {
	case "error", "errorgone", "errorpartial", "errornull", "call":
		if isAnywhere {
			diags.AddError(summary, detail)
		} else {
			diags.AddAttributeError(at, summary, detail)
		}
		return true
	case "warning":
		if isAnywhere {
			diags.AddWarning(summary, detail)
		} else {
			diags.AddAttributeWarning(at, summary, detail)
		}
	}
	return false
}

func (r *frameworkResource) ValidateConfig(_ context.Context, _ resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	r.complain(&resp.Diagnostics, "Validate")
}

func (r *frameworkResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.complain(&resp.Diagnostics, "Plan")
	if r.active.fault("Plan") == "replace" && !req.Plan.Raw.IsNull() {
		for _, name := range slices.Sorted(maps.Keys(r.active.Schema().Block.Attributes)) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root(name))
		}
	}
}

func (r *frameworkResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	failed := r.complain(&resp.Diagnostics, "Apply")
	if r.active.fault("Apply") == "error" {
		return
	}
	id := r.active.nextID()
	v := r.applied(req.Plan, id)
	r.active.Put(id, v)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "created", fmt.Appendf(nil, `{"in":%d}`, r.active.Index))...)
	r.identify(resp.Identity, "Apply", id)
	if fault := r.active.fault("Apply"); fault == "null" || fault == "errornull" {
		return
	}
	if failed {
		v = r.some(v)
	}
	resp.State.Raw = r.state(v)
}

// applied returns the object that a plan results in.
func (r *frameworkResource) applied(plan tfsdk.Plan, id string) cty.Value {
	a := r.active
	v := a.apply(r.value(plan.Raw, a.Schema().ImpliedType()), id)
	if a.fault("Apply") == "inconsistent" {
		v = rpc{a, Call{RPC: "Apply"}}.inconsistent(v)
	}
	return mapBlock(a.Schema().Block, v, "", func(x *schema.Attribute, v cty.Value, _ string) cty.Value {
		if x.WriteOnly {
			return cty.NullVal(x.ImpliedType())
		}
		return v
	})
}

// some returns an object of which some attributes were not set.
func (r *frameworkResource) some(v cty.Value) cty.Value {
	return rpc{r.active, Call{RPC: "Apply"}}.partly(v)
}

func (r *frameworkResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	if r.complain(&resp.Diagnostics, "Read") {
		return
	}
	state := r.value(req.State.Raw, r.active.Schema().ImpliedType())
	v, found := r.active.object(idOf(state))
	if !found || r.active.fault("Read") == "gone" {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.State.Raw = r.state(v)
	if r.active.fault("Read") == "private" {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, "read", fmt.Appendf(nil, `{"in":%d}`, r.active.Index))...)
	}
	r.identify(resp.Identity, "Read", idOf(state))
}

func (r *frameworkResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	failed := r.complain(&resp.Diagnostics, "Apply")
	if r.active.fault("Apply") == "error" {
		return
	}
	id := idOf(r.value(req.State.Raw, r.active.Schema().ImpliedType()))
	v := r.applied(req.Plan, id)
	r.active.Put(id, v)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "updated", fmt.Appendf(nil, `{"in":%d}`, r.active.Index))...)
	if r.active.chance("update sets identity")%2 == 0 || r.active.fault("Apply") == "newidentity" {
		r.identify(resp.Identity, "Apply", id)
	}
	switch fault := r.active.fault("Apply"); {
	case fault == "null" || fault == "errornull":
		resp.State.RemoveResource(ctx)
	case failed:
		resp.State.Raw = r.state(r.some(v))
	default:
		resp.State.Raw = r.state(v)
	}
}

func (r *frameworkResource) Delete(_ context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	if !r.complain(&resp.Diagnostics, "Apply") {
		r.active.Remove(idOf(r.value(req.State.Raw, r.active.Schema().ImpliedType())))
	}
}

func (r *frameworkResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if r.complain(&resp.Diagnostics, "Import") || r.active.fault("Import") == "none" {
		return
	}
	id := req.ID
	if id == "" && req.Identity != nil {
		id = idOf(r.value(req.Identity.Raw, r.active.Schema().IdentityType()))
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
	r.identify(resp.Identity, "Import", id)
}

func (r *frameworkResource) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	out := map[int64]resource.StateUpgrader{}
	if r.active.Case.NoUpgraders {
		return out
	}
	for version := range r.active.Schema().Version {
		out[version] = resource.StateUpgrader{
			StateUpgrader: func(
				_ context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse,
			) {
				if r.complain(&resp.Diagnostics, "Upgrade") {
					return
				}
				t := r.active.Schema().ImpliedType()
				v, err := stored(r.active.renamed(req.RawState), t)
				if err != nil {
					resp.Diagnostics.AddError("Unreadable state", err.Error())
					return
				}
				resp.DynamicValue = dynamic(v, t)
			},
		}
	}
	return out
}

func (r *frameworkResource) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		if r.complain(&resp.Diagnostics, "Move") {
			return
		}
		if r.active.fault("Move") == "null" {
			return
		}
		v, err := stored((*tfprotov6.RawState)(req.SourceRawState), r.active.Schema().ImpliedType())
		if err != nil {
			resp.Diagnostics.AddError("Unreadable state", err.Error())
			return
		}
		resp.TargetState.Raw = r.state(v)
		if r.active.fault("Move") != "noprivate" {
			resp.TargetPrivate = req.SourcePrivate
		}
		r.identify(resp.TargetIdentity, "Move", idOf(v))
	}}}
}

// identifiedResource is a resource with an identity.
type identifiedResource struct{ *frameworkResource }

func (r *identifiedResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	s := r.active.Schema().Identity
	out := identityschema.Schema{Version: s.Version, Attributes: map[string]identityschema.Attribute{}}
	for name, a := range s.Attributes {
		switch a.Type {
		case cty.String:
			out.Attributes[name] = identityschema.StringAttribute{RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport}
		case cty.Number:
			out.Attributes[name] = identityschema.NumberAttribute{RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport}
		case cty.Bool:
			out.Attributes[name] = identityschema.BoolAttribute{RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport}
		default:
			out.Attributes[name] = identityschema.ListAttribute{
				ElementType: frameworkType(a.Type.ElementType()), RequiredForImport: a.RequiredForImport,
				OptionalForImport: a.OptionalForImport,
			}
		}
	}
	resp.IdentitySchema = out
}

func (r *identifiedResource) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	out := map[int64]resource.IdentityUpgrader{}
	if r.active.Case.NoUpgraders {
		return out
	}
	for version := range r.active.Schema().Identity.Version {
		out[version] = resource.IdentityUpgrader{
			IdentityUpgrader: func(
				_ context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse,
			) {
				if r.complain(&resp.Diagnostics, "UpgradeIdentity") {
					return
				}
				t := r.active.Schema().IdentityType()
				v, err := stored(r.active.renamed(req.RawIdentity), t)
				if err != nil {
					resp.Diagnostics.AddError("Unreadable identity", err.Error())
					return
				}
				resp.Identity.Raw = frameworkValue(v, t)
			},
		}
	}
	return out
}

var (
	_ resource.ResourceWithModifyPlan      = (*frameworkResource)(nil)
	_ resource.ResourceWithValidateConfig  = (*frameworkResource)(nil)
	_ resource.ResourceWithImportState     = (*frameworkResource)(nil)
	_ resource.ResourceWithMoveState       = (*frameworkResource)(nil)
	_ provider.ProviderWithMetaSchema      = metaProvider{}
	_ resource.ResourceWithUpgradeState    = (*frameworkResource)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*identifiedResource)(nil)
)
