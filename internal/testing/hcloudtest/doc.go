// Package hcloudtest is an HTTP server that speaks a part of the Hetzner Cloud
// API: locations, SSH keys, and volumes with the asynchronous actions that
// create and change them.
//
// In: how long an action takes. Out: an endpoint and a token for the real hcloud
// provider, the requests that it made, and the objects that exist. Answers
// follow the published API (codes, statuses, errors). Everything is kept in
// memory, and no network but loopback is ever used.
package hcloudtest
