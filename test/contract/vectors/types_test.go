package vectors_test

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
)

// styles are the SDKs, and names what tests call them.
var (
	styles = []cases.Style{cases.SDK, cases.Framework5, cases.Framework6}
	names  = map[cases.Style]string{cases.SDK: "SDKv2", cases.Framework5: "framework5", cases.Framework6: "framework6"}
)

// variant is in what a version of the thing differs from the first one.
type variant struct {
	schemaVersion, identityVersion int64
	// renamed maps former names of attributes to those of this version.
	renamed     map[string]string
	noUpgraders bool
}

// thing returns the resource type that most vectors use, without any objects. Its name forces a
// replacement; label and revision are computed, and token is write-only.
func thing(style cases.Style, v variant) *cloud.Active {
	block := &schema.Block{Attributes: map[string]*schema.Attribute{
		"id":       {Type: cty.String, Computed: true},
		"name":     {Type: cty.String, Required: true},
		"size":     {Type: cty.Number, Optional: true},
		"label":    {Type: cty.String, Optional: true, Computed: true},
		"token":    {Type: cty.String, Optional: true, WriteOnly: true},
		"revision": {Type: cty.Number, Computed: true},
	}}
	if style == cases.SDK {
		block.Blocks = timeouts("create", "read", "delete")
	}
	return active(&cases.Case{
		Style: style, Renamed: v.renamed, NoUpgraders: v.noUpgraders, Chosen: []string{"replace.name"},
	}, &schema.Resource{
		Type: "cloud_thing", Version: v.schemaVersion, Block: block,
		Identity: &schema.Identity{Version: v.identityVersion, Attributes: map[string]*schema.IdentityAttribute{
			"id":   {Type: cty.String, RequiredForImport: true},
			"zone": {Type: cty.String, OptionalForImport: true},
		}},
	})
}

// legacy returns a resource type with what only the legacy SDK has: a block that is optional and
// computed, lists with null elements, and timeouts.
func legacy() *cloud.Active {
	return active(&cases.Case{Style: cases.SDK}, &schema.Resource{Type: "cloud_legacy", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id":    {Type: cty.String, Computed: true},
			"name":  {Type: cty.String, Optional: true},
			"zones": {Type: cty.List(cty.String), Optional: true},
			"rule":  {Type: cty.List(cty.Object(map[string]cty.Type{"port": cty.Number})), Optional: true, Computed: true},
		},
		Blocks: timeouts("create", "delete"),
	}})
}

func timeouts(names ...string) map[string]*schema.NestedBlock {
	block := schema.Block{Attributes: map[string]*schema.Attribute{}}
	for _, name := range names {
		block.Attributes[name] = &schema.Attribute{Type: cty.String, Optional: true}
	}
	return map[string]*schema.NestedBlock{"timeouts": {Nesting: schema.NestingSingle, Block: &block}}
}

// seed makes the values that the cloud chooses distinct and not empty.
const seed = 1

func active(c *cases.Case, r *schema.Resource) *cloud.Active {
	c.Seed, c.Plain, c.Steps = seed, true, []cases.Step{{}}
	c.Schemas[0] = r
	return cloud.NewActive(c, 0, cloud.NewWorld())
}

// launcher runs the provider of one resource type in this process. A recorded one keeps the
// requests in the Active.
func launcher(style cases.Style, a *cloud.Active, recorded bool) *inprocess.Launcher {
	run := cloud.Run{a.Schema().Type: a}
	out := &inprocess.Launcher{Name: names[style]}
	five, six := cloud.SDK(false), cloud.Framework6(false)
	switch style {
	case cases.Framework6:
		out.Protocol6 = func() (tfprotov6.ProviderServer, error) {
			if recorded {
				return cloud.NewRecording6(func() cloud.Run { return run }, six), nil
			}
			return six(run), nil
		}
		return out
	case cases.Framework5:
		five = cloud.Framework5(false)
	}
	out.Protocol5 = func() (tfprotov5.ProviderServer, error) {
		if recorded {
			return cloud.NewRecording5(func() cloud.Run { return run }, five), nil
		}
		return five(run), nil
	}
	return out
}
