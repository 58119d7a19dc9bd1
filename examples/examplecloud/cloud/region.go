package cloud

// Regions are the regions that objects can live in.
var Regions = []string{"us-east-1", "us-west-2", "eu-central-1"}
