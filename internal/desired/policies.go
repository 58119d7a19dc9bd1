package desired

// Policies are permissions for what is done to a remote object. The zero value permits
// nothing: the object is only observed.
type Policies struct {
	// Manage permits changes of the object at all. A resource without it owns no object, so it
	// may observe one that another resource owns. The other permissions require it.
	Manage bool
	// Create permits creating the object.
	Create bool
	// Delete permits destroying the object of a deleted resource, and objects that were
	// replaced (deposed objects).
	Delete bool
	// Replace permits destroying the object and creating it again.
	Replace bool
	// ReplaceTainted permits replacing a tainted object, if Replace is set too. Without it, a
	// tainted object stays until a person decides.
	ReplaceTainted bool
}

// FullControl returns Policies that permit everything.
func FullControl() Policies {
	return Policies{Manage: true, Create: true, Delete: true, Replace: true, ReplaceTainted: true}
}
