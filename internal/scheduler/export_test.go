package scheduler

// MakesSecrets is makesSecrets.
var MakesSecrets = makesSecrets
