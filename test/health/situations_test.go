package health_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// What tools compute.
var (
	healthy    = verdicts{"Current", "Healthy", "Current"}
	inProgress = verdicts{"InProgress", "Progressing", "InProgress"}
	failing    = verdicts{"InProgress", "Degraded", "InProgress"} // it is tried again
	failed     = verdicts{"Failed", "Degraded", "Failed"}
	waiting    = verdicts{"InProgress", "Suspended", "InProgress"} // for a person
)

// object is the type of objects in situations.
type object = *unstructured.Unstructured

// running returns whether an operation runs.
func running(kind string) func(object) bool {
	return func(u object) bool { return text(u, "status", "operation", "kind") == kind }
}

// because returns whether Synced is False for a reason.
func because(reason string) func(object) bool {
	return func(u object) bool {
		status, why, _ := objecttest.Condition(u, "Synced")
		return status == "False" && why == reason
	}
}

// lastFailed returns whether the last operation failed.
func lastFailed(u object) bool {
	status, _, _ := objecttest.Condition(u, "LastAsyncOperation")
	return status == "False"
}

// unready returns whether Ready is not True for a reason.
func unready(reason string) func(object) bool {
	return func(u object) bool {
		status, why, _ := objecttest.Condition(u, "Ready")
		return status != "True" && why == reason
	}
}

func isReady(u object) bool { return objecttest.IsTrue(u, "Ready") && objecttest.Current(u) }

const (
	slow       = "polite 10m" // ends when the controller stops
	slowDelete = "slow 15s"
	change     = `{"spec":{"forProvider":{"value":"b"}}}`
)

var situations = map[string]situation{
	"creating": {
		bring: func(t *testing.T, x *world) object {
			x.order(t, open, slow)
			return x.created(t, x.thing(open, nil))
		},
		is: running("Create"), want: inProgress, never: "Current",
	},
	"ready": {
		bring: func(t *testing.T, x *world) object { return x.created(t, x.thing(open, nil)) },
		is:    isReady, want: healthy, never: "Failed",
	},
	"updating": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(open, nil))
			x.order(t, open, slow)
			return x.patch(t, u, change)
		},
		is: running("Update"), want: inProgress, never: "Current",
	},
	"updated": {
		bring: func(t *testing.T, x *world) object {
			return x.patch(t, x.ready(t, x.thing(open, nil)), change)
		},
		is: func(u object) bool { return text(u, "status", "atProvider", "value") == "b" && isReady(u) }, want: healthy, never: "Failed",
	},
	"replacing": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(open, nil))
			x.order(t, open, slowDelete)
			return x.patch(t, u, `{"spec":{"forProvider":{"name":"`+x.name+`-b"}}}`)
		},
		is: running("Delete"), want: inProgress, never: "Current",
	},
	"update failed, tried again": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(open, nil))
			x.order(t, open, "always fail")
			return x.patch(t, u, change)
		},
		is: lastFailed, want: failing, never: "Current",
	},
	"create failed, tried again": {
		bring: func(t *testing.T, x *world) object {
			x.order(t, open, "always fail")
			return x.created(t, x.thing(open, nil))
		},
		is: lastFailed, want: failing, never: "Current",
	},
	"create can never succeed": {
		bring: func(t *testing.T, x *world) object {
			x.order(t, open, "always half")
			return x.created(t, x.thing(open, nil))
		},
		is: because("CreateAttemptsExhausted"), want: failed, never: "Current",
	},
	"provider refuses the spec": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, x.thing(open, m{"forProvider": m{"value": "invalid"}}))
		},
		is: because("InvalidConfiguration"), want: failed, never: "Current",
	},
	"provider refuses a changed spec": {
		bring: func(t *testing.T, x *world) object {
			return x.patch(t, x.ready(t, x.thing(open, nil)), `{"spec":{"forProvider":{"value":"invalid"}}}`)
		},
		is: because("InvalidConfiguration"), want: failed, never: "Current",
	},
	"corrected after a refusal": {
		bring: func(t *testing.T, x *world) object {
			u := x.created(t, x.thing(open, m{"forProvider": m{"value": "invalid"}}))
			x.WaitFor(t, u, "stalled", func() bool { return objecttest.IsTrue(u, "Stalled") })
			return x.patch(t, u, change)
		},
		is: isReady, want: healthy, never: "",
	},
	"plan refused": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(open, m{"lifecycle": m{"replacePolicy": "Never"}}))
			return x.patch(t, u, `{"spec":{"forProvider":{"name":"`+x.name+`-b"}}}`)
		},
		is: because("ReplaceRefused"), want: failed, never: "Current",
	},
	"create awaits approval": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, x.thing(open, m{"lifecycle": m{"approvalPolicy": "Always"}}))
		},
		is: because("AwaitingApproval"), want: waiting, never: "Current",
	},
	"update awaits approval": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(open, nil))
			return x.patch(t, u, `{"spec":{"forProvider":{"value":"b"},"lifecycle":{"approvalPolicy":"Always"}}}`)
		},
		is: because("AwaitingApproval"), want: waiting, never: "Current",
	},
	"conflict": {
		bring: func(t *testing.T, x *world) object {
			x.ready(t, x.of("Place", open, x.name, nil))
			return x.created(t, x.of("Place", open, x.name+"-second", nil))
		},
		is: because("IdentityConflict"), want: failed, never: "Current",
	},
	"waits for a reference": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, x.thing(open, m{"references": []any{m{"to": "forProvider.value", "from": m{"kind": "Thing", "name": "missing"}}}}))
		},
		is: because("ReferenceNotResolved"), want: inProgress, never: "Current",
	},
	"waits for a Secret": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, x.thing(open, m{"forProvider": m{"passwordSecretRef": m{"name": "missing", "key": "password"}}}))
		},
		is: because("InvalidConfiguration"), want: inProgress, never: "Current",
	},
	"waits for its provider configuration": {
		bring: func(t *testing.T, x *world) object { return x.created(t, x.configured()) },
		is:    because("ProviderConfigError"), want: inProgress, never: "Current",
	},
	"refers to a field that the kind lacks": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, x.thing(open, m{
				"references": []any{m{
					"to":   "forProvider.value",
					"from": m{"kind": "Thing", "name": "missing", "fieldPath": "status.atProvider.valeu"},
				}},
			}))
		},
		is: because("ReferenceNotResolved"), want: failed, never: "Current",
	},
	"interrupted": {
		bring: func(t *testing.T, x *world) object {
			x.order(t, stopped, slow) // an interrupt waits for the other operations of its process
			u := x.created(t, x.thing(stopped, nil))
			x.WaitFor(t, u, "creating", func() bool { return running("Create")(u) })
			return x.patch(t, u, `{"metadata":{"annotations":{"landbridge.io/interrupt":"1"}}}`)
		},
		is: because("Interrupted"), want: failed, never: "Current",
	},
	"paused": {
		bring: func(t *testing.T, x *world) object {
			return x.patch(t, x.ready(t, x.thing(open, nil)), `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
		},
		is: because("ReconcilePaused"), want: verdicts{"Current", "Suspended", "Current"}, never: "Failed",
	},
	"paused with a changed spec": {
		bring: func(t *testing.T, x *world) object {
			u := x.patch(t, x.ready(t, x.thing(open, nil)), `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
			x.WaitFor(t, u, "paused", func() bool { return because("ReconcilePaused")(u) })
			return x.patch(t, u, change)
		},
		is: because("ReconcilePaused"), want: waiting, never: "Current",
	},
	"deleting": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(open, nil))
			x.order(t, open, slowDelete)
			return x.deleted(t, u)
		},
		is:   func(u object) bool { return u.GetDeletionTimestamp() != nil },
		want: verdicts{"Terminating", "Progressing", "InProgress"}, never: "Current",
	},
	"reconcile requested": {
		bring: func(t *testing.T, x *world) object {
			return x.patch(t, x.ready(t, x.thing(open, nil)),
				`{"metadata":{"annotations":{"landbridge.io/reconcile-requested-at":"2026-01-01","crossplane.io/poll-interval":"24h"}}}`)
		},
		is:   func(u object) bool { return text(u, "status", "lastHandled", "reconcileRequestedAt") == "2026-01-01" },
		want: healthy,
	},
	"TerraformProvider is removed": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(gone, nil))
			p := x.deleted(t, x.provider(gone, nil))
			x.WaitGone(t, p)
			return u
		},
		is: because("NoController"), want: failed,
	},
	"type is not activated any more": {
		bring: func(t *testing.T, x *world) object {
			u := x.ready(t, x.thing(reduced, nil))
			x.patch(t, x.provider(reduced, nil), `{"spec":{"activate":["reduced_place"]}}`)
			return u
		},
		is: because("NoController"), want: failed,
	},
	"TerraformProvider serves its kinds": {
		bring: func(_ *testing.T, x *world) object { return x.provider(open, nil) },
		is:    isReady, want: healthy,
	},
	"TerraformProvider does not exist in a mirror": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, x.provider(x.name, m{"source": "example/" + x.name}))
		},
		is: unready("BinaryNotFound"), want: failed, never: "Current",
	},
	"TerraformProvider conflicts with another": {
		bring: func(t *testing.T, x *world) object {
			p := x.provider(guarded, nil)
			x.MustGet(t, p)
			return x.created(t, x.provider(x.name, m{"source": text(p, "spec", "source"), "activate": []any{"nothing_like_this"}}))
		},
		is: func(u object) bool { return !objecttest.IsTrue(u, "Healthy") && objecttest.Current(u) }, want: failed, never: "Current",
	},
	"TerraformModule without a command line": {
		bring: func(t *testing.T, x *world) object {
			return x.created(t, resource(landbridge, "TerraformModule", "", x.name, m{"source": m{"directory": scratch}}))
		},
		is: unready("ExecutionUnavailable"), want: inProgress, never: "Current",
	},
	"ProviderConfig can be used": {
		bring: func(t *testing.T, x *world) object {
			x.token(t, "a right token")
			return x.created(t, x.config())
		},
		is: isReady, want: healthy, never: "Failed",
	},
	"ProviderConfig without its Secret": {
		bring: func(t *testing.T, x *world) object { return x.created(t, x.config()) },
		is:    unready("ProviderConfigError"), want: inProgress, never: "Current",
	},
	"ProviderConfig gets its Secret later": {
		bring: func(t *testing.T, x *world) object {
			u := x.created(t, x.config())
			x.WaitFor(t, u, "not ready", func() bool { return unready("ProviderConfigError")(u) })
			x.token(t, "a late token")
			return u
		},
		is: isReady, want: healthy,
	},
	"ProviderConfig is deleted while it is used": {
		bring: func(t *testing.T, x *world) object {
			x.token(t, "a token in use")
			u := x.created(t, x.config())
			x.ready(t, x.configured())
			return x.deleted(t, u)
		},
		is: unready("InUse"), want: verdicts{"Terminating", "Progressing", "InProgress"},
	},
	"ProviderConfig is refused by the provider": {
		bring: func(t *testing.T, x *world) object {
			x.token(t, "wrong")
			r, u := x.created(t, x.configured()), x.created(t, x.config())
			x.WaitFor(t, r, "refused", func() bool { return because("ProviderUnavailable")(r) })
			return x.patch(t, u, `{"metadata":{"annotations":{"landbridge.io/reconcile-requested-at":"now"}}}`)
		},
		is: unready("ProviderUnavailable"), want: inProgress,
	},
}

// unattendedSituation is one in which no controller runs.
type unattendedSituation struct {
	// prepare makes an object, while the controller runs.
	prepare func(t *testing.T, x *world) object
	// change changes it when the controller has stopped.
	change func(t *testing.T, x *world, u object)
	want   verdicts
}

var unattended = map[string]unattendedSituation{
	"new and unseen": {
		prepare: func(_ *testing.T, x *world) object { return x.thing(open, nil) },
		change:  func(t *testing.T, x *world, u object) { x.created(t, u) },
		want:    inProgress,
	},
	"TerraformProvider, new and unseen": {
		prepare: func(_ *testing.T, x *world) object { return x.provider(x.name, m{"source": "example/unseen"}) },
		change:  func(t *testing.T, x *world, u object) { x.created(t, u) },
		want:    inProgress,
	},
	"ProviderConfig, new and unseen": {
		prepare: func(_ *testing.T, x *world) object { return x.config() },
		change:  func(t *testing.T, x *world, u object) { x.created(t, u) },
		want:    inProgress,
	},
	"controller away, spec unchanged": {
		prepare: func(t *testing.T, x *world) object { return x.ready(t, x.thing(open, nil)) },
		change:  func(*testing.T, *world, object) {},
		want:    healthy,
	},
	"controller away, spec changed": {
		prepare: func(t *testing.T, x *world) object { return x.ready(t, x.thing(open, nil)) },
		change:  func(t *testing.T, x *world, u object) { x.patch(t, u, change) },
		want:    inProgress,
	},
	"controller away, deleted": {
		prepare: func(t *testing.T, x *world) object { return x.ready(t, x.thing(open, nil)) },
		change:  func(t *testing.T, x *world, u object) { x.deleted(t, u) },
		want:    verdicts{"Terminating", "Progressing", "InProgress"},
	},
}
