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
		list = append(list, map[string]any{"type": parts[0], "status": parts[1], "reason": parts[2], "message": parts[3], "lastTransitionTime": "2026-01-02T15:03:00Z"})
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

// faults are the rows of docs/faults.md, by their first cells.
var faults = map[string]fault{
	"does not start, or crashes": {
		retrying("ProviderUnavailable", "connect failed: the provider ended: panic: out of luck\nThe next attempt is at 2026-01-02T15:05:05Z."),
		status.Retrying, "provider process", logsDB,
	},
	"starts slowly": {
		retrying("ProviderUnavailable", "the provider is being started.\nThe next attempt is within seconds."), status.Retrying, "provider process", logsDB,
	},
	"hangs during its installation": {
		func(w world) world {
			return w.set(provider, "Installed False ProviderNotRunning The provider did not start within 1m0s.", "Healthy False ProviderNotRunning The provider did not start within 1m0s.",
				"Ready False ProviderNotRunning The provider did not start within 1m0s.", "Reconciling True ProviderNotRunning The provider did not start within 1m0s.").about(provider)
		},
		status.Retrying, "TerraformProvider open", "kubectl annotate --overwrite terraformprovider.landbridge.io/open landbridge.io/reconcile-requested-at=",
	},
	"does not answer a call in time (`--reconcile-timeout` for reads and plans, the operation's own timeout otherwise)": {
		func(w world) world {
			return retrying("ReconcileError", "observe failed: the provider did not answer within 2m0s")(w).event("CannotObserveExternalResource", "The provider did not answer within 2m0s.", 3)
		},
		status.Retrying, db, retryDB,
	},
	"does not answer anything any more": {
		retrying("ProviderUnavailable", "the provider does not answer, and was ended.\nThe next attempt is within seconds."), status.Retrying, "provider process", logsDB,
	},
	"does not answer three calls in a row in time": {
		retrying("ProviderUnavailable", "the provider has not answered three calls in a row.\nThe next attempt is within seconds."), status.Retrying, "provider process", logsDB,
	},
	"uses more memory than its limit": {
		retrying("ProviderUnavailable", "the provider used 3 GiB of memory, its limit is 2 GiB.\nThe next attempt is within seconds."), status.Retrying, "provider process", logsDB,
	},
	"writes too much to its log": ready,
	"is throttled by its cloud": {
		retrying("ProviderThrottled", "the provider's cloud throttles its calls: too many requests"), status.Retrying, "provider process", logsDB,
	},
	"is configured with credentials that its cloud rejects, or with an endpoint that cannot be reached": {
		func(w world) world {
			w = retrying("ProviderUnavailable", "401 Unauthorized\nThe next attempt is at 2026-01-02T15:05:05Z.")(w)
			return w.set(config, "Ready False ProviderUnavailable 401 Unauthorized", "Reconciling True ProviderUnavailable 401 Unauthorized")
		},
		status.Retrying, "provider process", "landbridge logs thing.open.landbridge.io/db",
	},
	"[defers](contract.md) what it is asked, because arguments or settings of its configuration are not known yet, or because something does not exist yet": {
		retrying("Deferred", "The provider needs something that does not exist yet."), status.Waiting, db, "kubectl annotate --overwrite thing.open.landbridge.io/db -n team-a landbridge.io/reconcile-requested-at=",
	},
	"returns what Terraform's rules forbid": {
		func(w world) world {
			return stalled("CreateOutcomeUnknown", `The outcome of a create is not known. Look for the object. If it exists, adopt it with spec.import; if it does not, set the annotation landbridge.io/confirm-create to "0a1b".`)(w).
				put(thing, "Empty", "status", "state").set(thing, "Ready False Creating")
		},
		status.Failed, db, "kubectl annotate thing.open.landbridge.io/db -n team-a landbridge.io/confirm-create=0a1b",
	},

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
	"writes conflict": ready,
	"a state is larger than a Secret may be": {
		stalled("StateTooLarge", "The state of the object has 70 MiB, and cannot be stored: 64 MiB is the limit."), status.Failed, db, editDB,
	},
	"a status is lost": {
		func(w world) world { return w.put(thing, map[string]any{}, "status") }, status.Unseen, db, logsDB,
	},
	"the stored state of an object is lost": {
		stalled("AlreadyExists", "The object exists already. Adopt it with spec.import: {identity: {id: db}}."), status.Failed, db, editDB,
	},
	"a namespace is restored from a backup": ready,
	"etcd is restored from a backup": {
		stalled("AlreadyExists", "The object exists already. Adopt it with spec.import: {identity: {id: db}}."), status.Failed, db, editDB,
	},

	"a CRD is deleted": {
		func(w world) world {
			return w.deleting(thing).set(thing, "Ready False Deleting").put(thing, map[string]any{"kind": "Delete", "startedAt": "2026-01-02T15:03:00Z", "deadline": "2026-01-02T16:03:00Z"}, "status", "operation")
		},
		status.Changing, db, "landbridge explain thing.open.landbridge.io/db -n team-a --watch",
	},
	"a `TerraformProvider` is deleted": {
		func(w world) world {
			return w.without(provider).set(thing, "Synced False NoController The TerraformProvider open was deleted.", "Ready Unknown NoController", "Stalled True NoController The TerraformProvider open was deleted.")
		},
		status.Failed, "TerraformProvider open", "kubectl get terraformproviders,terraformmodules",
	},
	"a namespace is deleted": {
		func(w world) world {
			return w.deleting(thing).without(secret).set(thing, "Ready False Deleting").put(thing, map[string]any{"kind": "Delete", "startedAt": "2026-01-02T15:03:00Z"}, "status", "operation")
		},
		status.Changing, db, "landbridge explain",
	},
	"a provider configuration is deleted": {
		func(w world) world { return w.deleting(config).about(config) }, status.Changing, "ClusterProviderConfig default", "kubectl get managed -A",
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

// rowsOf returns the first cells of the tables of faults in docs/faults.md, without the tables of how creates are recovered.
func rowsOf(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	begin, end := strings.Index(text, "### Interrupted creates"), strings.Index(text, "## The API server")
	if begin < 0 || end < begin {
		t.Fatal("docs/faults.md has other sections")
	}
	var out []string
	for _, m := range row.FindAllStringSubmatch(text[:begin]+text[end:], -1) {
		switch cell := strings.TrimSpace(m[1]); cell {
		case "the provider", "fault", "action":
		default:
			out = append(out, cell)
		}
	}
	return out
}

// Each row of docs/faults.md is explained, and nothing else.
func TestFaultsAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(slices.Sorted(slices.Values(rowsOf(t))), slices.Sorted(maps.Keys(faults))); diff != "" {
		t.Errorf("-docs/faults.md, +test:\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	var all strings.Builder
	for _, name := range rowsOf(t) {
		f, ok := faults[name]
		if !ok {
			continue // the other test fails
		}
		e := explain.Explain(f.left(newWorld(t)).Snapshot)
		fmt.Fprintf(&all, "=== %s\n\n%s\n", name, e.Text())
		check(t, name, e, f)
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
		t.Errorf("%s: want %s, cause %q, command %q; got %s, cause %q:\n%s", name, want.health, want.cause, want.command, e.Health, cause, e.Text())
	}
}
