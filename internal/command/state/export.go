package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// terraformVersion is the version in exported states. Terraform refuses state files of newer
// versions than itself. This is the first version with identities.
const terraformVersion = "1.12.0"

// extra is the field of a state file with what the format does not have. Terraform ignores it.
const extra = "landbridge"

// owner is the extra field of a resource block: the custom resource.
type owner struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// OwnerOf returns the custom resource of a resource block that was exported.
func OwnerOf(r tfstate.ResourceBlock) (store.Key, error) {
	var o owner
	if err := json.Unmarshal(r.Extra[extra], &o); err != nil {
		return store.Key{}, fmt.Errorf("%s: the field %s cannot be read: %w", r.Address(), extra, err)
	}
	return store.Key{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}, nil
}

// kept is the extra field of an instance: what a stored instance has beside its object.
type kept struct {
	Status          instance.Status           `json:"status,omitempty"`
	Handled         store.Tokens              `json:"handled,omitzero"`
	IdentityHistory []instance.FormerIdentity `json:"identityHistory,omitempty"`
}

// Left is an instance that is left out, and why.
type Left struct {
	// Title is a key or an address.
	Title, Reason string
}

// Exported is a Terraform state of stored instances.
type Exported struct {
	// State is the state file. It holds all values, including sensitive ones.
	State []byte
	// Resources are the titles of the instances in it.
	Resources []string
	// Left are selected instances that are not in it, or not completely.
	Left []Left
}

// Export returns the selected stored instances as a Terraform state.
func (c *Cluster) Export(ctx context.Context, kinds Kinds, s Selection) (Exported, error) {
	keys, err := c.Keys(ctx, s)
	if err != nil {
		return Exported{}, err
	}
	out := Exported{}
	file := tfstate.State{TerraformVersion: terraformVersion, Serial: 1, Lineage: string(uuid.NewUUID())}
	addresses := map[string]bool{}
	for _, k := range keys {
		leave := func(reason string) { out.Left = append(out.Left, Left{Title(k), reason}) }
		kind, ok := kinds.Of(k)
		switch {
		case !ok:
			leave("the cluster does not serve its kind, so its resource type is not known")
			continue
		case kind.Module:
			leave("it is an instance of a module, which is no resource of a Terraform state")
			continue
		case kind.Type == "":
			leave("the CRD of its kind does not name a resource type")
			continue
		}
		rec, err := c.Load(ctx, k)
		if errors.Is(err, store.ErrNotFound) {
			continue // it was removed meanwhile
		}
		if err != nil {
			return Exported{}, fmt.Errorf("%s: %w", Title(k), err)
		}
		in := rec.Instance
		if op := in.Operation; op != nil {
			leave(fmt.Sprintf("its %s has not ended: the state has what was known before", op.Kind))
		}
		if !in.Exists() && len(in.Deposed) == 0 {
			continue
		}
		block, err := block(k, kind, rec, s.Namespace == "")
		if err != nil {
			return Exported{}, fmt.Errorf("%s: %w", Title(k), err)
		}
		label := block.Name // names that differ in characters that Terraform does not permit may have the same
		for n := 2; addresses[block.Address()]; n++ {
			block.Name = fmt.Sprintf("%s_%d", label, n)
		}
		addresses[block.Address()] = true
		file.Resources = append(file.Resources, block)
		out.Resources = append(out.Resources, Title(k))
	}
	out.State, err = tfstate.Write(file, nil)
	return out, err
}

// block returns the resource block of a record. With namespaced, its name has the namespace.
func block(k store.Key, kind Kind, rec store.Record, namespaced bool) (tfstate.ResourceBlock, error) {
	in := rec.Instance
	out := tfstate.ResourceBlock{
		Mode: "managed", Type: kind.Type, Name: tfstate.Label(k.Name), Provider: fmt.Sprintf("provider[%q]", kind.Provider),
	}
	if namespaced && k.Namespace != "" {
		out.Name = tfstate.Label(k.Namespace + "_" + k.Name)
	}
	of, err := json.Marshal(owner{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name})
	if err != nil {
		return out, err
	}
	out.Extra = map[string]json.RawMessage{extra: of}
	more := kept{Handled: rec.Handled, IdentityHistory: in.IdentityHistory}
	if in.Status == instance.Partial {
		more.Status = in.Status
	}
	in.Operation = nil
	x := tfstate.Instance{Instance: in, Kept: tfstate.Kept{OmitIdentityVersion: true}}
	if len(in.Deposed) > 0 {
		x.KeptDeposed = map[string]tfstate.Kept{}
		for _, d := range in.Deposed {
			x.KeptDeposed[d.Key] = tfstate.Kept{OmitIdentityVersion: true}
		}
	}
	if more.Status != "" || more.Handled != (store.Tokens{}) || len(more.IdentityHistory) > 0 {
		raw, err := json.Marshal(more)
		if err != nil {
			return out, err
		}
		x.Kept.Extra = map[string]json.RawMessage{extra: raw}
	}
	out.Instances = []tfstate.Instance{x}
	return out, nil
}
