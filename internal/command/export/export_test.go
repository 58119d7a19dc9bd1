package export

import (
	"context"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// Body returns a value as HCL, the values of its variables, and the paths of the sensitive ones.
func Body(b *schema.Block, v cty.Value, marked []cty.Path) (text []byte, values map[string]cty.Value, concealed []cty.Path) {
	f, all := hclwrite.NewEmptyFile(), variables{}
	w := &writer{variables: &all, prefix: "x", marked: marked}
	w.block(f.Body(), b, v, nil)
	return hclwrite.Format(f.Bytes()), all.values, w.concealed
}

// Blocks returns the blocks of a resource, whose object is found as it is, and of the data sources
// that it refers to.
func Blocks(
	ctx context.Context, o Options, key store.Key, block tfstate.ResourceBlock, found instance.Instance,
) (resources, data string, left []state.Left, _ error) {
	e := &exporter{
		Options: o, used: map[*RequiredProvider]*used{}, names: map[string]bool{},
		resources: map[store.Key]*resource{}, data: map[store.Key]*dataSource{},
	}
	r, reason, err := e.read(ctx, key, &block, found)
	if err != nil || reason != "" {
		return reason, "", nil, err
	}
	if err := e.readData(ctx, r.targets); err != nil {
		return "", "", nil, err
	}
	f := hclwrite.NewEmptyFile()
	e.write(f.Body(), r)
	return string(hclwrite.Format(f.Bytes())), string(e.writeData()), e.out.Left, nil
}
