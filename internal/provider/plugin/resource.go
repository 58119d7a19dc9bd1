package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ValidateResourceConfig checks a resource's configuration.
func (s *Server) ValidateResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ValidateResourceConfig, &tfplugin.ConfigRequest{
		TypeName:           r.TypeName,
		Config:             toValue(r.Config),
		ClientCapabilities: capabilities[deferring](s, nil),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// UpgradeResourceState upgrades a stored state to the current schema version.
func (s *Server) UpgradeResourceState(
	ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	var a tfplugin.UpgradeResourceStateResponse
	if err := s.invoke(ctx, tfplugin.UpgradeResourceState, &tfplugin.UpgradeResourceStateRequest{
		TypeName: r.TypeName,
		Version:  r.Version,
		RawState: toRawState(r.RawState),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceStateResponse{
		UpgradedState: fromValue(a.UpgradedState),
		Diagnostics:   s.diagnostics(a.Diagnostics),
	}, nil
}

// UpgradeResourceIdentity upgrades a stored identity to the current schema version.
func (s *Server) UpgradeResourceIdentity(
	ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	var a tfplugin.UpgradeResourceIdentityResponse
	if err := s.invoke(ctx, tfplugin.UpgradeResourceIdentity, &tfplugin.UpgradeResourceIdentityRequest{
		TypeName:    r.TypeName,
		Version:     r.Version,
		RawIdentity: toRawState(r.RawIdentity),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceIdentityResponse{
		UpgradedIdentity: fromIdentity(a.UpgradedIdentity),
		Diagnostics:      s.diagnostics(a.Diagnostics),
	}, nil
}

// ReadResource reads the remote object.
func (s *Server) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	var a tfplugin.ReadResourceResponse
	if err := s.invoke(ctx, tfplugin.ReadResource, &tfplugin.ReadResourceRequest{
		TypeName:           r.TypeName,
		CurrentState:       toValue(r.CurrentState),
		Private:            r.Private,
		ProviderMeta:       toValue(r.ProviderMeta),
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
		CurrentIdentity:    toIdentity(r.CurrentIdentity),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ReadResourceResponse{
		NewState:    fromValue(a.NewState),
		Diagnostics: s.diagnostics(a.Diagnostics),
		Private:     a.Private,
		Deferred:    fromDeferred(a.Deferred),
		NewIdentity: fromIdentity(a.NewIdentity),
	}, nil
}

// PlanResourceChange plans a change.
func (s *Server) PlanResourceChange(
	ctx context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	var a tfplugin.PlanResourceChangeResponse
	if err := s.invoke(ctx, tfplugin.PlanResourceChange, &tfplugin.PlanResourceChangeRequest{
		TypeName:           r.TypeName,
		PriorState:         toValue(r.PriorState),
		ProposedNewState:   toValue(r.ProposedNewState),
		Config:             toValue(r.Config),
		PriorPrivate:       r.PriorPrivate,
		ProviderMeta:       toValue(r.ProviderMeta),
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
		PriorIdentity:      toIdentity(r.PriorIdentity),
		PlannedPrivate:     s.plannedPrivate(ctx),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState:    fromValue(a.PlannedState),
		RequiresReplace: fromPaths(a.RequiresReplace),
		PlannedPrivate:  a.PlannedPrivate,
		Diagnostics:     s.diagnostics(a.Diagnostics),
		//lint:ignore SA1019 deprecated for providers only; clients still have to read it
		UnsafeToUseLegacyTypeSystem: a.LegacyTypeSystem,
		Deferred:                    fromDeferred(a.Deferred),
		PlannedIdentity:             fromIdentity(a.PlannedIdentity),
	}, nil
}

// plannedPrivate returns the private bytes of an earlier plan, which protocol 5 does not have.
func (s *Server) plannedPrivate(ctx context.Context) []byte {
	if s.protocol != 6 {
		return nil
	}
	return provider.PlannedPrivate(ctx)
}

// ApplyResourceChange applies a planned change.
func (s *Server) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	defer s.process.output.applies.begin(r.TypeName, provider.Progress(ctx))()
	var a tfplugin.ApplyResourceChangeResponse
	if err := s.invoke(ctx, tfplugin.ApplyResourceChange, &tfplugin.ApplyResourceChangeRequest{
		TypeName:        r.TypeName,
		PriorState:      toValue(r.PriorState),
		PlannedState:    toValue(r.PlannedState),
		Config:          toValue(r.Config),
		PlannedPrivate:  r.PlannedPrivate,
		ProviderMeta:    toValue(r.ProviderMeta),
		PlannedIdentity: toIdentity(r.PlannedIdentity),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ApplyResourceChangeResponse{
		NewState:    fromValue(a.NewState),
		Private:     a.Private,
		Diagnostics: s.diagnostics(a.Diagnostics),
		//lint:ignore SA1019 deprecated for providers only; clients still have to read it
		UnsafeToUseLegacyTypeSystem: a.LegacyTypeSystem,
		NewIdentity:                 fromIdentity(a.NewIdentity),
	}, nil
}

// ImportResourceState imports an object by id or by identity.
func (s *Server) ImportResourceState(
	ctx context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	var a tfplugin.ImportResourceStateResponse
	if err := s.invoke(ctx, tfplugin.ImportResourceState, &tfplugin.ImportResourceStateRequest{
		TypeName:           r.TypeName,
		Id:                 r.ID,
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
		Identity:           toIdentity(r.Identity),
	}, &a); err != nil {
		return nil, err
	}
	out := &tfprotov6.ImportResourceStateResponse{
		Diagnostics: s.diagnostics(a.Diagnostics),
		Deferred:    fromDeferred(a.Deferred),
	}
	for _, i := range a.ImportedResources {
		out.ImportedResources = append(out.ImportedResources, &tfprotov6.ImportedResource{
			TypeName: i.TypeName,
			State:    fromValue(i.State),
			Private:  i.Private,
			Identity: fromIdentity(i.Identity),
		})
	}
	return out, nil
}

// MoveResourceState converts the state of another resource type.
func (s *Server) MoveResourceState(
	ctx context.Context, r *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	var a tfplugin.MoveResourceStateResponse
	if err := s.invoke(ctx, tfplugin.MoveResourceState, &tfplugin.MoveResourceStateRequest{
		SourceProviderAddress:       r.SourceProviderAddress,
		SourceTypeName:              r.SourceTypeName,
		SourceSchemaVersion:         r.SourceSchemaVersion,
		SourceState:                 toRawState(r.SourceState),
		TargetTypeName:              r.TargetTypeName,
		SourcePrivate:               r.SourcePrivate,
		SourceIdentity:              toRawState(r.SourceIdentity),
		SourceIdentitySchemaVersion: r.SourceIdentitySchemaVersion,
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.MoveResourceStateResponse{
		TargetPrivate:  a.TargetPrivate,
		TargetState:    fromValue(a.TargetState),
		Diagnostics:    s.diagnostics(a.Diagnostics),
		TargetIdentity: fromIdentity(a.TargetIdentity),
	}, nil
}

// GenerateResourceConfig generates a configuration from a state.
func (s *Server) GenerateResourceConfig(
	ctx context.Context, r *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	var a tfplugin.GenerateResourceConfigResponse
	if err := s.invoke(ctx, tfplugin.GenerateResourceConfig, &tfplugin.GenerateResourceConfigRequest{
		TypeName: r.TypeName,
		State:    toValue(r.State),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.GenerateResourceConfigResponse{
		Config:      fromValue(a.Config),
		Diagnostics: s.diagnostics(a.Diagnostics),
	}, nil
}
