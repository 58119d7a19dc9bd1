package export

import (
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Body returns a value as HCL, the values of its variables, and the paths of the sensitive ones.
func Body(b *schema.Block, v cty.Value, marked []cty.Path) (text []byte, values map[string]cty.Value, concealed []cty.Path) {
	f, all := hclwrite.NewEmptyFile(), variables{}
	w := &writer{variables: &all, prefix: "x", marked: marked}
	w.block(f.Body(), b, v, nil)
	return hclwrite.Format(f.Bytes()), all.values, w.concealed
}
