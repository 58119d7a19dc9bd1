package ownership

// SetManyClaims changes the number of claims above which they are looked up in maps, and returns a
// function that restores it.
func SetManyClaims(n int) (restore func()) {
	before := manyClaims
	manyClaims = n
	return func() { manyClaims = before }
}
