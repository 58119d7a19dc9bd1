package vectors_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
)

// servesVariable makes the test binary the raw provider, in protocol 5 or 6.
const servesVariable = "LANDBRIDGE_VECTORS_PROVIDER"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(servesVariable) {
	case "5":
		err = tf5server.Serve("test", func() tfprotov5.ProviderServer { s, _ := raw5(); return s })
	case "6":
		err = tf6server.Serve("test", func() tfprotov6.ProviderServer { return raw{} })
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		os.Exit(1)
	}
}

func raw5() (tfprotov5.ProviderServer, error) {
	return tf6to5server.DowngradeServer(context.Background(), func() tfprotov6.ProviderServer { return raw{} })
}

// raw is a provider of actions and ephemeral resources that need not be correct: it behaves as
// their names say.
type raw struct{ tfprotov6.ProviderServer }

var (
	rawActions = []string{
		"works", "warns", "invalid", "plan_fails", "deferred", "deferred_otherwise", "fails_halfway", "stops_halfway", "crashes_halfway",
		"is_refused", "waits", "goes_on", "quotes",
	}
	rawEphemerals = []string{
		"works", "warns", "invalid", "fails", "deferred", "absent", "null", "unknown", "contradicts", "adds",
		"misfits", "refuses_close", "crashes",
		"once", "forgets", "renew_fails", "close_fails",
	}
	rawAction = tftypes.Object{
		AttributeTypes: map[string]tftypes.Type{
			"name": tftypes.String, "password": tftypes.String, "token": tftypes.String,
		},
	}
	// rawEphemeral is the type of results. A label may be configured; the password is computed.
	rawEphemeral = tftypes.Object{
		AttributeTypes: map[string]tftypes.Type{
			"name": tftypes.String, "label": tftypes.String, "password": tftypes.String,
		},
	}
	// rawRenewAt is when results are to be renewed.
	rawRenewAt = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
)

// GetMetadata implements tfprotov6.ProviderServer.
func (raw) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	out := &tfprotov6.GetMetadataResponse{}
	for _, name := range rawActions {
		out.Actions = append(out.Actions, tfprotov6.ActionMetadata{TypeName: name})
	}
	for _, name := range rawEphemerals {
		out.EphemeralResources = append(out.EphemeralResources, tfprotov6.EphemeralResourceMetadata{TypeName: name})
	}
	return out, nil
}

// GetProviderSchema implements tfprotov6.ProviderServer.
func (raw) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	out := &tfprotov6.GetProviderSchemaResponse{
		Provider:      &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ActionSchemas: map[string]*tfprotov6.ActionSchema{}, EphemeralResourceSchemas: map[string]*tfprotov6.Schema{},
		ResourceSchemas: map[string]*tfprotov6.Schema{}, DataSourceSchemas: map[string]*tfprotov6.Schema{},
		ServerCapabilities: &tfprotov6.ServerCapabilities{},
	}
	for _, name := range rawActions {
		out.ActionSchemas[name] = &tfprotov6.ActionSchema{
			Schema: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
				{Name: "name", Type: tftypes.String, Optional: true},
				{Name: "password", Type: tftypes.String, Optional: true, Sensitive: true},
				{Name: "token", Type: tftypes.String, Optional: true, WriteOnly: true},
			}}},
		}
	}
	for _, name := range rawEphemerals {
		out.EphemeralResourceSchemas[name] = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "name", Type: tftypes.String, Optional: true},
			{Name: "label", Type: tftypes.String, Optional: true, Computed: true},
			{Name: "password", Type: tftypes.String, Computed: true, Sensitive: true},
		}}}
	}
	return out, nil
}

// GetResourceIdentitySchemas implements tfprotov6.ProviderServer.
func (raw) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

// StopProvider implements tfprotov6.ProviderServer.
func (raw) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func rawDiagnostics(severity tfprotov6.DiagnosticSeverity, summary string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: severity, Summary: summary, Detail: "It was asked to."}}
}

// ValidateActionConfig implements tfprotov6.ActionServer.
func (raw) ValidateActionConfig(
	_ context.Context, q *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	out := &tfprotov6.ValidateActionConfigResponse{}
	switch q.ActionType {
	case "invalid":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Invalid name")
	case "warns":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityWarning, "Odd name")
	}
	return out, nil
}

// PlanAction implements tfprotov6.ActionServer.
func (raw) PlanAction(_ context.Context, q *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	out := &tfprotov6.PlanActionResponse{}
	switch q.ActionType {
	case "plan_fails":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Cannot plan")
	case "warns":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityWarning, "Odd plan")
	case "deferred":
		out.Deferred = &tfprotov6.Deferred{Reason: tfprotov6.DeferredReasonProviderConfigUnknown}
	case "deferred_otherwise":
		out.Deferred = &tfprotov6.Deferred{Reason: tfprotov6.DeferredReasonAbsentPrereq}
	}
	return out, nil
}

// InvokeAction implements tfprotov6.ActionServer.
func (raw) InvokeAction(ctx context.Context, q *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	progress := func(message string) tfprotov6.InvokeActionEvent {
		return tfprotov6.InvokeActionEvent{Type: tfprotov6.ProgressInvokeActionEventType{Message: message}}
	}
	completed := func(diags []*tfprotov6.Diagnostic) tfprotov6.InvokeActionEvent {
		return tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: diags}}
	}
	fails := completed(rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Failed halfway"))
	events := []tfprotov6.InvokeActionEvent{progress("first"), progress("second"), completed(nil)}
	switch q.ActionType {
	case "is_refused":
		return nil, errors.New("not now")
	case "warns":
		events[2] = completed(rawDiagnostics(tfprotov6.DiagnosticSeverityWarning, "Done in an odd way"))
	case "fails_halfway":
		events[2] = fails
	case "stops_halfway":
		events = events[:1]
	case "goes_on":
		events = append(events, progress("third"), fails)
	case "quotes":
		v, err := q.Config.Unmarshal(rawAction)
		if err != nil {
			return nil, err
		}
		events[0] = progress("with " + v.String())
	case "crashes_halfway", "waits":
		return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
			if !yield(events[0]) {
				return
			}
			if q.ActionType == "crashes_halfway" {
				panic("crashed halfway")
			}
			<-ctx.Done()
			yield(fails)
		}}, nil
	}
	return &tfprotov6.InvokeActionServerStream{Events: slices.Values(events)}, nil
}

// ValidateEphemeralResourceConfig implements tfprotov6.ProviderServer.
func (raw) ValidateEphemeralResourceConfig(
	_ context.Context, q *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	out := &tfprotov6.ValidateEphemeralResourceConfigResponse{}
	switch q.TypeName {
	case "invalid":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Invalid name")
	case "warns":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityWarning, "Odd name")
	}
	return out, nil
}

// OpenEphemeralResource implements tfprotov6.ProviderServer.
func (raw) OpenEphemeralResource(
	_ context.Context, q *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	config, err := q.Config.Unmarshal(rawEphemeral)
	if err != nil {
		return nil, err
	}
	values := map[string]tftypes.Value{}
	if err := config.As(&values); err != nil {
		return nil, err
	}
	values["password"] = tftypes.NewValue(tftypes.String, "opened")
	of := rawEphemeral
	out := &tfprotov6.OpenEphemeralResourceResponse{Private: []byte("opened"), RenewAt: rawRenewAt}
	switch q.TypeName {
	case "warns":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityWarning, "Opened in an odd way")
	case "fails":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Cannot open")
	case "deferred":
		out.Deferred = &tfprotov6.Deferred{Reason: tfprotov6.DeferredReasonAbsentPrereq}
		return out, nil
	case "crashes":
		panic("crashed")
	case "absent":
		return out, nil
	case "unknown", "refuses_close":
		values["password"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	case "contradicts", "adds":
		values["name"] = tftypes.NewValue(tftypes.String, "another")
	case "misfits":
		of = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}}
		values = map[string]tftypes.Value{"name": values["name"]}
	}
	result := tftypes.NewValue(of, values)
	if q.TypeName == "null" {
		result = tftypes.NewValue(of, nil)
	}
	encoded, err := tfprotov6.NewDynamicValue(of, result)
	if err != nil {
		return nil, err
	}
	out.Result = &encoded
	return out, nil
}

// RenewEphemeralResource implements tfprotov6.ProviderServer.
func (raw) RenewEphemeralResource(
	_ context.Context, q *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	out := &tfprotov6.RenewEphemeralResourceResponse{
		Private: append(slices.Clone(q.Private), "+renewed"...), RenewAt: rawRenewAt.Add(time.Hour),
	}
	switch q.TypeName {
	case "once":
		out.RenewAt = time.Time{}
	case "forgets":
		out.Private = nil
	case "renew_fails":
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Cannot renew")
	}
	return out, nil
}

// CloseEphemeralResource implements tfprotov6.ProviderServer.
func (raw) CloseEphemeralResource(
	_ context.Context, q *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	out := &tfprotov6.CloseEphemeralResourceResponse{}
	if strings.HasSuffix(q.TypeName, "close_fails") || q.TypeName == "refuses_close" {
		out.Diagnostics = rawDiagnostics(tfprotov6.DiagnosticSeverityError, "Cannot close")
	}
	return out, nil
}
