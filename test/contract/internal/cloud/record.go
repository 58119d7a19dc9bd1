package cloud

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
)

// decode decodes a value. A value that was not sent is null: clients may do either.
func decode(v *tfprotov6.DynamicValue, t cty.Type) cty.Value {
	out, err := decodeAs(v, t)
	if err != nil {
		panic(fmt.Sprintf("a client sent what is not a value of %s: %s", t.FriendlyName(), err))
	}
	return out
}

func decodeAs(v *tfprotov6.DynamicValue, t cty.Type) (cty.Value, error) {
	switch {
	case t == cty.NilType:
		return cty.NilVal, nil
	case v == nil, len(v.MsgPack) == 0 && len(v.JSON) == 0:
		return cty.NullVal(t), nil
	case len(v.MsgPack) > 0:
		return wire.Unmarshal(v.MsgPack, t)
	}
	return wire.UnmarshalJSON(v.JSON, t)
}

func decodeIdentity(v *tfprotov6.ResourceIdentityData, t cty.Type) cty.Value {
	if v == nil {
		return decode(nil, t)
	}
	return decode(v.IdentityData, t)
}

// rpc is a recorded request about one resource.
type rpc struct {
	*Active
	call Call
}

func (a *Active) begin(name string, fields map[string]any) rpc {
	c := Call{RPC: name, Fields: fields}
	a.record(c)
	return rpc{a, c}
}

func (r rpc) value(name string) cty.Value {
	v, ok := r.call.Fields[name].(cty.Value)
	if !ok {
		return cty.NilVal
	}
	return v
}

func (a *Active) recordValidate(q *tfprotov6.ValidateResourceConfigRequest) rpc {
	return a.begin("Validate", map[string]any{
		"config":     decode(q.Config, a.Schema().ImpliedType()),
		"write-only": q.ClientCapabilities != nil && q.ClientCapabilities.WriteOnlyAttributesAllowed,
	})
}

func (a *Active) recordUpgrade(q *tfprotov6.UpgradeResourceStateRequest) rpc {
	return a.begin("Upgrade", map[string]any{"version": q.Version, "state": canonicalJSON(q.RawState)})
}

func (a *Active) recordUpgradeIdentity(q *tfprotov6.UpgradeResourceIdentityRequest) rpc {
	return a.begin("UpgradeIdentity", map[string]any{"version": q.Version, "identity": canonicalJSON(q.RawIdentity)})
}

func (a *Active) recordRead(q *tfprotov6.ReadResourceRequest) rpc {
	s := a.Schema()
	return a.begin("Read", map[string]any{
		"state": decode(q.CurrentState, s.ImpliedType()), "private": string(q.Private),
		"identity": decodeIdentity(q.CurrentIdentity, s.IdentityType()),
		"deferral": q.ClientCapabilities != nil && q.ClientCapabilities.DeferralAllowed, "meta": decodeMeta(q.ProviderMeta),
	})
}

func (a *Active) recordPlan(q *tfprotov6.PlanResourceChangeRequest) rpc {
	s := a.Schema()
	return a.begin("Plan", map[string]any{
		"prior": decode(q.PriorState, s.ImpliedType()), "proposed": decode(q.ProposedNewState, s.ImpliedType()),
		"config": decode(q.Config, s.ImpliedType()), "private": string(q.PriorPrivate),
		"identity": decodeIdentity(q.PriorIdentity, s.IdentityType()),
		"deferral": q.ClientCapabilities != nil && q.ClientCapabilities.DeferralAllowed, "meta": decodeMeta(q.ProviderMeta),
	})
}

func (a *Active) recordApply(q *tfprotov6.ApplyResourceChangeRequest) rpc {
	s := a.Schema()
	return a.begin("Apply", map[string]any{
		"prior": decode(q.PriorState, s.ImpliedType()), "planned": decode(q.PlannedState, s.ImpliedType()),
		"config": decode(q.Config, s.ImpliedType()), "private": string(q.PlannedPrivate),
		"identity": decodeIdentity(q.PlannedIdentity, s.IdentityType()), "meta": decodeMeta(q.ProviderMeta),
	})
}

func (a *Active) recordMove(q *tfprotov6.MoveResourceStateRequest) rpc {
	return a.begin("Move", map[string]any{
		"provider": q.SourceProviderAddress, "type": q.SourceTypeName, "version": q.SourceSchemaVersion,
		"state": canonicalJSON(q.SourceState), "private": string(q.SourcePrivate), "identity": canonicalJSON(q.SourceIdentity),
	})
}

func (a *Active) recordImport(q *tfprotov6.ImportResourceStateRequest) rpc {
	return a.begin("Import", map[string]any{
		"id": q.ID, "identity": decodeIdentity(q.Identity, a.Schema().IdentityType()),
		"deferral": q.ClientCapabilities != nil && q.ClientCapabilities.DeferralAllowed,
	})
}
