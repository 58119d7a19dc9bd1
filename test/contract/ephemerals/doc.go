// Package ephemerals compares Landbridge with OpenTofu over ephemeral resources. Both open and
// close the same ephemeral resource of the same provider, which must get the same requests in the
// same order, and what both report must be the same.
//
// In: a seed and a number of cases. Out: the differences that are not deliberate. Many cases share
// one run of tofu, which is a plan: it validates, opens and closes. A renewal would need a run that
// lasts, so renewals are left to the contract's vectors.
package ephemerals
