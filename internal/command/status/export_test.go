package status

// AdoptionOf is adopt.
var AdoptionOf = adopt
