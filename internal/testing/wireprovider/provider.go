package wireprovider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// Type is the provider's resource type. A provider of mode Forgetful does not keep what it plans.
const Type = "wire_token"

// Nestings of blocks on the wire.
const nestingList = 2

// token is the type of the resource type's states.
var token = cty.Object(map[string]cty.Type{
	"name": cty.String, "guid": cty.String, "rule": cty.List(cty.Object(map[string]cty.Type{"port": cty.Number})),
})

// wire has the calls of the provider.
type wire struct{ forgetful bool }

// schema is that of all calls. The block rule is set by the provider where it is not configured.
func (w *wire) schema(context.Context, *tfplugin.Empty) (*tfplugin.GetProviderSchemaResponse, error) {
	text, number := []byte(`"string"`), []byte(`"number"`)
	return &tfplugin.GetProviderSchemaResponse{
		Provider:           &tfplugin.Schema{Block: &tfplugin.Schema_Block{}},
		ServerCapabilities: &tfplugin.ServerCapabilities{GetProviderSchemaOptional: true},
		ResourceSchemas: map[string]*tfplugin.Schema{Type: {Block: &tfplugin.Schema_Block{
			Attributes: []*tfplugin.Schema_Attribute{
				{Name: "name", Type: text, Required: true},
				{Name: "guid", Type: text, Computed: true},
			},
			BlockTypes: []*tfplugin.Schema_NestedBlock{{TypeName: "rule", Nesting: nestingList, Block: &tfplugin.Schema_Block{
				Computed:   true,
				Attributes: []*tfplugin.Schema_Attribute{{Name: "port", Type: number, Optional: true, Computed: true}},
			}}},
		}}},
	}, nil
}

// validate refuses clients that do not know computed blocks, as the protocol demands of providers.
func (w *wire) validate(_ context.Context, r *tfplugin.ConfigRequest) (*tfplugin.DiagnosticsResponse, error) {
	if !r.ClientCapabilities.GetComputedBlocksAllowed() {
		return &tfplugin.DiagnosticsResponse{
			Diagnostics: []*tfplugin.Diagnostic{{Severity: 1, Summary: "Computed blocks are not supported"}},
		}, nil
	}
	return &tfplugin.DiagnosticsResponse{}, nil
}

func (w *wire) upgrade(_ context.Context, r *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	v, err := ctyjson.Unmarshal(r.RawState.GetJson(), token)
	if err != nil {
		return nil, err
	}
	state, err := encode(v)
	return &tfplugin.UpgradeResourceStateResponse{UpgradedState: state}, err
}

func (w *wire) read(_ context.Context, r *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return &tfplugin.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private}, nil
}

// plan generates a GUID for an object that is to be created. It is the one of the plan before,
// where the client sends back what that plan has kept.
func (w *wire) plan(_ context.Context, r *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	proposed, err := decode(r.ProposedNewState)
	if err != nil {
		return nil, err
	}
	config, configErr := decode(r.Config)
	prior, priorErr := decode(r.PriorState)
	if err := errors.Join(configErr, priorErr); err != nil {
		return nil, err
	}
	out := &tfplugin.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate}
	if proposed.IsNull() {
		return out, nil
	}
	values := proposed.AsValueMap()
	if prior.IsNull() {
		values["guid"] = cty.UnknownVal(cty.String)
		if r.ClientCapabilities.GetStorePlannedPrivate() {
			if out.PlannedPrivate = r.PlannedPrivate; len(out.PlannedPrivate) == 0 || w.forgetful {
				out.PlannedPrivate = newGUID()
			}
			values["guid"] = cty.StringVal(string(out.PlannedPrivate))
		}
	}
	switch rule := config.GetAttr("rule"); {
	case !rule.IsNull():
	case prior.IsNull():
		values["rule"] = cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"port": cty.NumberIntVal(80)})})
	default:
		values["rule"] = prior.GetAttr("rule")
	}
	out.PlannedState, err = encode(cty.ObjectVal(values))
	return out, err
}

func (w *wire) apply(_ context.Context, r *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	planned, err := decode(r.PlannedState)
	if err != nil {
		return nil, err
	}
	out := &tfplugin.ApplyResourceChangeResponse{NewState: r.PlannedState, Private: r.PlannedPrivate}
	if planned.IsNull() || planned.IsWhollyKnown() {
		return out, nil
	}
	values := planned.AsValueMap()
	values["guid"] = cty.StringVal(string(newGUID()))
	out.NewState, err = encode(cty.ObjectVal(values))
	return out, err
}

func newGUID() []byte {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw) // never fails
	return []byte(hex.EncodeToString(raw))
}

func decode(in *tfplugin.DynamicValue) (cty.Value, error) {
	if in == nil || len(in.Msgpack) == 0 {
		return cty.NullVal(token), nil
	}
	v, err := ctymsgpack.Unmarshal(in.Msgpack, token)
	if err != nil {
		return cty.NilVal, fmt.Errorf("decode: %w", err)
	}
	return v, nil
}

func encode(v cty.Value) (*tfplugin.DynamicValue, error) {
	raw, err := ctymsgpack.Marshal(v, token)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return &tfplugin.DynamicValue{Msgpack: raw}, nil
}
