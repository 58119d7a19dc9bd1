package instance

import "github.com/landbridge-io/landbridge/schema"

// Older reports whether values of the current object are of an earlier version than the schema's,
// and have to be upgraded.
func (i Instance) Older(r *schema.Resource) bool {
	t := typesOf(r)
	return len(i.RawState) > 0 && i.SchemaVersion < t.stateVersion || len(i.RawIdentity) > 0 && i.IdentityVersion < t.identityVersion
}

// Newer reports whether values of the current object are of a later version than the schema's. A
// provider with this schema cannot read them.
func (i Instance) Newer(r *schema.Resource) bool {
	t := typesOf(r)
	return len(i.RawState) > 0 && i.SchemaVersion > t.stateVersion || len(i.RawIdentity) > 0 && i.IdentityVersion > t.identityVersion
}

// Current returns the instance with its current object alone.
func (i Instance) Current() Instance { return i.Depose("").Instance() }
