package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestWriteBlocks(t *testing.T) {
	blocks := map[string]*schema.Block{
		"c_token": {Attributes: map[string]*schema.Attribute{
			"name":     {Type: cty.String, Required: true},
			"lifetime": {Type: cty.String, Optional: true, Computed: true},
			"key":      {Type: cty.String, Optional: true, WriteOnly: true},
			"secret":   {Type: cty.String, Computed: true, Sensitive: true},
		}, Blocks: map[string]*schema.NestedBlock{
			"scope": {Nesting: schema.NestingList, MinItems: 1, Block: &schema.Block{}},
			"limit": {Nesting: schema.NestingSingle, Block: &schema.Block{}},
			"grant": {Nesting: schema.NestingList, Computed: true, Block: &schema.Block{}},
		}},
		"c_empty": {},
	}
	for name, test := range map[string]struct {
		blocks  map[string]*schema.Block
		results bool
		want    string
	}{
		"none": {},
		"arguments": {blocks: blocks, want: `
KIND     ARGUMENTS
c_empty  -
c_token  name, scope, [key (write-only)], [lifetime], [limit]
`},
		"arguments and results": {blocks: blocks, results: true, want: `
KIND     ARGUMENTS                                             RESULT
c_empty  -                                                     -
c_token  name, scope, [key (write-only)], [lifetime], [limit]  secret (sensitive), grant
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := writeBlocks(&out, "KIND", test.blocks, test.results); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestInspectEphemeralResources(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "random")
	for output, want := range map[string]string{
		"table": "[upper]  bcrypt_hash (sensitive), result (sensitive)\n", "json": `"ephemeralResourceSchemas": {`,
		"yaml": "ephemeralResourceSchemas:\n  random_bytes:\n",
	} {
		out, _, err := run(t, "provider", "inspect", binary, "-o", output)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v; %q is not in:\n%s", output, err, want, out)
		}
	}
}
