package explain_test

import "github.com/landbridge-io/landbridge/internal/command/status"

// failing is a call that fails with an error of the cloud, and is tried again.
func failing(message string) fault {
	return fault{retrying("ReconcileError", message+nextAttempt), status.Retrying, db, retryDB}
}

// The rows about clouds show what other rows show, or an error of the cloud.
func init() {
	const inconsistent = "creates an object without an error, but not as planned"
	repeats := faults["wants to change what it has just applied itself, at each look | an update"]
	hidden := faults["nothing, a change, or a replacement"]
	for name, f := range map[string]fault{
		"`late-read`":       hidden,
		"`late-list`":       hidden,
		"`late-everywhere`": hidden,
		"`late-everywhere` | the create": failing(
			"create failed: Cannot create the thing: things/t-1 was created, but cannot be read: there is no things/t-1 (not_found, status 404)"),
		"`null-create`":        faults["none of these"],
		"`partial-create`":     failing("observe failed: Cannot read the record: service unavailable (status 503)"),
		"`late-disappearance`": ready,
		"`stale-read`":         ready,

		"`normalised-case`":                        repeats,
		"`normalised-case` | the plugin framework": faults[inconsistent],
		"`normalised-whitespace`":                  repeats,
		"`normalised-order`":                       repeats,
		"`normalised-json`":                        repeats,
		"`normalised-defaults`":                    repeats,
		"`normalised-replacement`":                 faults["wants to change what it has just applied itself, at each look | a replacement"],
		"`oscillating-values`":                     repeats,

		"`new-id`": ready,
		"`reserved-name`": failing("create failed: Cannot create the datastore: one of the same name is still being " +
			"deleted (conflict, status 409)"),
		"`throttled-with-time`": failing(
			"create failed: Cannot create the record: too many requests (Retry-After: 2) (too_many_requests, status 429)"),
		"`throttled-with-time` | the others": faults["is throttled by its cloud"],
		"`throttled-without-time`":           faults["is throttled by its cloud"],
		"`error-after-success`": faults["has an identity that the provider plans, or that consists of "+
			"arguments of the same names | it exists before"],
		"`expired-credentials`": failing(
			"create failed: Cannot create the thing: task task-1: ExpiredToken: The security token included in the " +
				"request is expired (expired_token, status 401)"),
		"`exhausted-quota`": failing("create failed: Cannot create the record: Quota exceeded for resources: 10 of " +
			"10 are in use (quota_exceeded, status 403)"),
		"`skewed-clock`": failing(
			"update failed: Cannot update the record: too many requests (Retry-After: Sat, 28 Nov 2026 03:43:48 " +
				"GMT) (too_many_requests, status 429)"),
		"`second-delete`": failing("delete failed: Cannot delete the record: it is disabled now: delete it " +
			"again to remove it (disabled, status 409)"),
		"`blocking-dependents`": failing("delete failed: Cannot delete the record: DependencyViolation: resource " +
			"has a dependent object (dependency_violation, status 409)"),
	} {
		faults[name] = f
	}
}
