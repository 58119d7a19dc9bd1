package planted

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"
)

// Counter names the environment variable with the URL that gets a request for each apply and read.
// A program that has it and calls Main is the provider.
const Counter = "PLANTED_COUNTER"

// Prefix is that of the names of resource types.
const Prefix = "planted_"

// Write writes a program that is the given release of the provider, and calls Main: itself with one
// more byte.
func Write(path string, release int) error {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer self.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, self); err == nil {
		_, err = out.Write([]byte{byte(release)})
	}
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

// release returns the release of this program.
func release() (int, error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return 0, err
	}
	defer self.Close()
	if _, err := self.Seek(-1, io.SeekEnd); err != nil {
		return 0, err
	}
	b := make([]byte, 1)
	_, err = io.ReadFull(self, b)
	return int(b[0]), err
}

// Main runs the provider and exits, if this process was started with Counter.
func Main() {
	if os.Getenv(Counter) == "" {
		return
	}
	n, err := release()
	if err == nil {
		err = tf6server.Serve("registry.terraform.io/landbridge/planted", func() tfprotov6.ProviderServer { return &server{release: n} })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func crash() { os.Exit(3) }

// server is one release. Methods that Landbridge does not call are those of a nil interface.
type server struct {
	tfprotov6.ProviderServer
	release int
}

// note tells the counter what the provider is asked for.
func note(ctx context.Context, what string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv(Counter)+"/"+what, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func find(name string) (*Type, error) {
	for _, t := range Types {
		if Prefix+t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no type %s", name)
}

func (s *server) has(t *Type) bool { return !(t.gone && s.release == 2) }

// GetMetadata implements tfprotov6.ProviderServer.
func (s *server) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	out := &tfprotov6.GetMetadataResponse{ServerCapabilities: &tfprotov6.ServerCapabilities{}}
	for _, t := range Types {
		if s.has(t) {
			out.Resources = append(out.Resources, tfprotov6.ResourceMetadata{TypeName: Prefix + t.Name})
		}
	}
	return out, nil
}

// GetProviderSchema implements tfprotov6.ProviderServer.
func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	config := &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "zone", Type: tftypes.String, Optional: true, Deprecated: s.release == 2},
	}}
	out := &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: &tfprotov6.ServerCapabilities{}, Provider: &tfprotov6.Schema{Block: config},
		ResourceSchemas: map[string]*tfprotov6.Schema{}, DataSourceSchemas: map[string]*tfprotov6.Schema{},
	}
	for _, t := range Types {
		if !s.has(t) {
			continue
		}
		block := &tfprotov6.SchemaBlock{}
		for _, a := range t.attributesOf(s.release) {
			block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{
				Name: a.name, Type: map[cty.Type]tftypes.Type{cty.String: tftypes.String, cty.Number: tftypes.Number, cty.Bool: tftypes.Bool}[a.typ],
				Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive, Deprecated: a.obsolete,
			})
		}
		out.ResourceSchemas[Prefix+t.Name] = &tfprotov6.Schema{Version: of(t.version, s.release), Block: block}
	}
	return out, nil
}

// GetResourceIdentitySchemas implements tfprotov6.ProviderServer.
func (s *server) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	out := &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{}}
	for _, t := range Types {
		if s.has(t) {
			out.IdentitySchemas[Prefix+t.Name] = &tfprotov6.ResourceIdentitySchema{
				Version:            of(t.identity, s.release),
				IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{{Name: "id", Type: tftypes.String, RequiredForImport: true}},
			}
		}
	}
	return out, nil
}

// ValidateProviderConfig implements tfprotov6.ProviderServer.
func (s *server) ValidateProviderConfig(
	_ context.Context, r *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	out := &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}
	config, err := decode(r.Config, cty.Object(map[string]cty.Type{"zone": cty.String}))
	if err == nil && s.release == 2 && config["zone"].Equals(cty.StringVal("old")).True() {
		out.Diagnostics = (&problem{"Invalid zone", "The zone old was closed.", "zone"}).diagnostics()
	}
	return out, err
}

// ConfigureProvider implements tfprotov6.ProviderServer.
func (s *server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// StopProvider implements tfprotov6.ProviderServer.
func (s *server) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s *server) ValidateResourceConfig(
	_ context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	t, err := find(r.TypeName)
	if err != nil {
		return nil, err
	}
	config, err := decode(r.Config, t.object(s.release))
	out := &tfprotov6.ValidateResourceConfigResponse{}
	if err == nil && t.validate != nil {
		out.Diagnostics = t.validate(s.release, config).diagnostics()
	}
	return out, err
}

// UpgradeResourceState implements tfprotov6.ProviderServer.
func (s *server) UpgradeResourceState(
	_ context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	t, err := find(r.TypeName)
	if err != nil {
		return nil, err
	}
	var raw map[string]any
	if err := json.Unmarshal(r.RawState.JSON, &raw); err != nil {
		return nil, err
	}
	state := map[string]cty.Value{}
	for _, a := range base {
		state[a.name] = cty.NullVal(a.typ)
		switch v := raw[a.name].(type) {
		case string:
			state[a.name] = cty.StringVal(v)
		case float64:
			state[a.name] = cty.NumberFloatVal(v)
		case bool:
			state[a.name] = cty.BoolVal(v)
		}
	}
	out := &tfprotov6.UpgradeResourceStateResponse{}
	if t.upgrade != nil && r.Version < of(t.version, s.release) {
		if err := t.upgrade(s.release, state); err != nil {
			out.Diagnostics = (&problem{summary: err.Error()}).diagnostics()
			return out, nil
		}
	}
	for name, typ := range t.object(s.release).AttributeTypes() {
		if _, ok := state[name]; !ok {
			state[name] = cty.NullVal(typ)
		}
	}
	for name := range state {
		if !t.object(s.release).HasAttribute(name) {
			delete(state, name)
		}
	}
	out.UpgradedState, err = encode(state, t.object(s.release))
	return out, err
}

// UpgradeResourceIdentity implements tfprotov6.ProviderServer.
func (s *server) UpgradeResourceIdentity(
	context.Context, *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return &tfprotov6.UpgradeResourceIdentityResponse{Diagnostics: (&problem{summary: "Cannot upgrade the identity"}).diagnostics()}, nil
}

// ReadResource implements tfprotov6.ProviderServer.
func (s *server) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	t, err := find(r.TypeName)
	if err != nil {
		return nil, err
	}
	state, err := decode(r.CurrentState, t.object(s.release))
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private, NewIdentity: identity(state)}
	if err := note(ctx, "read"); err != nil {
		return nil, err
	}
	if t.read == nil {
		return out, nil
	}
	if !t.read(s.release, state) {
		out.NewState, err = encode(nil, t.object(s.release))
		return out, err
	}
	out.NewState, err = encode(state, t.object(s.release))
	return out, err
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s *server) PlanResourceChange(
	_ context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	t, err := find(r.TypeName)
	if err != nil {
		return nil, err
	}
	object := t.object(s.release)
	planned, err := decode(r.ProposedNewState, object)
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate, PlannedIdentity: r.PriorIdentity,
	}
	if planned == nil {
		return out, nil
	}
	p := &planning{planned: planned}
	if p.prior, err = decode(r.PriorState, object); err != nil {
		return nil, err
	}
	if p.prior == nil {
		planned["id"] = cty.UnknownVal(cty.String)
		if planned["tier"].IsNull() || !planned["tier"].IsKnown() {
			planned["tier"] = cty.StringVal("free")
		}
	}
	if t.plan != nil {
		if out.Diagnostics = t.plan(s.release, p).diagnostics(); out.Diagnostics != nil {
			return out, nil
		}
	}
	for _, name := range p.replace {
		if p.prior != nil && p.prior[name].Equals(planned[name]).False() {
			out.RequiresReplace = append(out.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
		}
	}
	out.PlannedState, err = encode(planned, object)
	return out, err
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (s *server) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	t, err := find(r.TypeName)
	if err != nil {
		return nil, err
	}
	state, err := decode(r.PlannedState, t.object(s.release))
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.ApplyResourceChangeResponse{NewState: r.PlannedState, Private: r.PlannedPrivate, NewIdentity: r.PlannedIdentity}
	if state == nil {
		return out, note(ctx, "apply")
	}
	if !state["id"].IsKnown() {
		state["id"] = cty.StringVal("id-" + state["name"].AsString())
	}
	if err := note(ctx, "apply"); err != nil {
		return nil, err
	}
	out.NewIdentity = identity(state)
	out.NewState, err = encode(state, t.object(s.release))
	return out, err
}

func identity(state map[string]cty.Value) *tfprotov6.ResourceIdentityData {
	raw, err := ctymsgpack.Marshal(cty.ObjectVal(map[string]cty.Value{"id": state["id"]}), cty.Object(map[string]cty.Type{"id": cty.String}))
	if err != nil {
		panic(err) // it is a string
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: raw}}
}

// diagnostics returns the problem as an error; nil if there is none.
func (p *problem) diagnostics() []*tfprotov6.Diagnostic {
	if p == nil {
		return nil
	}
	d := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: p.summary, Detail: p.detail}
	if p.attribute != "" {
		d.Attribute = tftypes.NewAttributePath().WithAttributeName(p.attribute)
	}
	return []*tfprotov6.Diagnostic{d}
}

// decode returns the attributes of an object; nil for null.
func decode(in *tfprotov6.DynamicValue, t cty.Type) (map[string]cty.Value, error) {
	if in == nil {
		return nil, nil
	}
	v, err := ctymsgpack.Unmarshal(in.MsgPack, t)
	if err != nil || v.IsNull() {
		return nil, err
	}
	return v.AsValueMap(), nil
}

func encode(attributes map[string]cty.Value, t cty.Type) (*tfprotov6.DynamicValue, error) {
	v := cty.NullVal(t)
	if attributes != nil {
		v = cty.ObjectVal(attributes)
	}
	raw, err := ctymsgpack.Marshal(v, t)
	return &tfprotov6.DynamicValue{MsgPack: raw}, err
}
