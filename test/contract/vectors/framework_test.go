package vectors_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/action"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	fwprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// modest is a provider of the plugin framework with an action, and with an ephemeral resource that
// implements neither a renewal nor a close.
type modest struct{}

func (modest) Metadata(_ context.Context, _ fwprovider.MetadataRequest, resp *fwprovider.MetadataResponse) {
	resp.TypeName = "modest"
}
func (modest) Schema(context.Context, fwprovider.SchemaRequest, *fwprovider.SchemaResponse) {}
func (modest) Configure(context.Context, fwprovider.ConfigureRequest, *fwprovider.ConfigureResponse) {
}
func (modest) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (modest) Resources(context.Context) []func() resource.Resource       { return nil }
func (modest) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return modestAction{} }}
}

func (modest) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return modestEphemeral{} }}
}

type modestAction struct{}

func (modestAction) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "modest_action"
}

func (modestAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = actionschema.Schema{Attributes: map[string]actionschema.Attribute{
		"fails": actionschema.BoolAttribute{Required: true}, "token_wo": actionschema.StringAttribute{Optional: true, WriteOnly: true},
	}}
}

func (modestAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	resp.SendProgress(action.InvokeProgressEvent{Message: "begun"})
	var fails types.Bool
	var token types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("fails"), &fails)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("token_wo"), &token)...)
	switch {
	case fails.ValueBool():
		resp.Diagnostics.AddError("Failed", "It was asked to.")
	case !token.IsNull():
		resp.Diagnostics.AddWarning("Token used", token.ValueString()[:1])
	}
}

type modestEphemeral struct{}

func (modestEphemeral) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "modest_ephemeral"
}

func (modestEphemeral) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{
		Attributes: map[string]ephemeralschema.Attribute{"secret": ephemeralschema.StringAttribute{Computed: true}},
	}
}

func (modestEphemeral) Open(ctx context.Context, _ ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("secret"), "opened")...)
}

// onEachFramework runs a test with an engine over the modest provider, in both protocols.
func onEachFramework(t *testing.T, test func(*testing.T, *engine.Engine)) {
	t.Helper()
	for name, launcher := range map[string]*inprocess.Launcher{
		"framework5": {
			Name: "modest5", Protocol5: func() (tfprotov5.ProviderServer, error) {
				return providerserver.NewProtocol5(modest{})(), nil
			},
		},
		"framework6": {
			Name: "modest6", Protocol6: func() (tfprotov6.ProviderServer, error) {
				return providerserver.NewProtocol6(modest{})(), nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, err := launcher.Launch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close(context.Background()) })
			test(t, engine.New(server))
		})
	}
}

func TestVectorsFrameworkAction(t *testing.T) {
	for name, test := range map[string]struct {
		fails   bool
		token   cty.Value
		outcome terraform.ActionOutcome
		want    []string
	}{
		"the framework's action succeeds (V224)": {token: cty.NullVal(cty.String), outcome: terraform.ActionSucceeded},
		"the framework's action fails (V225)": {
			token: cty.NullVal(cty.String), fails: true, outcome: terraform.ActionFailed, want: []string{"Failed"},
		},
		"the framework's action gets a write-only argument (V226)": {
			token: cty.StringVal("write-only-value"), outcome: terraform.ActionSucceeded, want: []string{"Token used"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachFramework(t, func(t *testing.T, e *engine.Engine) {
				config := cty.ObjectVal(map[string]cty.Value{"fails": cty.BoolVal(test.fails), "token_wo": test.token})
				wantNoErrors(t, e.PlanAction(t.Context(), "modest_action", config))
				var progress []string
				outcome, diags := e.InvokeAction(t.Context(), "modest_action", config, func(message string) { progress = append(progress, message) })
				wantDiagnostics(t, diags, test.want...)
				wantEqual(t, "outcome", outcome, test.outcome)
				wantEqual(t, "progress", len(progress), 1)
			})
		})
	}
}

func TestVectorsFrameworkEphemeral(t *testing.T) {
	config := cty.ObjectVal(map[string]cty.Value{"secret": cty.NullVal(cty.String)})
	t.Run("the framework's ephemeral resource without a renewal says so (V323)", func(t *testing.T) {
		onEachFramework(t, func(t *testing.T, e *engine.Engine) {
			opened, diags := e.OpenEphemeral(t.Context(), "modest_ephemeral", config)
			wantNoErrors(t, diags)
			wantEqual(t, "renewal", opened.RenewAt.IsZero(), true)
			_, diags = e.RenewEphemeral(t.Context(), "modest_ephemeral", opened.Open)
			wantDiagnostics(t, diags, "Ephemeral Resource Renew Not Implemented")
		})
	})
	t.Run("the framework's ephemeral resource without a close is closed (V324)", func(t *testing.T) {
		onEachFramework(t, func(t *testing.T, e *engine.Engine) {
			opened, diags := e.OpenEphemeral(t.Context(), "modest_ephemeral", config)
			wantNoErrors(t, diags)
			wantNoErrors(t, e.CloseEphemeral(t.Context(), "modest_ephemeral", opened.Open))
		})
	})
}
