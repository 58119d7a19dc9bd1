package cli

// FindWithin is Find with another patience.
var FindWithin = find
