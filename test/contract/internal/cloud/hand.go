//lint:file-ignore SA1019 Providers of the legacy SDK still announce their type system, and types come as JSON.

package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// Hand is a provider written on the bare protocol, version 6.
type Hand struct {
	// What no client of these tests asks for.
	tfprotov6.ProviderServer
	// Run is what the provider knows now.
	Run func() Run
	// PlanDestroy is set when it declares the capability to plan destroys.
	PlanDestroy bool
	// Meta is whether it has a schema for provider_meta, and can move objects to other types.
	Meta bool
}

// GetProviderSchema returns the resource types.
func (h *Hand) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	out := &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: &tfprotov6.ServerCapabilities{PlanDestroy: h.PlanDestroy, MoveResourceState: h.Meta},
		Provider:           &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ResourceSchemas:    map[string]*tfprotov6.Schema{},
	}
	if h.Meta {
		out.ProviderMeta = &tfprotov6.Schema{Block: protocolBlock(metaBlock)}
	}
	for name, a := range h.Run() {
		out.ResourceSchemas[name] = &tfprotov6.Schema{Version: a.Schema().Version, Block: protocolBlock(a.Schema().Block)}
	}
	return out, nil
}

// GetResourceIdentitySchemas returns the identity schemas of the resource types that have one.
func (h *Hand) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	out := &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{}}
	for name, a := range h.Run() {
		if i := a.Schema().Identity; i != nil {
			out.IdentitySchemas[name] = protocolIdentity(i)
		}
	}
	return out, nil
}

// GetMetadata is not implemented, so that clients ask for the schema.
func (h *Hand) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return &tfprotov6.GetMetadataResponse{}, nil
}

// ValidateProviderConfig accepts the empty configuration.
func (h *Hand) ValidateProviderConfig(
	_ context.Context, q *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: q.Config}, nil
}

// ConfigureProvider has nothing to configure.
func (h *Hand) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// StopProvider has nothing to stop.
func (h *Hand) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (h *Hand) active(name string) (*Active, error) {
	if a := h.Run()[name]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("there is no resource type %s", name)
}

var errCall = errors.New("the provider cannot answer")

func (r rpc) problem(severity tfprotov6.DiagnosticSeverity) *tfprotov6.Diagnostic {
	return &tfprotov6.Diagnostic{Severity: severity, Summary: "Fault: " + r.call.RPC, Detail: "It was ordered.", Attribute: r.somewhere()}
}

// somewhere returns the path of an attribute, of an element in one, or none.
func (r rpc) somewhere() *tftypes.AttributePath {
	v := r.value("config")
	if v == cty.NilVal || v.IsNull() || r.chance("somewhere", r.Index)%4 == 0 {
		return nil
	}
	var all []*tftypes.AttributePath
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if len(path) > 0 {
			all = append(all, protocolPath(path))
		}
		// The protocol cannot name the elements of sets.
		return !v.Type().IsSetType(), nil
	})
	if len(all) == 0 {
		return nil
	}
	return all[r.chance("somewhere", r.Index, len(all))%uint64(len(all))]
}

// common carries out the faults that are the same for all RPCs.
func (r rpc) common() ([]*tfprotov6.Diagnostic, error) {
	switch f := r.fault(r.call.RPC); {
	case f == "call":
		return nil, errCall
	case strings.HasPrefix(f, "error"):
		return []*tfprotov6.Diagnostic{r.problem(tfprotov6.DiagnosticSeverityError)}, nil
	case f == "warning":
		return []*tfprotov6.Diagnostic{r.problem(tfprotov6.DiagnosticSeverityWarning)}, nil
	}
	return nil, nil
}

func (r rpc) is(faults ...string) bool {
	for _, f := range faults {
		if r.fault(r.call.RPC) == f {
			return true
		}
	}
	return false
}

func dynamic(v cty.Value, t cty.Type) *tfprotov6.DynamicValue {
	raw, err := wire.Marshal(v, t)
	if err != nil {
		panic(fmt.Sprintf("encoding an answer: %s", err))
	}
	return &tfprotov6.DynamicValue{MsgPack: raw}
}

// state returns the state of an answer, changed by the fault.
func (r rpc) state(v cty.Value) *tfprotov6.DynamicValue {
	b, t := r.Schema().Block, r.Schema().ImpliedType()
	switch {
	case r.is("malformed"):
		return &tfprotov6.DynamicValue{MsgPack: []byte{0x93, 1, 2, 3}}
	case v.IsNull():
	case r.is("unknown"):
		v = r.unknown(v)
	case r.is("writeonly"):
		v = mapBlock(b, v, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
			if x.WriteOnly {
				return r.Active.fill(x.ImpliedType(), "leak", path)
			}
			return v
		})
	}
	return dynamic(v, t)
}

// unknown makes an attribute unknown.
func (r rpc) unknown(v cty.Value) cty.Value {
	values := v.AsValueMap()
	values["id"] = cty.UnknownVal(cty.String)
	return cty.ObjectVal(values)
}

// identityOf returns the identity of an answer, changed by the fault.
func (r rpc) identityOf(v cty.Value) *tfprotov6.ResourceIdentityData {
	s := r.Schema().Identity
	if s == nil || r.is("noidentity") || v == cty.NilVal || v.IsNull() {
		return nil
	}
	switch {
	case r.is("newidentity"):
		values := v.AsValueMap()
		for name, x := range s.Attributes {
			if name != "id" {
				values[name] = r.Active.fill(x.Type, "new identity", name, r.Index)
			}
		}
		v = cty.ObjectVal(values)
	case r.is("unknownidentity"):
		values := v.AsValueMap()
		values["id"] = cty.UnknownVal(cty.String)
		v = cty.ObjectVal(values)
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: dynamic(v, s.ImpliedType())}
}

// private returns the private bytes of an answer.
func (r rpc) private(before string) []byte {
	switch {
	case r.is("noprivate", "errornoprivate"):
		return nil
	case r.is("private"):
		return fmt.Appendf(nil, `{"changed":%d}`, r.Index)
	case before == "" && r.call.RPC == "Read":
		return nil
	}
	return []byte(before)
}

func (r rpc) deferred() *tfprotov6.Deferred {
	if r.is("deferred") {
		return &tfprotov6.Deferred{Reason: tfprotov6.DeferredReasonAbsentPrereq}
	}
	return nil
}

// ValidateResourceConfig accepts every configuration unless there is a fault.
func (h *Hand) ValidateResourceConfig(
	_ context.Context, q *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordValidate(q)
	diags, err := r.common()
	return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: diags}, err
}

// UpgradeResourceState removes what the schema does not have, whatever the version.
func (h *Hand) UpgradeResourceState(
	_ context.Context, q *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordUpgrade(q)
	diags, err := r.common()
	if err != nil || len(diags) > 0 {
		return &tfprotov6.UpgradeResourceStateResponse{Diagnostics: diags}, err
	}
	if r.is("null") {
		return &tfprotov6.UpgradeResourceStateResponse{}, nil
	}
	v, err := stored(q.RawState, a.Schema().ImpliedType())
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: r.state(v)}, nil
}

// MoveResourceState accepts the state of another type that differs only in its name.
func (h *Hand) MoveResourceState(_ context.Context, q *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	a, err := h.active(q.TargetTypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordMove(q)
	diags, err := r.common()
	out := &tfprotov6.MoveResourceStateResponse{Diagnostics: diags}
	if err != nil || r.is("error") {
		return out, err
	}
	v, err := stored(q.SourceState, a.Schema().ImpliedType())
	if err != nil {
		return nil, err
	}
	if !r.is("null") {
		out.TargetState = r.state(v)
	}
	out.TargetPrivate = r.private(string(q.SourcePrivate))
	out.TargetIdentity = r.identityOf(a.identity(idOf(v)))
	return out, nil
}

// UpgradeResourceIdentity removes what the identity schema does not have.
func (h *Hand) UpgradeResourceIdentity(
	_ context.Context, q *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordUpgradeIdentity(q)
	diags, err := r.common()
	if err != nil || len(diags) > 0 {
		return &tfprotov6.UpgradeResourceIdentityResponse{Diagnostics: diags}, err
	}
	if r.is("null") {
		return &tfprotov6.UpgradeResourceIdentityResponse{}, nil
	}
	v, err := stored(q.RawIdentity, a.Schema().IdentityType())
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: r.identityOf(v)}, nil
}

// stored decodes saved JSON as a value of a type. Missing attributes are null, others are ignored.
func stored(raw *tfprotov6.RawState, t cty.Type) (cty.Value, error) {
	if raw == nil {
		return cty.NullVal(t), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw.JSON, &fields); err != nil {
		return cty.NilVal, err
	}
	for name := range fields {
		if !t.HasAttribute(name) {
			delete(fields, name)
		}
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return cty.NilVal, err
	}
	return wire.UnmarshalJSON(out, t)
}

// renamed returns state of an earlier schema version with the attribute names of the current one.
func (a *Active) renamed(raw *tfprotov6.RawState) *tfprotov6.RawState {
	if raw == nil || len(a.Case.Renamed) == 0 {
		return raw
	}
	var fields map[string]any
	if err := json.Unmarshal(raw.JSON, &fields); err != nil {
		return raw
	}
	out, err := json.Marshal(a.renamedFields(fields))
	if err != nil {
		return raw
	}
	return &tfprotov6.RawState{JSON: out}
}

func (a *Active) renamedFields(in map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range in {
		if now, ok := a.Case.Renamed[name]; ok {
			name = now
		}
		out[name] = v
	}
	return out
}

// canonicalJSON returns JSON with sorted keys and unchanged numbers.
func canonicalJSON(raw *tfprotov6.RawState) string {
	if raw == nil {
		return ""
	}
	d := json.NewDecoder(bytes.NewReader(raw.JSON))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(raw.JSON)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw.JSON)
	}
	return string(out)
}

// ReadResource finds the object by its id, or without one by its identity.
func (h *Hand) ReadResource(_ context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordRead(q)
	diags, err := r.common()
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.ReadResourceResponse{
		Diagnostics: diags, Deferred: r.deferred(), NewState: q.CurrentState, NewIdentity: q.CurrentIdentity, Private: q.Private,
	}
	if r.is("error") {
		return out, nil
	}
	id := idOf(r.value("state"))
	if id == "" {
		id = idOf(r.value("identity"))
	}
	v, found := a.object(id)
	if !found || r.is("gone", "errorgone") {
		out.NewState = dynamic(cty.NullVal(a.Schema().ImpliedType()), a.Schema().ImpliedType())
		return out, nil
	}
	out.NewState, out.NewIdentity, out.Private = r.state(v), r.identityOf(a.identity(id)), r.private(string(q.Private))
	return out, nil
}

func idOf(v cty.Value) string {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return ""
	}
	if id := v.GetAttr("id"); id.IsKnown() && !id.IsNull() {
		return id.AsString()
	}
	return ""
}

// PlanResourceChange plans.
func (h *Hand) PlanResourceChange(
	_ context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordPlan(q)
	diags, err := r.common()
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.PlanResourceChangeResponse{Diagnostics: diags, Deferred: r.deferred(), UnsafeToUseLegacyTypeSystem: a.Case.Legacy}
	if r.is("error") {
		return out, nil
	}
	prior, proposed := r.value("prior"), r.value("proposed")
	t := a.Schema().ImpliedType()
	planned := a.plan(prior, proposed)
	out.PlannedPrivate = r.private(string(q.PriorPrivate))
	if !proposed.IsNull() && !r.is("noprivate", "private") {
		out.PlannedPrivate = fmt.Appendf(nil, `{"planned":%d}`, a.chance("private", string(q.PriorPrivate))%1000)
		if planned.RawEquals(prior) || a.chance("plan without private")%3 == 0 {
			out.PlannedPrivate = q.PriorPrivate
		}
	}
	out.PlannedIdentity = q.PriorIdentity
	if q.PriorIdentity == nil && prior.IsNull() && a.Schema().Identity != nil && a.chance("plans identity")%2 == 0 {
		// Not unknown, which a client may refuse to store in its plan.
		out.PlannedIdentity = &tfprotov6.ResourceIdentityData{IdentityData: dynamic(a.identity("to be"), a.Schema().IdentityType())}
	}
	if r.is("noidentity", "newidentity", "unknownidentity") {
		out.PlannedIdentity = r.identityOf(a.identity(idOf(prior)))
	}
	if !planned.IsNull() {
		out.RequiresReplace = a.requiresReplace(prior, planned)
		planned = r.misplan(out, planned)
	}
	if r.is("null") {
		planned = cty.NullVal(t)
	}
	out.PlannedState = r.state(planned)
	return out, nil
}

// misplan returns a plan changed by the fault.
func (r rpc) misplan(out *tfprotov6.PlanResourceChangeResponse, planned cty.Value) cty.Value {
	b := r.Schema().Block
	switch {
	case r.is("invalid"), r.is("unknownconfig"):
		return mapBlock(b, planned, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
			if x.WriteOnly || x.Nested != nil || r.chance("invalid", path)%2 == 0 {
				return v
			}
			if r.is("unknownconfig") {
				return cty.UnknownVal(x.Type)
			}
			return r.Active.fill(x.Type, "invalid", path)
		})
	case r.is("badpath"):
		out.RequiresReplace = append(out.RequiresReplace, tftypes.NewAttributePath().WithAttributeName("id").WithElementKeyInt(7))
	case r.is("replace"):
		for name := range b.Attributes {
			out.RequiresReplace = append(out.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
		}
	}
	return planned
}

// ApplyResourceChange changes the world.
func (h *Hand) ApplyResourceChange(
	_ context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordApply(q)
	diags, err := r.common()
	t := a.Schema().ImpliedType()
	prior, planned := r.value("prior"), r.value("planned")
	id := idOf(prior)
	failsEarly := r.is("error", "errornoprivate")
	var v cty.Value
	switch {
	case failsEarly:
	case planned.IsNull():
		if !r.is("errorpartial") {
			a.Remove(id)
		}
		v = planned
		if r.is("errorpartial") {
			v = prior
		}
	default:
		if prior.IsNull() {
			id = a.nextID()
			if given := idOf(planned); given != "" {
				id = given
			}
		}
		v = a.apply(planned, id)
		switch {
		case r.is("errorpartial"):
			v = r.partly(v)
		case r.is("inconsistent"):
			v = r.inconsistent(v)
		}
		a.Put(id, v)
	}
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.ApplyResourceChangeResponse{Diagnostics: diags, UnsafeToUseLegacyTypeSystem: a.Case.Legacy}
	switch {
	case failsEarly: // as the legacy SDK: the prior state, and nothing else
		out.NewState = q.PriorState
		if r.is("error") {
			out.Private, out.NewIdentity = r.private(string(q.PlannedPrivate)), q.PlannedIdentity
		}
		if prior.IsNull() {
			out.NewIdentity = nil
		}
		return out, nil
	case r.is("nothing"):
		return out, nil
	case r.is("null", "errornull"):
		v = cty.NullVal(t)
	}
	out.NewState = r.state(v)
	if !v.IsNull() {
		out.Private = r.private(string(q.PlannedPrivate))
		if !r.is("noprivate", "private") {
			out.Private = fmt.Appendf(nil, `{"applied":%d}`, a.chance("private", string(q.PlannedPrivate))%1000)
		}
		out.NewIdentity = r.identityOf(a.identity(id))
	}
	return out, nil
}

// partly returns an object of which some attributes were not set.
func (r rpc) partly(v cty.Value) cty.Value {
	return mapBlock(r.Schema().Block, v, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
		if path != ".id" && x.Nested == nil && r.chance("partial", path)%3 == 0 {
			return cty.NullVal(x.Type)
		}
		return v
	})
}

// inconsistent returns an object that differs from its plan.
func (r rpc) inconsistent(v cty.Value) cty.Value {
	return mapBlock(r.Schema().Block, v, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
		if path != ".id" && !x.WriteOnly && r.chance("inconsistent", path)%2 == 0 {
			return r.fillAttribute(x, "inconsistent", path)
		}
		return v
	})
}

// ImportResourceState imports an object by id or identity. It does not read the object.
func (h *Hand) ImportResourceState(
	_ context.Context, q *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	a, err := h.active(q.TypeName)
	if err != nil {
		return nil, err
	}
	r := a.recordImport(q)
	diags, err := r.common()
	out := &tfprotov6.ImportResourceStateResponse{Diagnostics: diags, Deferred: r.deferred()}
	if err != nil || r.is("error") {
		return out, err
	}
	id := q.ID
	if q.Identity != nil {
		id = idOf(r.value("identity"))
	}
	values := a.Schema().Block.EmptyValue().AsValueMap()
	values["id"] = cty.StringVal(id)
	v := cty.ObjectVal(values)
	if r.is("null") {
		v = cty.NullVal(a.Schema().ImpliedType())
	}
	object := &tfprotov6.ImportedResource{
		TypeName: q.TypeName, State: r.state(v), Private: []byte(`{"imported":true}`),
		Identity: r.identityOf(a.identity(id)),
	}
	if r.is("othertype") {
		object.TypeName += "_other"
	}
	switch {
	case r.is("none"):
	case r.is("two"):
		out.ImportedResources = []*tfprotov6.ImportedResource{object, object}
	default:
		out.ImportedResources = []*tfprotov6.ImportedResource{object}
	}
	return out, nil
}
