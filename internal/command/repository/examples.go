package repository

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// mostExamples bounds the examples of a resource type that are tried.
const mostExamples = 20

// examples returns the configurations of examples that the provider accepts: for each resource
// type, the first one of its documentation that is valid. refused are the types without any, also
// of required fields alone, with the reason. source is the directory with the provider's
// documentation; empty: there is none.
func examples(
	ctx context.Context, binary string, timeout time.Duration, p *model.Provider, s *schema.Provider, source string,
) (found map[string]map[string]any, refused map[string]error, err error) {
	documented := map[string][]map[string]any{}
	if source != "" {
		root, err := os.OpenRoot(source)
		if err != nil {
			return nil, nil, err
		}
		defer root.Close()
		if documented, err = inference.Configurations(s, root.FS()); err != nil {
			return nil, nil, err
		}
	}
	timeout = cmp.Or(timeout, time.Minute)
	server, err := (&plugin.Launcher{Path: binary, StartTimeout: timeout}).Launch(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, server.Close(ctx)) }()
	if _, diags := server.Schema(ctx); diags.HasErrors() {
		return nil, nil, diags.Err()
	}
	found, refused = map[string]map[string]any{}, map[string]error{}
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		candidates := documented[t]
		candidates = append(slices.Clone(candidates[:min(len(candidates), mostExamples)]), nil)
		for _, c := range candidates {
			err := valid(ctx, server, p.Resources[t], c)
			if err == nil {
				if c != nil {
					found[t] = c
				}
				delete(refused, t)
				break
			}
			refused[t] = err
		}
	}
	return found, refused, nil
}

// valid returns why a provider does not accept the example of a resource type with a configuration;
// nil if it does.
func valid(ctx context.Context, server provider.Server, r *model.Resource, configuration map[string]any) error {
	forProvider, err := generator.Example(r, configuration)
	if err != nil {
		return err
	}
	secrets := func(translate.SecretKeySelector) ([]byte, error) { return []byte(generator.ExampleSecret), nil }
	c, diags := translate.Config(r, forProvider, nil, secrets)
	if diags.HasErrors() {
		return diags.Err()
	}
	raw, err := wire.Marshal(c.Value, r.Schema.ImpliedType())
	if err != nil {
		return err
	}
	answer, err := server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: r.Type, Config: &tfprotov6.DynamicValue{MsgPack: raw},
	})
	if err != nil {
		return err
	}
	var all diagnostic.Diagnostics
	for _, d := range answer.Diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			all = append(all, diagnostic.Diagnostic{Severity: diagnostic.Error, Summary: d.Summary, Detail: d.Detail})
		}
	}
	return all.Err()
}
