// Package upgrades tries whether landbridge upgrade preview tells the truth.
//
// In: two releases of a provider with planted breakages (package planted), and an API server in
// which the controller has made resources with the first one. Out: which planted breakages the
// preview finds, what it reports that is not planted, and what was written meanwhile, counted by a
// proxy before the API server and by the provider.
package upgrades
