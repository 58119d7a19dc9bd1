package importer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// teller is an executor whose objects tell their secrets, which those of the example cloud do
// not, and which quotes them when it does not like a configuration.
type teller struct {
	terraform.Executor
	state  cty.Value
	refuse bool
}

func (e teller) Import(context.Context, terraform.ResourceType, terraform.ImportTarget) (instance.Instance, diagnostic.Diagnostics) {
	return instance.Instance{State: e.state, Status: instance.Full}, nil
}

func (e teller) Plan(
	_ context.Context, r terraform.ResourceType, in instance.Instance, c terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	if e.refuse {
		return terraform.Plan{}, diagnostic.Errorf("No", "The password %q is too short.", password)
	}
	if got := c.Value.GetAttr("password"); !got.RawEquals(cty.StringVal(password)) {
		return terraform.Plan{Action: terraform.Update, Prior: in, State: c.Value}, nil
	}
	return terraform.Plan{Action: terraform.NoOp}, nil
}

// A sensitive value that a provider tells is planned with, and written nowhere.
func TestSensitiveValuesAreNotWritten(t *testing.T) {
	t.Parallel()
	r := &schema.Resource{Type: "x_thing", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "password": {Type: cty.String, Required: true, Sensitive: true},
			"token_wo": {Type: cty.String, Required: true, WriteOnly: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"user": {Nesting: schema.NestingList, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"key": {Type: cty.String, Optional: true, Sensitive: true},
			}}},
		},
	}}
	optional := *r
	optional.Block = &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id": r.Block.Attributes["id"], "password": r.Block.Attributes["password"],
		}, Blocks: r.Block.Blocks,
	}
	user := cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal("the-key-of-a-user")})})
	tests := map[string]struct {
		schema *schema.Resource
		refuse bool
		want   string
	}{
		"told": {
			schema: &optional,
			want: `---
# x_thing 1
# Sensitive: put the value of password into the key password of the Secret x-inputs.
# Sensitive: put the value of user.0.key into the key user.0.key of the Secret x-inputs.
apiVersion: x.landbridge.io/v1alpha1
kind: Thing
metadata:
  name: x
  namespace: team
spec:
  forProvider:
    passwordSecretRef:
      key: password
      name: x-inputs
    user:
    - keySecretRef:
        key: user.0.key
        name: x-inputs
  import:
    id: "1"
`,
		},
		"not told, and required": {
			schema: r, refuse: true,
			want: `---
# x_thing 1
# Sensitive: put the value of password into the key password of the Secret x-inputs.
# Sensitive: put the value of user.0.key into the key user.0.key of the Secret x-inputs.
# Only observes, since spec.forProvider.tokenWoSecretRef cannot be read, and must be given by you. Look at it, then set managementPolicies to ["*"].
apiVersion: x.landbridge.io/v1alpha1
kind: Thing
metadata:
  name: x
  namespace: team
spec:
  forProvider:
    passwordSecretRef:
      key: password
      name: x-inputs
    user:
    - keySecretRef:
        key: user.0.key
        name: x-inputs
  import:
    id: "1"
  managementPolicies:
  - Observe
`,
		},
		"quoted in a refusal": {
			schema: &optional, refuse: true,
			want: `---
# x_thing 1
# Sensitive: put the value of password into the key password of the Secret x-inputs.
# Sensitive: put the value of user.0.key into the key user.0.key of the Secret x-inputs.
# Only observes, since the provider does not accept the configuration: No: The password "(sensitive value)" is too short. Look at it, then set managementPolicies to ["*"].
apiVersion: x.landbridge.io/v1alpha1
kind: Thing
metadata:
  name: x
  namespace: team
spec:
  forProvider:
    passwordSecretRef:
      key: password
      name: x-inputs
    user:
    - keySecretRef:
        key: user.0.key
        name: x-inputs
  import:
    id: "1"
  managementPolicies:
  - Observe
`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := model.NewProvider("x", &schema.Provider{
				Config: &schema.Block{}, Resources: map[string]*schema.Resource{"x_thing": test.schema},
			}, config.Provider{})
			if err != nil {
				t.Fatal(err)
			}
			values := map[string]cty.Value{"id": cty.StringVal("1"), "password": cty.StringVal(password), "user": user}
			if _, ok := test.schema.Block.Attributes["token_wo"]; ok {
				values["token_wo"] = cty.NullVal(cty.String)
			}
			p := &importer.ConfiguredProvider{
				Model: m, Configuration: importer.DefaultConfiguration, Secrets: &redact.Redactor{},
				Executor: teller{state: cty.ObjectVal(values), refuse: test.refuse},
			}
			item := importer.ByID(p, m.Resources["x_thing"], "1")
			item.Name = "x"
			got := text(t, build(t, &importer.Builder{}, item).Manifests)
			if strings.Contains(got, password) || strings.Contains(got, "the-key-of-a-user") {
				t.Error("a secret is shown")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
