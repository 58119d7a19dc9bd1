package ownership

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// These are the forms of Object.Identity. All are empty for an object that is not named by them.

// IdentityKey identifies an object within its account and type by its identity. Identities of
// different schema versions cannot be compared: each is claimed in its own version until a read
// upgrades it.
func IdentityKey(of *schema.Resource, in instance.Instance) string {
	raw := in.IdentityJSON()
	if raw == nil {
		return ""
	}
	version := in.IdentityVersion
	if len(in.RawIdentity) == 0 && of.Identity != nil {
		version = of.Identity.Version
	}
	return versionedKey(version, raw)
}

// versionedKey is the IdentityKey of an identity as JSON.
func versionedKey[T string | []byte](version int64, identity T) string {
	return fmt.Sprintf("%d:%s", version, identity)
}

// importKey identifies an object by an import id that is known before the object is created.
func importKey(id string) string {
	if id == "" {
		return ""
	}
	return "import=" + id
}

// IDKey identifies an object by its id, or by the import id that a user gives.
func IDKey(id string) string {
	if id == "" {
		return ""
	}
	return "id=" + id
}

// StateKey is the IDKey of an object by its state.
func StateKey(state cty.Value) string { return IDKey(StateID(state)) }

// StateID returns the id of an object; empty if it has none.
func StateID(state cty.Value) string {
	if state == cty.NilVal || state.IsNull() || !state.IsKnown() || !state.Type().IsObjectType() || !state.Type().HasAttribute("id") {
		return ""
	}
	id := state.GetAttr("id")
	if id.IsNull() || !id.IsWhollyKnown() || id.Type() != cty.String {
		return ""
	}
	return id.AsString()
}
