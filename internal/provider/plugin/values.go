package plugin

import (
	"errors"
	"io"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// null is a null of any type, in msgpack.
var null = []byte{0xc0}

// toValue converts an absent value to a null, because SDKv2 dereferences values without checking
// them (contract § 1).
func toValue(in *tfprotov6.DynamicValue) *tfplugin.DynamicValue {
	if in == nil || len(in.MsgPack) == 0 && len(in.JSON) == 0 {
		return &tfplugin.DynamicValue{Msgpack: null}
	}
	return &tfplugin.DynamicValue{Msgpack: in.MsgPack, Json: in.JSON}
}

// fromValue keeps an absent value absent, and prefers msgpack to JSON.
func fromValue(in *tfplugin.DynamicValue) *tfprotov6.DynamicValue {
	if in == nil {
		return nil
	}
	out := &tfprotov6.DynamicValue{MsgPack: in.Msgpack, JSON: in.Json}
	if len(out.MsgPack) > 0 {
		out.JSON = nil
	}
	return out
}

func toIdentity(in *tfprotov6.ResourceIdentityData) *tfplugin.IdentityData {
	if in == nil {
		return nil
	}
	return &tfplugin.IdentityData{IdentityData: toValue(in.IdentityData)}
}

func fromIdentity(in *tfplugin.IdentityData) *tfprotov6.ResourceIdentityData {
	if in == nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: fromValue(in.IdentityData)}
}

func toRawState(in *tfprotov6.RawState) *tfplugin.RawState {
	if in == nil {
		return nil
	}
	return &tfplugin.RawState{Json: in.JSON, Flatmap: in.Flatmap}
}

func fromPath(in *tfplugin.AttributePath) *tftypes.AttributePath {
	if in == nil {
		return nil
	}
	steps := make([]tftypes.AttributePathStep, 0, len(in.Steps))
	for _, step := range in.Steps {
		switch s := step.GetSelector().(type) {
		case *tfplugin.AttributePath_Step_AttributeName:
			steps = append(steps, tftypes.AttributeName(s.AttributeName))
		case *tfplugin.AttributePath_Step_ElementKeyString:
			steps = append(steps, tftypes.ElementKeyString(s.ElementKeyString))
		case *tfplugin.AttributePath_Step_ElementKeyInt:
			steps = append(steps, tftypes.ElementKeyInt(s.ElementKeyInt))
		default:
			// The protocol cannot address elements of sets, so the path ends here.
			return tftypes.NewAttributePathWithSteps(steps)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return tftypes.NewAttributePathWithSteps(steps)
}

func fromPaths(in []*tfplugin.AttributePath) []*tftypes.AttributePath {
	var out []*tftypes.AttributePath
	for _, p := range in {
		if path := fromPath(p); path != nil {
			out = append(out, path)
		}
	}
	return out
}

func fromDiagnostics(in []*tfplugin.Diagnostic) []*tfprotov6.Diagnostic {
	if len(in) == 0 {
		return nil
	}
	out := make([]*tfprotov6.Diagnostic, len(in))
	for i, d := range in {
		out[i] = &tfprotov6.Diagnostic{
			Severity:  tfprotov6.DiagnosticSeverity(d.Severity),
			Summary:   d.Summary,
			Detail:    d.Detail,
			Attribute: fromPath(d.Attribute),
		}
	}
	return out
}

// errorDiagnostics returns the diagnostics that end a broken stream.
func errorDiagnostics(err error) []*tfprotov6.Diagnostic {
	var out []*tfprotov6.Diagnostic
	for _, d := range provider.CallError(err) {
		out = append(out, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary, Detail: d.Detail})
	}
	return out
}

func fromDeferred(in *tfplugin.Deferred) *tfprotov6.Deferred {
	if in == nil {
		return nil
	}
	return &tfprotov6.Deferred{Reason: tfprotov6.DeferredReason(in.Reason)}
}

func fromCapabilities(in *tfplugin.ServerCapabilities) *tfprotov6.ServerCapabilities {
	if in == nil {
		return nil
	}
	return &tfprotov6.ServerCapabilities{
		GetProviderSchemaOptional: in.GetProviderSchemaOptional,
		MoveResourceState:         in.MoveResourceState,
		PlanDestroy:               in.PlanDestroy,
		GenerateResourceConfig:    in.GenerateResourceConfig,
	}
}

// deferring is what each RPC has as the capabilities of its client.
type deferring = struct{ DeferralAllowed bool }

// capabilities returns the client's capabilities, which are sent with every request (contract § 1).
// in are those of the request; nil if it has none. The last two belong to protocol 6.
func capabilities[C ~deferring](s *Server, in *C) *tfplugin.ClientCapabilities {
	return &tfplugin.ClientCapabilities{
		DeferralAllowed:            in != nil && deferring(*in).DeferralAllowed,
		WriteOnlyAttributesAllowed: true,
		StorePlannedPrivate:        s.protocol == 6,
		ComputedBlocksAllowed:      s.protocol == 6,
	}
}

func fromTime(in *timestamppb.Timestamp) time.Time {
	if in == nil {
		return time.Time{}
	}
	return in.AsTime()
}
