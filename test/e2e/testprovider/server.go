package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server is the provider. Methods that are not implemented here panic.
type server struct {
	tfprotov6.ProviderServer
	name         string
	second       bool // version 2
	configurable bool
	login        bool // by a token in a file
	others       []string
	cloud        cloud
}

func (s *server) kind(typeName string) string { return strings.TrimPrefix(typeName, s.name+"_") }

func (s *server) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	out := &tfprotov6.GetMetadataResponse{ServerCapabilities: s.capabilities()}
	for _, kind := range s.kinds() {
		out.Resources = append(out.Resources, tfprotov6.ResourceMetadata{TypeName: s.name + "_" + kind})
	}
	return out, nil
}

func (s *server) kinds() []string { return append([]string{"thing", "place"}, s.others...) }

func (s *server) capabilities() *tfprotov6.ServerCapabilities {
	return &tfprotov6.ServerCapabilities{GetProviderSchemaOptional: true}
}

func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	out := &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: s.capabilities(),
		Provider:           s.configSchema(),
		ResourceSchemas:    map[string]*tfprotov6.Schema{},
	}
	for _, kind := range s.kinds() {
		out.ResourceSchemas[s.name+"_"+kind] = s.resourceSchema()
	}
	return out, nil
}

func (s *server) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{
		s.name + "_place": {
			IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{{
				Name: "name", Type: tftypes.String, RequiredForImport: true,
			}},
		},
	}}, nil
}

func (s *server) ValidateProviderConfig(
	_ context.Context, r *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: r.Config}, nil
}

// ConfigureProvider refuses a token that begins with "wrong", and waits if it begins with "slow".
// An endpoint account://NAME, with any query, is for the objects of that account.
func (s *server) ConfigureProvider(_ context.Context, r *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	out := &tfprotov6.ConfigureProviderResponse{}
	switch {
	case !s.configurable:
		return out, nil
	case s.login:
		fields := texts(decode(r.Config, loginType))
		as, err := exchange(fields["endpoint"], fields["token_file"])
		if err != nil {
			out.Diagnostics = refuse("Not logged in", err.Error(), nil)
			return out, nil
		}
		s.cloud.note("configure", "as", as)
		return out, nil
	}
	fields := texts(decode(r.Config, configType))
	if address, ok := strings.CutPrefix(fields["endpoint"], "account://"); ok {
		s.cloud.account, _, _ = strings.Cut(address, "?")
	}
	token := fields["token"]
	if strings.HasPrefix(token, "wrong") {
		out.Diagnostics = refuse("Not authorised", "The cloud does not know the token "+token+".",
			tftypes.NewAttributePath().WithAttributeName("token"))
		return out, nil
	}
	s.cloud.note("configure", "with", token)
	if strings.HasPrefix(token, "slow") {
		time.Sleep(12 * time.Second)
	}
	return out, nil
}

func (s *server) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// ValidateResourceConfig refuses the value "invalid" everywhere.
func (s *server) ValidateResourceConfig(
	_ context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	out := &tfprotov6.ValidateResourceConfigResponse{}
	config := decode(r.Config, s.resourceType())
	s.cloud.note("validate", s.kind(r.TypeName), texts(config)["name"])
	for name, value := range texts(config) {
		if value == "invalid" {
			out.Diagnostics = append(out.Diagnostics,
				refuse("Invalid value", "Say something else.", tftypes.NewAttributePath().WithAttributeName(name))...)
		}
	}
	for i, rule := range rules(config) {
		if rule == "invalid" {
			path := tftypes.NewAttributePath().WithAttributeName("rule").WithElementKeyInt(i).WithAttributeName("port_range")
			out.Diagnostics = append(out.Diagnostics, refuse("Invalid range", "Ports are numbers.", path)...)
		}
	}
	return out, nil
}

func (s *server) UpgradeResourceState(
	_ context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	v, err := r.RawState.UnmarshalWithOpts(s.resourceType(), tfprotov6.UnmarshalOpts{
		ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true},
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: encode(v, s.resourceType())}, nil
}

func (s *server) UpgradeResourceIdentity(
	_ context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	v, err := r.RawIdentity.Unmarshal(identityType)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.UpgradeResourceIdentityResponse{
		UpgradedIdentity: &tfprotov6.ResourceIdentityData{IdentityData: encode(v, identityType)},
	}, nil
}

func (s *server) ReadResource(_ context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	kind, name := s.kind(r.TypeName), texts(decode(r.CurrentState, s.resourceType()))["name"]
	s.cloud.note("read", kind, name)
	o, ok := s.cloud.get(kind, name)
	switch do := s.cloud.order("read." + name); do {
	case none:
	case crashBefore:
		crash()
	case garbage:
		return &tfprotov6.ReadResourceResponse{NewState: unreadable(), NewIdentity: s.identity(kind, name)}, nil
	case another:
		fields := members(decode(s.state(o), s.resourceType()))
		fields["value"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		return &tfprotov6.ReadResourceResponse{
			NewState:    encode(tftypes.NewValue(s.resourceType(), fields), s.resourceType()),
			NewIdentity: s.identity(kind, name),
		}, nil
	default:
		if diags := suffer(do); diags != nil {
			return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, NewIdentity: r.CurrentIdentity, Diagnostics: diags}, nil
		}
	}
	if !ok {
		return &tfprotov6.ReadResourceResponse{NewState: s.null()}, nil
	}
	return &tfprotov6.ReadResourceResponse{NewState: s.state(o), NewIdentity: s.identity(kind, name)}, nil
}

func (s *server) PlanResourceChange(
	_ context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	out := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate, PlannedIdentity: r.PriorIdentity,
	}
	prior, proposed := decode(r.PriorState, s.resourceType()), decode(r.ProposedNewState, s.resourceType())
	if proposed.IsNull() {
		return out, nil
	}
	if name := texts(proposed)["name"]; s.cloud.order("plan."+name) == fail {
		out.Diagnostics = refuse("Cannot plan", fmt.Sprintf("The cloud does not like %q. The request was:\n%s", name,
			spelled(texts(proposed)["password"])), nil)
		return out, nil
	}
	replaced := !prior.IsNull() && texts(prior)["name"] != texts(proposed)["name"]
	if prior.IsNull() || replaced {
		fields := members(proposed)
		fields["id"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		fields["token"] = tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		out.PlannedState = encode(tftypes.NewValue(s.resourceType(), fields), s.resourceType())
		out.PlannedIdentity = s.identity(s.kind(r.TypeName), texts(proposed)["name"])
	}
	if replaced {
		out.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("name")}
	}
	return out, nil
}

func (s *server) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	kind := s.kind(r.TypeName)
	prior, planned := decode(r.PriorState, s.resourceType()), decode(r.PlannedState, s.resourceType())
	out := &tfprotov6.ApplyResourceChangeResponse{NewState: r.PriorState}
	if planned.IsNull() {
		name := texts(prior)["name"]
		s.cloud.note("delete", kind, name)
		if s.cloud.order(name) == fail {
			out.Diagnostics = refuse("Cannot delete", "It is in use.", nil)
			return out, nil
		}
		s.cloud.remove(kind, name)
		out.NewState = s.null()
		return out, nil
	}
	o := object{Attributes: texts(planned), Rules: rules(planned)}
	method := "update"
	if prior.IsNull() {
		method = "create"
		o.Attributes["id"] = strings.ToLower(kind + "-" + rand.Text())
		o.Attributes["token"] = "token-" + rand.Text()
	}
	s.cloud.note(method, kind, o.name())
	do := s.cloud.order(o.name())
	if out.Diagnostics = suffer(do); out.Diagnostics != nil {
		return out, nil
	}
	if dawdle(ctx, do) {
		do = half
	}
	switch do {
	case crashBefore:
		crash()
	case fail:
		quoted := "the password " + o.Attributes["password"]
		if method == "update" {
			quoted += " and the token " + o.Attributes["token"]
		}
		out.Diagnostics = refuse("Cannot "+method,
			fmt.Sprintf("The cloud does not like %q with %s. The request was:\n%s", o.name(), quoted,
				spelled(o.Attributes["password"])), nil)
		return out, nil
	}
	s.cloud.put(kind, o)
	switch do {
	case crashAfter:
		crash()
	case half:
		out.Diagnostics = refuse("Half done", "Only half of it was made.", nil)
	}
	out.NewState, out.NewIdentity = s.state(o), s.identity(kind, o.name())
	switch do {
	case garbage:
		out.NewState = unreadable()
	case nothing:
		out.NewState, out.NewIdentity = s.null(), nil
	case another:
		o.Attributes["value"] = "something else"
		out.NewState = s.state(o)
	}
	return out, nil
}

// ImportResourceState imports by id or by identity.
func (s *server) ImportResourceState(
	_ context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	kind := s.kind(r.TypeName)
	s.cloud.note("import", kind, r.ID)
	if s.cloud.order("import."+r.ID) == hang {
		select {}
	}
	var o object
	var ok bool
	if r.Identity != nil && r.Identity.IdentityData != nil {
		o, ok = s.cloud.get(kind, texts(decode(r.Identity.IdentityData, identityType))["name"])
	} else {
		o, ok = s.cloud.byID(kind, r.ID)
	}
	if !ok {
		return &tfprotov6.ImportResourceStateResponse{
			Diagnostics: refuse("Cannot import non-existent remote object", "There is no such object.", nil),
		}, nil
	}
	return &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{
		{TypeName: r.TypeName, State: s.state(o), Identity: s.identity(kind, o.name())},
	}}, nil
}

func refuse(summary, detail string, path *tftypes.AttributePath) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail, Attribute: path}}
}
