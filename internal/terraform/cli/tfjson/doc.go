// Package tfjson writes configurations in the JSON syntax of the languages of Terraform and
// OpenTofu.
//
// In: schemas and their values. Out: values that encoding/json encodes. It never reads or writes
// files, runs programs, or validates values.
package tfjson
