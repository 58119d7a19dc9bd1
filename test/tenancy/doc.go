// Package tenancy attacks Landbridge as those would who are not trusted with it: a tenant with the
// role edit in one namespace, the author of a module or of a state, a program with the controller's
// token, and a pod that reaches a webhook.
//
// In: a table of attacks (attacks in the tests), each with its attacker, its means, and the
// expected refusal. Out: one line for each, and the closing line "tenancy: N attacks, N refused, 0
// succeeded". An attack that succeeds, or that is not decided, fails the run. So does one whose
// control fails: the same means, used by a user who may use them, must succeed, or the refusal
// would prove nothing.
//
// The API server, its RBAC, the users, the controller and the providers are real. It is a separate
// module, so that "go test ./..." in the root does not run it: `make tenancy` does.
package tenancy
