package explain_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

var now = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// cluster is a resource that is ready, with all that it depends on.
const cluster = `
apiVersion: open.landbridge.io/v1alpha1
kind: Thing
metadata: {namespace: team-a, name: db, uid: "1", generation: 1, creationTimestamp: "2026-01-02T15:00:00Z"}
spec:
  forProvider: {name: db}
  providerConfigRef: {kind: ClusterProviderConfig, name: default}
status:
  state: Full
  observedGeneration: 1
  conditions:
  - {type: Ready, status: "True", reason: Available, lastTransitionTime: "2026-01-02T15:00:02Z"}
  - {type: Synced, status: "True", reason: ReconcileSuccess, lastTransitionTime: "2026-01-02T15:00:02Z"}
---
apiVersion: open.landbridge.io/v1alpha1
kind: ClusterProviderConfig
metadata: {name: default, generation: 1, creationTimestamp: "2026-01-02T15:00:00Z"}
spec: {tokenSecretRef: {namespace: team-a, name: token, key: token}}
status:
  observedGeneration: 1
  users: 1
  conditions:
  - {type: Ready, status: "True", reason: Available, lastTransitionTime: "2026-01-02T15:00:02Z"}
---
apiVersion: v1
kind: Secret
metadata: {namespace: team-a, name: token}
---
apiVersion: landbridge.io/v1alpha1
kind: TerraformProvider
metadata: {name: open, generation: 1, creationTimestamp: "2026-01-02T15:00:00Z"}
spec: {source: example/open}
status:
  observedGeneration: 1
  sandbox: Enforced
  conditions:
  - {type: Installed, status: "True", reason: Installed, lastTransitionTime: "2026-01-02T15:00:02Z"}
  - {type: Healthy, status: "True", reason: Healthy, lastTransitionTime: "2026-01-02T15:00:02Z"}
  - {type: Ready, status: "True", reason: Available, lastTransitionTime: "2026-01-02T15:00:02Z"}
`

func objects(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for document := range strings.SplitSeq(text, "\n---\n") {
		raw, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(raw); err != nil {
			t.Fatal(err)
		}
		out = append(out, u)
	}
	return out
}

func lease(name, holder string, renewed time.Duration) coordinationv1.Lease {
	l := coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}
	l.Spec.LeaseDurationSeconds, l.Spec.RenewTime = ptr.To[int32](15), ptr.To(metav1.NewMicroTime(now.Add(-renewed)))
	if holder != "" {
		l.Spec.HolderIdentity = ptr.To(holder + "_5d1e")
	}
	return l
}

// world is a snapshot that a fault changes.
type world struct{ *explain.Snapshot }

func newWorld(t *testing.T) world {
	return world{&explain.Snapshot{
		At: now, Subject: explain.Key{Group: "open.landbridge.io", Kind: "Thing", Namespace: "team-a", Name: "db"},
		Objects: objects(t, strings.TrimPrefix(cluster, "\n")), System: "landbridge-system",
		Owners: map[string]string{"Thing.open.landbridge.io": "open", "ClusterProviderConfig.open.landbridge.io": "open"},
		Leases: []coordinationv1.Lease{lease("landbridge.landbridge.io", "landbridge-0", time.Second)},
	}}
}

const (
	thing = iota
	config
	secret
	provider
)

// set sets conditions of an object, given as TYPE STATUS REASON MESSAGE.
func (w world) set(object int, conditions ...string) world {
	u := w.Objects[object]
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		parts := append(strings.SplitN(c, " ", 4), "")
		list = slices.DeleteFunc(list, func(x any) bool { return x.(map[string]any)["type"] == parts[0] })
		list = append(list, map[string]any{
			"type": parts[0], "status": parts[1], "reason": parts[2], "message": parts[3],
			"lastTransitionTime": "2026-01-02T15:03:00Z",
		})
	}
	_ = unstructured.SetNestedSlice(u.Object, list, "status", "conditions")
	return w
}

// put sets a field of an object.
func (w world) put(object int, value any, path ...string) world {
	_ = unstructured.SetNestedField(w.Objects[object].Object, value, path...)
	return w
}

func (w world) deleting(object int) world {
	return w.put(object, "2026-01-02T15:02:00Z", "metadata", "deletionTimestamp")
}

// without removes an object.
func (w world) without(object int) world {
	w.Objects = slices.Delete(w.Objects, object, object+1)
	return w
}

func (w world) about(object int) world {
	u := w.Objects[object]
	gvk := u.GroupVersionKind()
	w.Subject = explain.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
	return w
}

func (w world) event(reason, message string, count int32) world {
	w.Events = append(w.Events, corev1.Event{
		Reason: reason, Message: message, Count: count,
		FirstTimestamp: metav1.NewTime(now.Add(-2 * time.Minute)), LastTimestamp: metav1.NewTime(now.Add(-10 * time.Second)),
	})
	return w
}

// fault is what the controller leaves in a row of docs/faults.md, and what explain must say of it.
type fault struct {
	left    func(world) world
	health  status.Health
	cause   string // beginning of the name of the node that is the cause; "" if there is none
	command string // beginning of the command that helps; "" if there is none
}

const db = "Thing team-a/db"

func retrying(reason, message string) func(world) world {
	return func(w world) world {
		return w.set(thing, "Synced False "+reason+" "+message, "Reconciling True "+reason+" "+message)
	}
}

func stalled(reason, message string) func(world) world {
	return func(w world) world {
		return w.set(thing, "Synced False "+reason+" "+message, "Stalled True "+reason+" "+message)
	}
}

func unchanged(w world) world { return w }

const (
	retryDB = "landbridge retry thing.open.landbridge.io/db -n team-a"
	logsDB  = "landbridge logs thing.open.landbridge.io/db -n team-a"
	editDB  = "kubectl edit thing.open.landbridge.io/db -n team-a"
)

// ready is of rows after which resources are as they were.
var ready = fault{unchanged, status.Ready, "", ""}

// creating is of a resource without an object yet.
func creating(left func(world) world) func(world) world {
	return func(w world) world {
		return left(w).put(thing, "Empty", "status", "state").set(thing, "Ready False Creating")
	}
}

// operation is of a resource with a running operation.
func operation(kind string) func(world) world {
	return func(w world) world {
		if w = w.put(thing, map[string]any{
			"kind": kind, "startedAt": "2026-01-02T15:03:00Z", "deadline": "2026-01-02T16:03:00Z",
		}, "status", "operation"); kind == "Delete" {
			return w.deleting(thing).set(thing, "Ready False Deleting")
		}
		return w.put(thing, "Empty", "status", "state").set(thing, "Ready False Creating")
	}
}

// unknown is of a create whose outcome is not known, with what is added to the message.
func unknown(more string) func(world) world {
	return creating(stalled("CreateOutcomeUnknown", `observe failed: Create outcome unknown: A create (operation 0a1b) was interrupted, and it is unknown whether it made a remote object. `+
		`Look for the object. If it exists, adopt it with spec.import; if it does not, set the annotation landbridge.io/confirm-create to "0a1b".`+more))
}

const (
	nextAttempt    = "\nThe next attempt is at 2026-01-02T15:05:05Z."
	soon           = "\nThe next attempt is within seconds."
	destroyedAgain = "observe failed: Object not visible yet: The remote object was made a short time ago, and its " +
		"API may not have shown it when its destruction was requested. " +
		"It is destroyed again until the time for that is over."
	invisible = "observe failed: Object not visible yet: The remote object was made a short time ago, and its API does not show it. " +
		"It is looked at again, and nothing is done to it until it is visible or the time for that is over."
	awaited = `observe failed: Create outcome unknown: A create (operation 0a1b) was interrupted; its object does not exist, but may still appear until 2026-01-02T15:14:00Z. ` +
		`If you know that there will be none, set the annotation landbridge.io/confirm-create to "0a1b".`
	exists = `update failed: Object already exists: A remote object with the identity of the one to create exists, and no resource of this cluster manages it; it is not changed. ` +
		`If the provider is mistaken and there is none, set spec.lifecycle.existenceCheck to Never. To take it over, set spec.import to {"identity":{"id":"db"}}`

	watchDB   = "landbridge explain thing.open.landbridge.io/db -n team-a --watch"
	confirmDB = "kubectl annotate thing.open.landbridge.io/db -n team-a landbridge.io/confirm-create=0a1b"
	adoptDB   = `kubectl patch thing.open.landbridge.io/db -n team-a --type=merge -p '{"spec":{"import":{"identity":{"id":"db"}}}}'`
)

// faults are the rows of docs/faults.md, by their first cells. Where a row has several outcomes,
// they are told apart by what is added to its cell.
var faults = map[string]fault{
	"does not start, or crashes": {
		retrying("ProviderUnavailable", "connect failed: Failed to start provider: the provider ended: panic: out of luck"+nextAttempt),
		status.Retrying, "provider process", logsDB,
	},
	"crashes twice while it works on one resource alone, and works for others": {
		stalled("ProviderCrashes", "connect failed: Provider crashes at this resource: The provider's process has "+
			"crashed 2 times while it worked on this resource alone, and works for others. "+
			"Change the resource, or use another version of the provider."),
		status.Failed, db, retryDB,
	},
	"starts slowly": {
		retrying("ProviderUnavailable", "connect failed: Provider is not ready: The provider is starting."+soon),
		status.Retrying, "provider process", logsDB,
	},
	"hangs during its installation": {
		func(w world) world {
			return w.set(provider, "Installed False ProviderNotRunning The provider did not start within 1m0s.",
				"Healthy False ProviderNotRunning The provider did not start within 1m0s.",
				"Ready False ProviderNotRunning The provider did not start within 1m0s.",
				"Reconciling True ProviderNotRunning The provider did not start within 1m0s.").about(provider)
		},
		status.Retrying, "TerraformProvider open",
		"kubectl annotate --overwrite terraformprovider.landbridge.io/open landbridge.io/reconcile-requested-at=",
	},
	"does not answer a call in time (`--reconcile-timeout` for reads and plans, the operation's own timeout otherwise)": {
		func(w world) world {
			return retrying("ReconcileError", "observe failed: the provider did not answer within 2m0s")(w).
				event("CannotObserveExternalResource", "The provider did not answer within 2m0s.", 3)
		},
		status.Retrying, db, retryDB,
	},
	"does not answer anything any more": {
		retrying("ProviderUnavailable", "connect failed: Provider hangs: The provider does not answer anything any "+
			"more, and was killed."+soon), status.Retrying, "provider process", logsDB,
	},
	"does not answer three calls in a row in time": {
		retrying("ProviderUnavailable", "connect failed: Provider hangs: 3 calls in a row were not answered in "+
			"time. It, or what it talks to, hangs."+soon), status.Retrying, "provider process", logsDB,
	},
	"uses more memory than its limit": {
		retrying("ProviderUnavailable", "connect failed: Provider needs too much memory: The provider's process "+
			"held 3072 MiB of memory, where 2048 MiB is its limit, and was ended. Raise the limit if "+
			"it needs as much."+soon),
		status.Retrying, "provider process",
		`kubectl patch terraformprovider.landbridge.io/open --type=merge -p '{"spec":{"limits":{"memory":"4096Mi"}}}'`,
	},
	"writes too much to its log": ready,
	"is throttled by its cloud": {
		retrying("ProviderThrottled", "connect failed: Provider is throttled: The provider reported that too many "+
			"requests are made with this provider configuration. It goes on, at a lower rate, at "+
			"2026-01-02T15:05:05Z."),
		status.Retrying, "provider process", logsDB,
	},
	"is throttled by its cloud | its own limit": {
		retrying("ProviderThrottled", "connect failed: Provider is throttled: As much is done with this provider "+
			"configuration as its limit of calls per second allows."),
		status.Retrying, "provider process", "kubectl edit terraformprovider.landbridge.io/open",
	},
	"is configured with credentials that its cloud rejects, or with an endpoint that cannot be reached | the first resource": {
		retrying("ReconcileError", "observe failed: Cannot read: 401 Unauthorized"), status.Retrying, db, retryDB,
	},
	"is configured with credentials that its cloud rejects, or with an endpoint that cannot be reached | the others": {
		retrying("ProviderUnavailable", `connect failed: Provider configuration does not work: Calls with this provider configuration fail: credentials rejected ("401 Unauthorized"). `+
			"One resource at a time tries it again, and all others go on when it works."+nextAttempt),
		status.Retrying, "ClusterProviderConfig default", "kubectl edit clusterproviderconfig.open.landbridge.io/default",
	},
	"is configured with credentials that its cloud rejects, or with an endpoint that cannot be reached | as it starts": {
		func(w world) world {
			w = retrying("ProviderUnavailable", "401 Unauthorized"+nextAttempt)(w)
			return w.set(config, "Ready False ProviderUnavailable 401 Unauthorized", "Reconciling True ProviderUnavailable 401 Unauthorized")
		},
		status.Retrying, "provider process", logsDB,
	},
	"[defers](contract.md) what it is asked, because arguments or settings of its configuration are " +
		"not known yet, or because something does not exist yet": {
		retrying("Deferred", "The provider needs something that does not exist yet."), status.Waiting, db,
		"kubectl annotate --overwrite thing.open.landbridge.io/db -n team-a landbridge.io/reconcile-requested-at=",
	},
	"wants to change what it has just applied itself, at each look | an update": {
		func(w world) world {
			return w.set(thing, "NeverSettles True UpdateRepeats 4 updates since 2026-01-02T14:00:00Z have not made "+
				"the remote object as declared: spec.forProvider.value is \"b\" and should be \"B\". "+
				"Set these fields to the values that the provider returns, or list them in "+
				"spec.lifecycle.ignoreChanges. The next update is at 2026-01-02T15:05:05Z.")
		},
		status.Ready, "", editDB,
	},
	"wants to change what it has just applied itself, at each look | a replacement": {
		func(w world) world {
			return stalled("NeverSettles", "update failed: Object not replaced: The object was made with this configuration.")(w).
				set(thing, "NeverSettles True ReplacementRepeats The remote object is kept, since its successor "+
					"would have to be replaced likewise: spec.forProvider.value is \"b\" and should be \"B\".")
		},
		status.Failed, db, editDB,
	},
	"wants to change what it has just applied itself, at each look | an object of a module": {
		func(w world) world {
			return stalled("NeverSettles", "update failed: Object not replaced: open_thing.a was made with this "+
				"configuration, and would be replaced again and again.")(w).
				set(thing, "NeverSettles True ReplacementRepeats The objects are kept, since their successors would "+
					"have to be replaced likewise: open_thing.a, where value is \"b\" and should be \"B\". "+
					"In the module, set these arguments to the values that the provider returns, or add "+
					"ignore_changes = [value] to lifecycle in the block of open_thing.a.")
		},
		status.Failed, db, retryDB,
	},
	"creates an object, and cannot read it: it answers with a warning, or with none of the values that it chooses": {
		func(w world) world {
			return retrying("ReconcileError", "observe failed: Cannot read open_thing: 503 Service Unavailable."+nextAttempt)(w).
				set(thing, "Ready False Unavailable The remote object is Partial: it has not been read completely since it was created, or untainted.")
		},
		status.Retrying, db, retryDB,
	},
	"returns another identity of an object than before, though identities of its type do not change": {
		stalled("UnexpectedIdentityChange", "observe failed: Unexpected Identity Change: During the read operation, "+
			"the Terraform Provider unexpectedly returned a different identity than the previously stored one."),
		status.Failed, db, "landbridge state forget-identity thing.open.landbridge.io/db -n team-a",
	},
	"creates an object without an error, but not as planned": {
		func(w world) world {
			return stalled("InconsistentResult", "update failed: Object not replaced: The provider has made the "+
				"object without an error, but not as planned.")(w).
				set(thing, "Ready False Tainted")
		},
		status.Failed, db, "landbridge untaint thing.open.landbridge.io/db -n team-a",
	},
	"creates an object without an error, but not as planned | in a module": {
		func(w world) world {
			return stalled("InconsistentResult", "update failed: Objects not replaced: The provider has made these "+
				"objects of the module without an error, but not as planned, so they are tainted, and others would "+
				"be the same: open_thing.a.")(w).
				set(thing, "Ready False Tainted")
		},
		status.Failed, db, retryDB,
	},
	"returns what Terraform's rules forbid | a create without an object": {unknown(""), status.Failed, db, confirmDB},
	"returns what Terraform's rules forbid | an update": {
		retrying("ReconcileError", "update failed: Provider produced inconsistent result after apply: "+
			"spec.forProvider.value: was a, but now b."+nextAttempt), status.Retrying, db, retryDB,
	},

	"has an identity that the provider plans, or that consists of arguments of the same names | it exists before": {
		creating(stalled("AlreadyExists", exists)), status.Failed, db, adoptDB,
	},
	"has an identity that the provider plans, or that consists of arguments of the same names | it is not found yet": {
		creating(retrying("NotVisibleYet", awaited)), status.Retrying, db, watchDB,
	},
	"has an identity that the provider plans, or that consists of arguments of the same names | it may have existed before": {
		unknown(` Object found: A remote object exists, but it is unknown whether the interrupted create made it. If it is the one, set spec.import to {"identity":{"id":"db"}}`),
		status.Failed, db, adoptDB,
	},
	"has an identity that the [configuration maps](configuration.md#identities) to arguments": {
		unknown(" Object not found: The object was not found by what the provider's configuration says about it, " +
			"which no other object has confirmed yet."), status.Failed, db, confirmDB,
	},
	"has an [external name](configuration.md#external-names) that is an argument, and an `importID`": {
		creating(stalled("CreateOutcomeUnknown", awaited)), status.Failed, db, confirmDB,
	},
	"has a [create token](configuration.md#create-tokens) in the configuration": {operation("Create"), status.Changing, db, watchDB},
	"has a list resource, and [`listRecovery`](configuration.md#recovery-by-listing) in the configuration": {
		unknown(" Object not listed: The objects were listed at 2026-01-02T15:03:00Z, and none is new since the " +
			"create began that no resource manages."), status.Failed, db, confirmDB,
	},
	"none of these": {unknown(""), status.Failed, db, confirmDB},
	"none of these | in a module": {
		creating(stalled("CreateOutcomeUnknown", `observe failed: Create outcome unknown of open_thing.first: A create (operation 0a1b) was interrupted, and it is unknown whether open_thing.first was created. `+
			`Look for the object. If it exists, delete it, because nothing refers to it. Then set the annotation landbridge.io/confirm-create to "0a1b".`)),
		status.Failed, db, confirmDB,
	},

	"nothing, a change, or a replacement":                          {retrying("NotVisibleYet", invisible), status.Retrying, db, watchDB},
	"a deletion, and a read has found the object since its create": {operation("Delete"), status.Changing, db, watchDB},
	"a deletion with `landbridge.io/delete-without-refresh`, and no read has found it yet": {
		func(w world) world {
			return retrying("NotVisibleYet", destroyedAgain)(w).deleting(thing).set(thing, "Ready False Deleting")
		}, status.Retrying, db, watchDB,
	},
	"a deletion, and no read has found it yet": {
		func(w world) world {
			return retrying("NotVisibleYet", invisible)(w).deleting(thing).set(thing, "Ready False Deleting")
		}, status.Retrying, db, watchDB,
	},
	"the replaced object of a replacement that creates first": {
		func(w world) world {
			return retrying("ReconcileError", "update failed: Replaced object not visible yet: The object that was "+
				"replaced was made a short time ago, and its API does not show it. It is destroyed as soon "+
				"as it is visible.")(w).
				put(thing, []any{map[string]any{"key": "0a1b2c3d"}}, "status", "deposed")
		},
		status.Retrying, db, watchDB,
	},
	"the object of an interrupted create with an identity": {creating(retrying("NotVisibleYet", awaited)), status.Retrying, db, watchDB},

	"it cannot be reached, or does not answer": {
		func(w world) world {
			w.Leases = nil
			w.LeasesUnread = "Whether it runs is not known: the server is currently unable to handle the request"
			return w
		},
		status.Ready, "", "",
	},
	"the lease cannot be renewed": {
		func(w world) world {
			w.Leases = []coordinationv1.Lease{lease("landbridge.landbridge.io", "landbridge-0", time.Minute)}
			return w.put(thing, int64(2), "metadata", "generation")
		},
		status.Unseen, "controller", "kubectl get pods -n landbridge-system",
	},
	"the lease cannot be renewed | what has failed is not tried again": {
		func(w world) world {
			w.Leases = []coordinationv1.Lease{lease("landbridge.landbridge.io", "landbridge-0", time.Minute)}
			return retrying("ReconcileError", "observe failed: Cannot read: no quota"+nextAttempt)(w)
		},
		status.Retrying, "controller", "kubectl get pods -n landbridge-system",
	},
	"the lease cannot be renewed | an operation has no controller": {
		func(w world) world {
			w.Leases = []coordinationv1.Lease{lease("landbridge.landbridge.io", "landbridge-0", time.Minute)}
			return operation("Create")(w)
		},
		status.Changing, "controller", "kubectl get pods -n landbridge-system",
	},
	"writes conflict": ready,
	"a state is larger than a Secret may be": {
		stalled("StateTooLarge", "update failed: State too large: The state is too large to be stored."), status.Failed, db, editDB,
	},
	"a status is lost": {
		func(w world) world { return w.put(thing, map[string]any{}, "status") }, status.Unseen, db, logsDB,
	},
	"the stored state of an object is lost": {
		creating(stalled("AlreadyExists", exists)), status.Failed, db, adoptDB,
	},
	"a namespace is restored from a backup": ready,
	"etcd is restored from a backup": {
		creating(stalled("AlreadyExists", exists)), status.Failed, db, adoptDB,
	},

	"a CRD is deleted": {operation("Delete"), status.Changing, db, watchDB},
	"a `TerraformProvider` is deleted | it waits for resources": {
		func(w world) world {
			const says = "The provider is removed when the resources that are being deleted are gone: 3."
			return w.deleting(provider).set(provider, "Healthy True Healthy "+says).about(provider)
		},
		status.Changing, "TerraformProvider open", "kubectl get managed -A",
	},
	"a `TerraformProvider` is deleted | its resources": {
		func(w world) world {
			return w.without(provider).set(thing, "Synced False NoController The TerraformProvider open was deleted.",
				"Ready Unknown NoController", "Stalled True NoController The TerraformProvider open was deleted.")
		},
		status.Failed, "TerraformProvider open", "kubectl get terraformproviders,terraformmodules",
	},
	"a namespace is deleted": {
		func(w world) world { return operation("Delete")(w).without(secret) }, status.Changing, db, watchDB,
	},
	"a provider configuration is deleted": {
		func(w world) world { return w.deleting(config).about(config) }, status.Changing,
		"ClusterProviderConfig default", "kubectl get managed -A",
	},
	"`spec.providerConfigRef` comes to name a configuration for another account": {
		stalled("AccountChanged", "observe failed: Account changed: The remote object is in the account of "+
			"ClusterProviderConfig dev, and spec.providerConfigRef names "+
			`ClusterProviderConfig default, so nothing is done in either. Name the former one again, or set the annotation landbridge.io/confirm-account to "default": `+
			"the resource is for the new account then, and the object stays where it is."),
		status.Failed, db, editDB,
	},
	"arguments of a provider configuration are changed, such as its endpoint, or it is deleted and created again with others": {
		stalled("AccountChanged", "observe failed: Account changed: The arguments of ClusterProviderConfig default "+
			"have changed, and the object is not found, so nothing is done. "+
			`Change them back, or set the annotation landbridge.io/confirm-account to "default@0a1b2c3d": on the configuration if it is for the same account, `+
			"on this resource if it is for another one, and the object stays where it is."),
		status.Failed, db, editDB,
	},
	"a Secret with credentials is deleted | a deletion waits": {
		func(w world) world {
			const says = "there is no Secret token in namespace team-a"
			w = retrying("ProviderConfigError", says)(w).deleting(thing).set(thing, "Ready False Deleting")
			return w.set(config, "Ready False ProviderConfigError "+says, "Reconciling True ProviderConfigError "+says).without(secret)
		},
		status.Waiting, "Secret team-a/token", "kubectl create secret generic token -n team-a --from-file=token=FILE",
	},
	"a Secret with credentials is deleted": {
		func(w world) world {
			const says = "there is no Secret token in namespace team-a"
			w = retrying("ProviderConfigError", says)(w)
			return w.set(config, "Ready False ProviderConfigError "+says, "Reconciling True ProviderConfigError "+says).without(secret)
		},
		status.Waiting, "Secret team-a/token", "kubectl create secret generic token -n team-a --from-file=token=FILE",
	},
}

var row = regexp.MustCompile(`(?m)^\| ([^|]+) \|`)

// headings are the first cells of the heads of tables.
var headings = []string{"the provider", "behaviour", "the resource type", "what is asked for", "fault", "action"}

// rowsOf returns the first cells of all tables of docs/faults.md.
func rowsOf(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	heads := 0
	var out []string
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		if cell := strings.TrimSpace(m[1]); slices.Contains(headings, cell) {
			heads++
		} else {
			out = append(out, cell)
		}
	}
	if heads != len(headings) {
		t.Errorf("docs/faults.md has %d of the tables %v", heads, headings)
	}
	return out
}

// rowOf returns the row that a fault is of.
func rowOf(name string) string { row, _, _ := strings.Cut(name, " | "); return row }

// Each row of docs/faults.md is explained, and nothing else.
func TestFaultsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for name := range faults {
		have[rowOf(name)] = true
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(rowsOf(t))), slices.Sorted(maps.Keys(have))); diff != "" {
		t.Errorf("-docs/faults.md, +test:\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	var all strings.Builder
	for _, row := range rowsOf(t) {
		for _, name := range slices.Sorted(maps.Keys(faults)) {
			if rowOf(name) != row {
				continue
			}
			e := explain.Explain(faults[name].left(newWorld(t)).Snapshot)
			fmt.Fprintf(&all, "=== %s\n\n%s\n", name, e.Text())
			check(t, name, e, faults[name])
		}
	}
	golden.Check(t, "faults.txt", []byte(all.String()))
}

func check(t *testing.T, name string, e explain.Explanation, want fault) {
	t.Helper()
	cause := ""
	if c := e.Tree.TheCause(); c != nil {
		cause = c.Name
	}
	if e.Health != want.health || !strings.HasPrefix(cause, want.cause) || (want.cause == "") != (cause == "") ||
		!strings.HasPrefix(e.Help.Command, want.command) || (want.command == "") != (e.Help.Command == "") {
		t.Errorf("%s: want %s, cause %q, command %q; got %s, cause %q:\n%s", name, want.health, want.cause,
			want.command, e.Health, cause, e.Text())
	}
}
