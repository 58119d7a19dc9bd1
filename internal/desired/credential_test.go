package desired_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// A warning tells where a credential in plain text is, and never what it is.
func TestPlainCredentialsAreWarnedOf(t *testing.T) {
	text := &schema.Attribute{Type: cty.String, Optional: true}
	r := resource(t, &schema.Resource{Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{"name": text, "source_uri": text},
		Blocks: map[string]*schema.NestedBlock{"auth": {Nesting: schema.NestingList, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"api_key": text},
		}}},
	}}, config.Resource{})
	spec, diags := desired.Read(r, desired.CustomResource{Namespace: "a", Name: "b", Spec: m{
		"forProvider":  m{"name": "x", "sourceUri": "amqp://user:hidden@host"},
		"initProvider": m{"auth": []any{m{"apiKey": "hidden"}}},
	}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	_, diags = spec.Configuration(func(translate.SecretKeySelector) ([]byte, error) { return nil, nil })
	const remedy = "in the configuration of the provider or in the variable of a module, and refer to a Secret."
	var got []string
	for _, d := range diags.Warnings() {
		got = append(got, d.Summary+": "+d.Detail)
	}
	want := []string{
		"Credential in plain text: spec.forProvider.sourceUri is a URL with a password, and is not in a Secret. " +
			"Mark it as sensitive, by resources.test_thing.fields.source_uri.sensitive " + remedy,
		"Credential in plain text: spec.initProvider.auth[0].apiKey has the name of a credential, and is not in a " +
			"Secret. Mark it as sensitive, by resources.test_thing.fields.auth.api_key.sensitive " + remedy,
	}
	if diff := cmp.Diff(want, got); diff != "" || diags.HasErrors() {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}
