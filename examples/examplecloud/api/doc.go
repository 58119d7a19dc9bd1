// Package api has the JSON types of the example cloud's HTTP API: objects, the
// tasks that create and delete them, errors, faults and the audit.
//
// It has only types; package cloud serves them and package client requests them.
package api
