package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/internal/enginetest"
	"github.com/landbridge-io/landbridge/schema"
)

// image returns the schema of a data source.
func image() *schema.Resource {
	return &schema.Resource{Type: "test_image", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"name": {Type: cty.String, Optional: true},
		"size": {Type: cty.Number, Computed: true},
		"key":  {Type: cty.String, Computed: true, Sensitive: true},
	}}}
}

func imageValue(name, size, key cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"name": name, "size": size, "key": key})
}

func TestReadData(t *testing.T) {
	t.Parallel()
	noSize := cty.NullVal(cty.Number)
	config, data := imageValue(str("a"), noSize, null), imageValue(str("a"), cty.NumberIntVal(3), str("k"))
	state := func(v cty.Value) *tfprotov6.ReadDataSourceResponse {
		return &tfprotov6.ReadDataSourceResponse{State: enc(t, v, image().ImpliedType())}
	}
	with := func(
		answer *tfprotov6.ReadDataSourceResponse, d []*tfprotov6.Diagnostic, deferred *tfprotov6.Deferred,
	) *tfprotov6.ReadDataSourceResponse {
		answer.Diagnostics, answer.Deferred = d, deferred
		return answer
	}
	warning := []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: "Old image"}}
	for name, test := range map[string]struct {
		config   cty.Value
		validate []*tfprotov6.Diagnostic
		answer   *tfprotov6.ReadDataSourceResponse
		err      error
		want     cty.Value
		failure  string
		reads    int
	}{
		"(D1) it is read after it was validated": {answer: state(data), want: data, reads: 1},
		"(D2) a configuration that is refused":   {validate: providerError("No such name", ""), failure: "No such name"},
		"(D3) an error without a result": {
			answer:  with(&tfprotov6.ReadDataSourceResponse{}, providerError("Not found", ""), nil),
			failure: "Not found", reads: 1,
		},
		"(D3) an error with a result": {
			answer: with(state(data), providerError("Not found", ""), nil), failure: "Not found", reads: 1,
		},
		"(D4) a deferral": {
			answer: with(&tfprotov6.ReadDataSourceResponse{}, nil, &tfprotov6.Deferred{
				Reason: tfprotov6.DeferredReasonAbsentPrereq,
			}), failure: "Deferred by the provider: ABSENT_PREREQ", reads: 1,
		},
		"(D4) an error comes before a deferral": {
			answer:  with(&tfprotov6.ReadDataSourceResponse{}, providerError("Not found", ""), &tfprotov6.Deferred{}),
			failure: "Not found", reads: 1,
		},
		"(D5) a null result": {
			answer: state(cty.NullVal(image().ImpliedType())), failure: "Provider produced null object", reads: 1,
		},
		"(D5) no result is null": {
			answer: &tfprotov6.ReadDataSourceResponse{}, failure: "Provider produced null object", reads: 1,
		},
		"(D6) a result with an unknown value": {
			answer:  state(imageValue(str("a"), cty.UnknownVal(cty.Number), null)),
			failure: "Provider produced invalid object", reads: 1,
		},
		"(D6) a result of another type": {
			answer:  &tfprotov6.ReadDataSourceResponse{State: enc(t, str("x"), cty.String)},
			failure: "Provider produced invalid object", reads: 1,
		},
		"(D7) a result may differ from the arguments": {
			answer: state(imageValue(str("b"), noSize, null)), want: imageValue(str("b"), noSize, null), reads: 1,
		},
		"(D8) unknown arguments":    {config: imageValue(unknown, noSize, null), failure: "Arguments not known"},
		"arguments of another type": {config: cty.EmptyObjectVal, failure: "Incorrect attribute value type"},
		"no arguments":              {config: cty.NullVal(image().ImpliedType()), failure: "Missing configuration"},
		"a warning":                 {answer: with(state(data), warning, nil), want: data, reads: 1},
		"a server that breaks off":  {err: provider.ErrUnimplemented, failure: "Unsupported plugin method", reads: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, thing())
			f.ValidateData = func(*tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
				return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: test.validate}, nil
			}
			f.ReadData = func(*tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
				return test.answer, test.err
			}
			if test.config == cty.NilVal {
				test.config = config
			}
			got, diags := f.engine.ReadData(t.Context(), terraform.ResourceType{Schema: image()}, test.config)
			if test.failure != "" {
				if !diags.HasErrors() || !strings.Contains(diags.Errors()[0].Summary, test.failure) {
					t.Errorf("diagnostics: %v, want %q", diags, test.failure)
				}
				if got.Value != cty.NilVal {
					t.Errorf("a failed read has the result %#v", got.Value)
				}
			} else if diags.HasErrors() || !got.Value.RawEquals(test.want) {
				t.Errorf("got %#v, %v; want %#v", got.Value, diags, test.want)
			}
			requests := enginetest.Requests[*tfprotov6.ReadDataSourceRequest](f.Server)
			if diff := cmp.Diff(test.reads, len(requests)); diff != "" {
				t.Errorf("reads: %s", diff)
			}
			for _, r := range requests {
				if !r.ClientCapabilities.DeferralAllowed || r.TypeName != "test_image" {
					t.Errorf("request: %+v", r)
				}
			}
		})
	}
}

// An error about a sensitive value does not show it.
func TestReadDataConceals(t *testing.T) {
	t.Parallel()
	f := newFixture(t, thing())
	f.ValidateData = func(*tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
		return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
	}
	f.ReadData = func(*tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
		return &tfprotov6.ReadDataSourceResponse{
			State: enc(t, imageValue(unknown, cty.UnknownVal(cty.Number), str("hunter2")), image().ImpliedType()),
		}, nil
	}
	_, diags := f.engine.ReadData(t.Context(), terraform.ResourceType{Schema: image()}, imageValue(null, cty.NullVal(cty.Number), null))
	if got := (diagnostic.Diagnostics)(diags).Err(); got == nil || strings.Contains(got.Error(), "hunter2") {
		t.Errorf("error: %v", got)
	}
}
