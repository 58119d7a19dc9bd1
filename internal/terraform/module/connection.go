package module

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// The program has a connection to an attached provider for each configuration of it, and configures
// each once. So the connection of a call tells which configuration it is for.

// configuredServer is the server of a connection.
type configuredServer struct {
	provider.Server
	// name is the name of the configuration; empty for the provider's own. settings identifies the
	// settings that a provider block of the module has for it; empty without any.
	name     string
	settings string
}

// connection returns the server of the connection that a call came by.
func (s *attached) connection(ctx context.Context) configuredServer {
	if c := commandline.Connection(ctx); c != nil {
		if chosen, ok := s.connections.Load(c); ok {
			return chosen.(configuredServer)
		}
	}
	return configuredServer{Server: s.Server}
}

func (s *attached) chosen(ctx context.Context) provider.Server { return s.connection(ctx).Server }

// serveSettings makes the program accept the arguments of the provider's configuration, none of
// which is required, and the name of the configuration.
func (s *attached) serveSettings(of *tfprotov6.Schema, settings bool) {
	block := &tfprotov6.SchemaBlock{}
	if of != nil && of.Block != nil && settings {
		for _, a := range of.Block.Attributes {
			a := *a
			a.Required, a.Optional, a.Computed = false, true, false
			block.Attributes = append(block.Attributes, &a)
		}
		for _, b := range of.Block.BlockTypes {
			b := *b
			b.MinItems = 0
			block.BlockTypes = append(block.BlockTypes, &b)
		}
	}
	block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{Name: configurationArgument, Type: tftypes.String, Optional: true})
	s.Served.Provider = &tfprotov6.Schema{Block: block}
}

// ConfigureProvider chooses the server of a connection.
func (s *attached) ConfigureProvider(
	ctx context.Context, q *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	c := commandline.Connection(ctx)
	if c == nil || s.configure == nil {
		return &tfprotov6.ConfigureProviderResponse{}, nil
	}
	chosen, diags := s.choose(ctx, packed(q.Config))
	if diags.HasErrors() {
		return &tfprotov6.ConfigureProviderResponse{Diagnostics: toProtocol(diags)}, nil
	}
	s.connections.Store(c, chosen)
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func toProtocol(diags diagnostic.Diagnostics) (out []*tfprotov6.Diagnostic) {
	for _, d := range diags.Errors() {
		out = append(out, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary, Detail: d.Detail})
	}
	return out
}

// choose returns the server for the configuration that the program passes.
func (s *attached) choose(ctx context.Context, config []byte) (configuredServer, diagnostic.Diagnostics) {
	out := configuredServer{Server: s.Server}
	types := map[string]cty.Type{configurationArgument: cty.String}
	if len(s.Served.Provider.Block.Attributes)+len(s.Served.Provider.Block.BlockTypes) > 1 {
		maps.Copy(types, s.schema.Config.ImpliedType().AttributeTypes())
	}
	v, err := wire.Unmarshal(config, cty.Object(types))
	switch {
	case err != nil:
		return out, diagnostic.Errorf("Provider configuration cannot be read", "%s.", err)
	case v.IsNull():
		return out, nil
	}
	settings := v.AsValueMap()
	if name := settings[configurationArgument]; name.IsKnown() && !name.IsNull() {
		if named := s.named[name.AsString()]; named != nil {
			out.Server, out.name = named, name.AsString()
		}
	}
	if delete(settings, configurationArgument); len(settings) == 0 {
		return out, nil
	}
	given := false
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !setInBlock(s.schema.Config, name, settings[name]) {
			continue
		}
		given = true
		if why := unusable(name, settings[name], s.restricted); why != "" {
			return out, diagnostic.Errorf("Provider settings cannot be used", "The provider block sets %s, %s.", name, why)
		}
	}
	if given {
		server, diags := s.configure(ctx, out.name, cty.ObjectVal(settings))
		if diags.HasErrors() {
			return out, diags
		}
		out.Server, out.settings = server, settingsSum(s.key, s.schema.Config, settings)
	}
	return out, nil
}

// settingsSum identifies the settings of a provider block, without tags and labels, which select no
// other account. It is stored, and settings may be secrets that are stored nowhere else, so it is
// keyed. With another key, objects have no owner by it until they are read.
func settingsSum(key []byte, b *schema.Block, settings map[string]cty.Value) string {
	h := hmac.New(sha256.New, key)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if v := settings[name]; setInBlock(b, name, v) && !describes(name) {
			encoded, err := ctyjson.Marshal(v, v.Type())
			if err != nil {
				continue // it is not known what it selects
			}
			fmt.Fprintf(h, "%q=%s\n", name, encoded)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// describes reports whether an argument of a provider's configuration only describes objects.
func describes(name string) bool {
	return strings.HasSuffix(name, "tags") || strings.HasSuffix(name, "labels")
}

// setInBlock reports whether an argument or a nested block of a configuration is set.
func setInBlock(b *schema.Block, name string, v cty.Value) bool {
	if n := b.Blocks[name]; n != nil && v.IsKnown() {
		return !v.RawEquals(n.EmptyValue())
	}
	return !v.IsKnown() || !v.IsNull()
}

// unusable returns why a setting cannot be used; empty if it can. Restricted is set unless the
// module may have any.
func unusable(name string, v cty.Value, restricted bool) (why string) {
	if !v.IsWhollyKnown() {
		return "whose value is known only when other objects exist. Use a variable or a text"
	}
	if !restricted || describes(name) {
		return ""
	}
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.Type() == cty.String && !v.IsNull() && !plainText.MatchString(v.AsString()) {
			why = "which may only have letters, digits and _.:=+- unless spec.allow lists " + string(ProviderSettings)
		}
		return true, nil
	})
	return why
}

// ImportResourceState implements tfprotov6.ProviderServer.
func (s *attached) ImportResourceState(
	ctx context.Context, q *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	if !s.calls.Begin() {
		return nil, errOver
	}
	defer s.calls.End()
	answer, err := s.chosen(ctx).ImportResourceState(ctx, q)
	if err == nil {
		s.takes(ctx, q, answer)
		s.dates(answer)
	}
	return answer, err
}

// OpenEphemeralResource implements tfprotov6.ProviderServer.
func (s *attached) OpenEphemeralResource(
	ctx context.Context, q *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return s.chosen(ctx).OpenEphemeralResource(ctx, q)
}

// RenewEphemeralResource implements tfprotov6.ProviderServer.
func (s *attached) RenewEphemeralResource(
	ctx context.Context, q *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return s.chosen(ctx).RenewEphemeralResource(ctx, q)
}

// CloseEphemeralResource implements tfprotov6.ProviderServer.
func (s *attached) CloseEphemeralResource(
	ctx context.Context, q *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return s.chosen(ctx).CloseEphemeralResource(ctx, q)
}
