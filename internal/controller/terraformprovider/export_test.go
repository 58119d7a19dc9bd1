package terraformprovider

// Activated is activated.
var Activated = activated
