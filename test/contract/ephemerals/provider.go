package ephemerals

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
)

// provider is the provider of all cases of a run. It keeps what it was asked.
type provider struct {
	tfprotov6.ProviderServer
	cases map[string]*Case

	mu sync.Mutex
	// calls are in the order in which they came, by type.
	calls map[string][]string
}

func newProvider(cases map[string]*Case) *provider {
	return &provider{cases: cases, calls: map[string][]string{}}
}

func (p *provider) note(name, format string, args ...any) *Case {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[name] = append(p.calls[name], fmt.Sprintf(format, args...))
	return p.cases[name]
}

func (p *provider) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	out := &tfprotov6.GetMetadataResponse{}
	for name := range p.cases {
		out.EphemeralResources = append(out.EphemeralResources, tfprotov6.EphemeralResourceMetadata{TypeName: name})
	}
	return out, nil
}

func (p *provider) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	out := &tfprotov6.GetProviderSchemaResponse{
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}, EphemeralResourceSchemas: map[string]*tfprotov6.Schema{},
		ServerCapabilities: &tfprotov6.ServerCapabilities{},
	}
	for name, c := range p.cases {
		out.EphemeralResourceSchemas[name] = c.schema()
	}
	return out, nil
}

func (p *provider) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (p *provider) ValidateProviderConfig(
	context.Context, *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{}, nil
}

func (p *provider) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (p *provider) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (p *provider) ValidateEphemeralResourceConfig(
	_ context.Context, q *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	c := p.note(q.TypeName, "validate %x", q.Config.MsgPack)
	return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: saying(c.validates, "validated", q.TypeName)}, nil
}

func (p *provider) OpenEphemeralResource(
	_ context.Context, q *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	c := p.note(q.TypeName, "open %x", q.Config.MsgPack)
	out := &tfprotov6.OpenEphemeralResourceResponse{Diagnostics: saying(c.opens, "opened", q.TypeName), Private: c.private}
	v := c.answer()
	switch c.result {
	case absent:
		return out, nil
	case null:
		v = cty.NullVal(v.Type())
	case misfits:
		v = cty.ObjectVal(map[string]cty.Value{"another": cty.True})
	}
	encoded, err := wire.Marshal(v, v.Type())
	out.Result = &tfprotov6.DynamicValue{MsgPack: encoded}
	return out, err
}

func (p *provider) RenewEphemeralResource(
	context.Context, *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return &tfprotov6.RenewEphemeralResourceResponse{}, nil
}

func (p *provider) CloseEphemeralResource(
	_ context.Context, q *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	c := p.note(q.TypeName, "close %s", q.Private)
	return &tfprotov6.CloseEphemeralResourceResponse{Diagnostics: saying(c.closes, "closed", q.TypeName)}, nil
}

// saying returns the diagnostics for "", "warning" or "error".
func saying(what, done, typeName string) []*tfprotov6.Diagnostic {
	severity := map[string]tfprotov6.DiagnosticSeverity{
		"warning": tfprotov6.DiagnosticSeverityWarning, "error": tfprotov6.DiagnosticSeverityError,
	}[what]
	if what == "" {
		return nil
	}
	return []*tfprotov6.Diagnostic{{Severity: severity, Summary: "Not well " + done, Detail: fmt.Sprintf("It was asked to for %q.", typeName)}}
}
