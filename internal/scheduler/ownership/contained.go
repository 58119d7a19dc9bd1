package ownership

import "github.com/landbridge-io/landbridge/internal/terraform"

// contained are the objects that an instance consists of, such as those of a Terraform module. They
// are claimed as if each had a resource of its own. An import block of a module is like
// spec.import: it never takes an object from another resource.
type contained struct {
	// Held are those that exist, Begun those that an interrupted operation may have created, and
	// Taken those that the plan creates or imports.
	Held, Begun, Taken []terraform.Object
}

// Claims returns the claims on the objects by the provider configurations of an instance, by
// terraform.Object.Configuration. Objects whose configuration the instance does not have any more
// are not claimed. inherited is Claim.Inherited.
func (c contained) Claims(accesses map[string]Access, inherited bool) (out []Claim) {
	add := func(all []terraform.Object, identity, id Strength) {
		for _, o := range all {
			access, ok := accesses[o.Configuration]
			if !ok {
				continue
			}
			key, strength := ObjectKey(o), id
			if o.Identity != "" {
				strength = identity
			}
			access = access.With(o.Settings)
			of := &ContainedObject{Access: access, Made: o.Made}
			for _, on := range access.Objects(o.Type, key) {
				out = append(out, Claim{Object: on, Strength: strength, Inherited: inherited, Contained: of})
			}
		}
	}
	add(c.Held, Held, Weak)
	add(c.Begun, Begun, Weak)
	add(c.Taken, Wanted, Wanted)
	return out
}

// ObjectKey identifies one of several objects of a resource within its account and type.
func ObjectKey(o terraform.Object) string {
	if o.Identity != "" {
		return versionedKey(o.IdentityVersion, o.Identity)
	}
	return IDKey(o.ID)
}
