package ownership

import "slices"

// OwnerClaim is a resource with its strongest claim on an object.
type OwnerClaim struct {
	Owner
	Strength Strength
}

// Owners returns the resources that claim an object, which is given as it is accessed by a
// configuration and by others of the same account (Access.Objects), each once. Those that others
// may have, too, are left out.
func (x *Index) Owners(on []Object) []OwnerClaim {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []OwnerClaim
	for _, id := range on {
		o := x.objects.get(id)
		if o == nil {
			continue
		}
		for c := range o.strong.all() {
			i := slices.IndexFunc(out, func(known OwnerClaim) bool { return known.Key == c.by.Key })
			if i < 0 {
				out = append(out, OwnerClaim{c.by.Owner, c.strength})
				continue
			}
			out[i].Strength = max(out[i].Strength, c.strength)
		}
	}
	return out
}
