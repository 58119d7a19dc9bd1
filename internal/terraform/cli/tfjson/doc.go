// Package tfjson writes configurations in the JSON syntax of the languages of Terraform and
// OpenTofu.
//
// In: schemas, and values of them. Out: what encoding/json makes JSON of. It never knows about
// files and programs, and whether a provider likes the values.
package tfjson
