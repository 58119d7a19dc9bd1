package simulation

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// In schedules with splits, listed resources take over the objects of identified ones. Both have
// the same attributes and ids. The object stays an identified one with the tag of its former
// resource until the new one changes it.

// takeOver creates a resource that takes over the object of one of another type, if there is one.
func (u *users) takeOver() {
	for _, from := range u.w.keys {
		source := u.resource(from)
		if from.Kind != u.w.model.Resources[identified].Kind || source == nil || source.GetDeletionTimestamp() != nil || u.current[from].gives {
			continue
		}
		for _, to := range u.w.keys {
			if to.Kind == u.w.model.Resources[listed].Kind && u.resource(to) == nil {
				u.createWith(to, u.current[from])
				return
			}
		}
	}
}

// byID returns an object by its id. A listed one may have been an identified one, until it is
// changed.
func (c *cloud) byID(account, resourceType, id string) *object {
	o := c.find(account, resourceType, func(o *object) bool { return o.id == id })
	if o == nil && resourceType == listed && !c.w.choices.accounts {
		o = c.find(account, identified, func(o *object) bool { return o.id == id })
	}
	return o
}

// taken is called when a resource of a type, with a tag, changes an object.
func (w *world) taken(o *object, resourceType, tag string) {
	if o.resourceType == resourceType {
		return
	}
	before := w.users.byTag[o.tag]
	o.unknown = before.lost || before.meddled || before.imports
	o.resourceType, o.tag = resourceType, tag
}

// MoveResourceState implements tfprotov6.ProviderServer. All types have the same attributes.
func (s *server) MoveResourceState(_ context.Context, r *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	v, err := r.SourceState.Unmarshal(s.schemaType(r.TargetTypeName))
	if err != nil {
		return nil, err
	}
	moved, err := tfprotov6.NewDynamicValue(s.schemaType(r.TargetTypeName), v)
	if err != nil {
		return nil, err
	}
	decoded, err := s.decode(r.TargetTypeName, &moved)
	if err != nil {
		return nil, err
	}
	identity, err := s.identity(r.TargetTypeName, decoded)
	return &tfprotov6.MoveResourceStateResponse{TargetState: &moved, TargetPrivate: r.SourcePrivate, TargetIdentity: identity}, err
}
