package cli

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/schema"
)

const lineage = "6f0f9a52-3f0e-4f0e-8f4e-1f3b6f1f8a10"

// writeState returns the state file of one instance, without deposed objects, which no run changes.
// The state of an instance without an object has no resource.
func writeState(p *commandline.Program, r *schema.Resource, in instance.Instance) ([]byte, error) {
	out := tfstate.State{TerraformVersion: p.Version.String(), Serial: 1, Lineage: lineage}
	if in.Exists() {
		in.Deposed = nil
		if !p.Identity {
			in.Identity, in.RawIdentity, in.IdentityVersion = cty.NilVal, nil, 0
		}
		out.Resources = []tfstate.ResourceBlock{{
			Mode: "managed", Type: r.Type, Name: objectName, Provider: fmt.Sprintf("provider[%q]", providerAddress),
			Instances: []tfstate.Instance{{Instance: in, Kept: tfstate.Kept{OmitIdentityVersion: true}}},
		}}
	}
	return tfstate.Write(out, func(string) *schema.Resource { return r })
}

// readState returns the object in a state file. It does not exist if the state has no resource.
func readState(b []byte, r *schema.Resource) (instance.Instance, error) {
	if len(b) == 0 {
		return instance.Instance{}, errors.New("there is no file")
	}
	state, err := tfstate.Read(b, func(string) *schema.Resource { return r })
	if err != nil {
		return instance.Instance{}, err
	}
	var found []instance.Instance
	for _, i := range state.All() {
		found = append(found, i.Instance)
	}
	switch {
	case len(found) == 0:
		return instance.Instance{}, nil
	case len(found) > 1 || len(found[0].Deposed) > 0:
		return instance.Instance{}, errors.New("there is more than one object in it")
	case len(found[0].RawState) > 0:
		return instance.Instance{}, errors.New("the object in it does not fit the schema")
	}
	return found[0], nil
}
