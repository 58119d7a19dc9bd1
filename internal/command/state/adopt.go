package state

import (
	"context"
	"fmt"

	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// AdoptModule stores the objects that a Terraform state has of a module for an instance of a
// TerraformModule, which exists and is not reconciled. address is that of the module in the state;
// empty for the root module. Of the options, Addresses are not used.
func (c *Cluster) AdoptModule(
	ctx context.Context, kind Kind, name string, file []byte, address string, o RestoreOptions,
) (Restored, error) {
	if !kind.Module {
		return Restored{}, fmt.Errorf("%s is not the kind of a TerraformModule", kind)
	}
	in, err := module.Adopt(file, address)
	if err != nil {
		return Restored{}, err
	}
	k := kind.Key(o.Namespace, name)
	title := Title(k)
	written, reason, err := c.restore(ctx, k, kind, tfstate.Instance{Instance: in}, o)
	switch {
	case err != nil:
		return Restored{}, fmt.Errorf("%s: %w", title, err)
	case reason != "":
		return Restored{Left: []Left{{title, reason}}}, nil
	case written:
		return Restored{Written: []string{title}}, nil
	}
	return Restored{Unchanged: []string{title}}, nil
}
