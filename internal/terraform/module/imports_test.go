package module_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// Errors of import blocks have the line of the module, although the blocks are carried out
// elsewhere.
func TestLinesOfImportBlocks(t *testing.T) {
	t.Parallel()
	head := racks + "variable \"id\" {\n  type      = string\n  default   = \"c-1/c/a\"\n}\n"
	at := strings.Count(head, "\n")
	for name, test := range map[string]struct {
		block string
		line  int
	}{
		"an argument": {"import {\n  to = examplecloud_datastore.rack[\"a\"]\n\n  id = var.id.none\n}\n", 4},
		"the second line of an argument": {
			"import {\n  id = join(\"/\", [\n    \"c-1\",\n    var.id.none,\n  ])\n  to = examplecloud_datastore.rack[\"a\"]\n}\n", 4,
		},
		"a local value": {
			"import {\n  id = local.id\n  to = examplecloud_datastore.rack[\"a\"]\n}\nlocals {\n  id = join(\"/\", " +
				"[\n    var.id.none,\n  ])\n}\n",
			7,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstateOf(t, head+test.block, commandline.Options{})
			config := e.config(1, "a")
			values := config.Value.AsValueMap()
			values["id"] = cty.NullVal(cty.String)
			config.Value = cty.ObjectVal(values)
			_, diags := e.executor(e.server).Plan(t.Context(), e.resource(), instance.Instance{}, config)
			want := placeOf(at + test.line)
			if text := diags.Errors().String(); !strings.Contains(text, want) || strings.Contains(text, "imports.tf") {
				t.Errorf("the error has not %s: %s", want, text)
			}
		})
	}
}
