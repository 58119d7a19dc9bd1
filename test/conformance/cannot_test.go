package conformance_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// TestCannot checks that requests which a program does not support yet are refused with a message
// and have no effect.
func TestCannot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, examplecloudtest.Framework6, conformance.Terraform)
	thing, credential := w.resource("thing"), w.resource("credential")
	made := w.cloud.Make(w, "things", map[string]any{"name": "x", "region": "us-east-1"})
	identity := cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(made["id"].(string)), "region": cty.StringVal("us-east-1")})
	in, diags := w.ex.Import(ctx, thing, terraform.ImportTarget{Identity: identity})
	if in.Exists() || !strings.Contains(diags.String(), "does not support resource identities. Use version 1.12.0 or later") {
		t.Errorf("got %v, %v", in.Status, diags)
	}
	config := w.config(credential, `{"name":"x","secret_wo":"hunter3","secret_wo_version":1}`)
	p, diags := w.ex.Plan(ctx, credential, instance.Instance{}, config)
	if p.Action != "" || !strings.Contains(diags.String(), "secret_wo: Write-only attribute not supported") ||
		strings.Contains(diags.String(), "hunter3") {
		t.Errorf("got %v, %v", p.Action, diags)
	}
	if more := w.ex.Validate(ctx, credential, config); !more.HasErrors() {
		t.Error("it is valid")
	}
}
