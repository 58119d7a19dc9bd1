package module

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

var _ terraform.Finder = (*Executor)(nil)

// Find implements terraform.Finder. Objects of provider blocks with settings are not looked for:
// only the program knows the settings.
func (e *Executor) Find(ctx context.Context, o terraform.Object) terraform.Found {
	server := e.servers[o.Configuration]
	if server == nil || o.Settings != "" {
		return terraform.Found{}
	}
	r := e.resourceType(ctx)(o.Configuration, o.Type)
	target, ok := targetOf(r, o)
	if !ok {
		return terraform.Found{}
	}
	found, diags := engine.New(server).Import(ctx, terraform.ResourceType{Schema: r}, target)
	switch {
	case diags.HasErrors():
		return terraform.Found{Looked: terraform.NonExistent(diags)}
	case !terraform.Told(r, target, found.State):
		return terraform.Found{}
	}
	return terraform.Found{Looked: true, Exists: instance.Present(found.State), Made: terraform.MadeOf(r, found.State)}
}

// targetOf returns what imports an object; ok is false if nothing does.
func targetOf(r *schema.Resource, o terraform.Object) (_ terraform.ImportTarget, ok bool) {
	switch {
	case r == nil:
		return terraform.ImportTarget{}, false
	case o.Identity == "":
		return terraform.ImportTarget{ID: o.ID, Identity: cty.NilVal}, o.ID != ""
	case r.Identity == nil || r.Identity.Version != o.IdentityVersion:
		return terraform.ImportTarget{}, false
	}
	v, err := wire.UnmarshalJSON([]byte(o.Identity), r.IdentityType())
	return terraform.ImportTarget{Identity: v}, err == nil
}
