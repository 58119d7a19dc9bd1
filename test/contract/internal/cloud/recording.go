package cloud

import (
	"context"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// per makes a provider server for each run, because the SDKs read their schemas only once.
type per[S any] struct {
	run  func() Run
	make func(Run) S

	mu sync.Mutex
	// of is the run that server is of. It is kept, so that no other run has its address.
	of     Run
	server S
}

func (p *per[S]) now() S {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := p.run()
	if p.of == nil || reflect.ValueOf(run).Pointer() != reflect.ValueOf(p.of).Pointer() {
		p.of, p.server = run, p.make(run)
	}
	return p.server
}

// Recording6 records the requests to a provider that is written with an SDK, over protocol 6.
type Recording6 struct {
	tfprotov6.ProviderServer
	per[tfprotov6.ProviderServer]
}

// NewRecording6 returns a server. provider makes the server that answers, for each run.
func NewRecording6(run func() Run, provider func(Run) tfprotov6.ProviderServer) *Recording6 {
	return &Recording6{per: per[tfprotov6.ProviderServer]{run: run, make: provider}}
}

// The rest is the protocol's methods about providers and resources, each recorded and passed on.

func (s *Recording6) GetMetadata(ctx context.Context, q *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return s.now().GetMetadata(ctx, q)
}

func (s *Recording6) GetProviderSchema(
	ctx context.Context, q *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.now().GetProviderSchema(ctx, q)
}

func (s *Recording6) GetResourceIdentitySchemas(
	ctx context.Context, q *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return s.now().GetResourceIdentitySchemas(ctx, q)
}

func (s *Recording6) ValidateProviderConfig(
	ctx context.Context, q *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return s.now().ValidateProviderConfig(ctx, q)
}

func (s *Recording6) ConfigureProvider(
	ctx context.Context, q *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return s.now().ConfigureProvider(ctx, q)
}

func (s *Recording6) StopProvider(ctx context.Context, q *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return s.now().StopProvider(ctx, q)
}

func (s *Recording6) ValidateResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	s.run()[q.TypeName].recordValidate(q)
	return s.now().ValidateResourceConfig(ctx, q)
}

func (s *Recording6) UpgradeResourceState(
	ctx context.Context, q *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	s.run()[q.TypeName].recordUpgrade(q)
	return s.now().UpgradeResourceState(ctx, q)
}

func (s *Recording6) UpgradeResourceIdentity(
	ctx context.Context, q *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	s.run()[q.TypeName].recordUpgradeIdentity(q)
	return s.now().UpgradeResourceIdentity(ctx, q)
}

func (s *Recording6) MoveResourceState(
	ctx context.Context, q *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	s.run()[q.TargetTypeName].recordMove(q)
	return s.now().MoveResourceState(ctx, q)
}

func (s *Recording6) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.run()[q.TypeName].recordRead(q)
	return s.now().ReadResource(ctx, q)
}

func (s *Recording6) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	s.run()[q.TypeName].recordPlan(q)
	return s.now().PlanResourceChange(ctx, q)
}

func (s *Recording6) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.run()[q.TypeName].recordApply(q)
	return s.now().ApplyResourceChange(ctx, q)
}

func (s *Recording6) ImportResourceState(
	ctx context.Context, q *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	s.run()[q.TypeName].recordImport(q)
	return s.now().ImportResourceState(ctx, q)
}

// Recording5 is Recording6 for protocol 5.
type Recording5 struct {
	tfprotov5.ProviderServer
	per[tfprotov5.ProviderServer]
}

// NewRecording5 is NewRecording6 for protocol 5.
func NewRecording5(run func() Run, provider func(Run) tfprotov5.ProviderServer) *Recording5 {
	return &Recording5{per: per[tfprotov5.ProviderServer]{run: run, make: provider}}
}

func value6(v *tfprotov5.DynamicValue) *tfprotov6.DynamicValue { return (*tfprotov6.DynamicValue)(v) }

func raw6(v *tfprotov5.RawState) *tfprotov6.RawState { return (*tfprotov6.RawState)(v) }

func identity6(v *tfprotov5.ResourceIdentityData) *tfprotov6.ResourceIdentityData {
	if v == nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: value6(v.IdentityData)}
}

func (s *Recording5) GetMetadata(ctx context.Context, q *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return s.now().GetMetadata(ctx, q)
}

func (s *Recording5) GetProviderSchema(
	ctx context.Context, q *tfprotov5.GetProviderSchemaRequest,
) (*tfprotov5.GetProviderSchemaResponse, error) {
	return s.now().GetProviderSchema(ctx, q)
}

func (s *Recording5) GetResourceIdentitySchemas(
	ctx context.Context, q *tfprotov5.GetResourceIdentitySchemasRequest,
) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return s.now().GetResourceIdentitySchemas(ctx, q)
}

func (s *Recording5) PrepareProviderConfig(
	ctx context.Context, q *tfprotov5.PrepareProviderConfigRequest,
) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return s.now().PrepareProviderConfig(ctx, q)
}

func (s *Recording5) ConfigureProvider(
	ctx context.Context, q *tfprotov5.ConfigureProviderRequest,
) (*tfprotov5.ConfigureProviderResponse, error) {
	return s.now().ConfigureProvider(ctx, q)
}

func (s *Recording5) StopProvider(ctx context.Context, q *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return s.now().StopProvider(ctx, q)
}

func (s *Recording5) ValidateResourceTypeConfig(
	ctx context.Context, q *tfprotov5.ValidateResourceTypeConfigRequest,
) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	s.run()[q.TypeName].recordValidate(&tfprotov6.ValidateResourceConfigRequest{
		Config: value6(q.Config), ClientCapabilities: (*tfprotov6.ValidateResourceConfigClientCapabilities)(q.ClientCapabilities),
	})
	return s.now().ValidateResourceTypeConfig(ctx, q)
}

func (s *Recording5) UpgradeResourceState(
	ctx context.Context, q *tfprotov5.UpgradeResourceStateRequest,
) (*tfprotov5.UpgradeResourceStateResponse, error) {
	s.run()[q.TypeName].recordUpgrade(&tfprotov6.UpgradeResourceStateRequest{Version: q.Version, RawState: raw6(q.RawState)})
	return s.now().UpgradeResourceState(ctx, q)
}

func (s *Recording5) UpgradeResourceIdentity(
	ctx context.Context, q *tfprotov5.UpgradeResourceIdentityRequest,
) (*tfprotov5.UpgradeResourceIdentityResponse, error) {
	s.run()[q.TypeName].recordUpgradeIdentity(&tfprotov6.UpgradeResourceIdentityRequest{Version: q.Version, RawIdentity: raw6(q.RawIdentity)})
	return s.now().UpgradeResourceIdentity(ctx, q)
}

func (s *Recording5) MoveResourceState(
	ctx context.Context, q *tfprotov5.MoveResourceStateRequest,
) (*tfprotov5.MoveResourceStateResponse, error) {
	s.run()[q.TargetTypeName].recordMove(&tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: q.SourceProviderAddress, SourceTypeName: q.SourceTypeName, SourceSchemaVersion: q.SourceSchemaVersion,
		SourceState: raw6(q.SourceState), SourcePrivate: q.SourcePrivate, SourceIdentity: raw6(q.SourceIdentity),
	})
	return s.now().MoveResourceState(ctx, q)
}

// panicked is the answer of the legacy SDK to a call that it panics in, as it does for an object in
// a set whose only attribute is an empty map. Both sides get it: what they compare is how they go
// on.
func panicked() []*tfprotov5.Diagnostic {
	return []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityError, Summary: "The SDK panicked"}}
}

func (s *Recording5) ReadResource(ctx context.Context, q *tfprotov5.ReadResourceRequest) (r *tfprotov5.ReadResourceResponse, _ error) {
	defer func() {
		if recover() != nil {
			r = &tfprotov5.ReadResourceResponse{
				NewState: q.CurrentState, Private: q.Private, NewIdentity: q.CurrentIdentity, Diagnostics: panicked(),
			}
		}
	}()
	s.run()[q.TypeName].recordRead(&tfprotov6.ReadResourceRequest{
		CurrentState: value6(q.CurrentState), Private: q.Private, CurrentIdentity: identity6(q.CurrentIdentity),
		ProviderMeta:       value6(q.ProviderMeta),
		ClientCapabilities: (*tfprotov6.ReadResourceClientCapabilities)(q.ClientCapabilities),
	})
	return s.now().ReadResource(ctx, q)
}

func (s *Recording5) PlanResourceChange(
	ctx context.Context, q *tfprotov5.PlanResourceChangeRequest,
) (r *tfprotov5.PlanResourceChangeResponse, _ error) {
	defer func() {
		if recover() != nil {
			r = &tfprotov5.PlanResourceChangeResponse{
				PlannedState: q.ProposedNewState, PlannedPrivate: q.PriorPrivate, PlannedIdentity: q.PriorIdentity,
				Diagnostics: panicked(),
			}
		}
	}()
	s.run()[q.TypeName].recordPlan(&tfprotov6.PlanResourceChangeRequest{
		PriorState: value6(q.PriorState), ProposedNewState: value6(q.ProposedNewState), Config: value6(q.Config),
		PriorPrivate: q.PriorPrivate, PriorIdentity: identity6(q.PriorIdentity), ProviderMeta: value6(q.ProviderMeta),
		ClientCapabilities: (*tfprotov6.PlanResourceChangeClientCapabilities)(q.ClientCapabilities),
	})
	return s.now().PlanResourceChange(ctx, q)
}

func (s *Recording5) ApplyResourceChange(
	ctx context.Context, q *tfprotov5.ApplyResourceChangeRequest,
) (r *tfprotov5.ApplyResourceChangeResponse, _ error) {
	defer func() {
		if recover() != nil {
			r = &tfprotov5.ApplyResourceChangeResponse{
				NewState: q.PriorState, Private: q.PlannedPrivate, NewIdentity: q.PlannedIdentity,
				Diagnostics: panicked(),
			}
		}
	}()
	s.run()[q.TypeName].recordApply(&tfprotov6.ApplyResourceChangeRequest{
		PriorState: value6(q.PriorState), PlannedState: value6(q.PlannedState), Config: value6(q.Config),
		PlannedPrivate: q.PlannedPrivate, PlannedIdentity: identity6(q.PlannedIdentity), ProviderMeta: value6(q.ProviderMeta),
	})
	return s.now().ApplyResourceChange(ctx, q)
}

func (s *Recording5) ImportResourceState(
	ctx context.Context, q *tfprotov5.ImportResourceStateRequest,
) (*tfprotov5.ImportResourceStateResponse, error) {
	s.run()[q.TypeName].recordImport(&tfprotov6.ImportResourceStateRequest{
		ID: q.ID, Identity: identity6(q.Identity), ClientCapabilities: (*tfprotov6.ImportResourceStateClientCapabilities)(q.ClientCapabilities),
	})
	return s.now().ImportResourceState(ctx, q)
}
