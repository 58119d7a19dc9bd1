// Package controller puts the controllers together: for TerraformProvider objects, for the
// kinds of managed resources that those activate, and for provider configurations.
//
// In: a cluster and Options. Out: Run, which works until it is told to stop and then leaves
// in order: no new operations, providers told to stop, answers waited for and recorded. The
// controllers themselves are in the packages below; nothing here looks at a resource.
package controller
