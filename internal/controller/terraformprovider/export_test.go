package terraformprovider

// Activated is activated.
var Activated = activated

// Taken is taken.
var Taken = taken
