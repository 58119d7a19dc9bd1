package scheduler

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/schema"
)

// Owners returns the resources that claim the object of a resource type with an identity, as a
// provider configuration gives access to it.
func (s *Scheduler) Owners(of ownership.Access, r *schema.Resource, identity cty.Value) []ownership.OwnerClaim {
	key := ownership.IdentityKey(r, instance.Instance{Identity: identity})
	if key == "" {
		return nil
	}
	return s.owners.Owners(of.Objects(r.Type, key))
}
