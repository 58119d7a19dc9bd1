// Package hcloudtest is an HTTP server that speaks a part of the Hetzner Cloud
// API: locations, SSH keys, and volumes with the asynchronous actions that
// create and change them.
//
// In goes how long an action takes; out come an endpoint and a token for the
// real hcloud provider, and then what the provider asked for and what it left
// behind. Its answers follow the published API (codes, statuses, errors); it
// keeps everything in memory and never reaches any network but loopback.
package hcloudtest
