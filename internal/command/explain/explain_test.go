package explain_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// What the controller has left in the situations of test/health is explained as there. The
// snapshots are those of its flag -snapshots.
func TestSituations(t *testing.T) {
	files, err := filepath.Glob("testdata/situations/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := &explain.Snapshot{}
		if err := yaml.Unmarshal(b, s); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		e := explain.Explain(s)
		golden.Check(t, filepath.Join("situations", name+".txt"), []byte(e.Text()))
		s.At = s.At.Add(time.Second)
		if diff := cmp.Diff(e.Essence(), explain.Explain(s).Essence()); diff != "" {
			t.Errorf("%s: after a second, --watch would print it again:\n%s", name, diff)
		}
	}
}

// described are the situations in test/health.
var described = regexp.MustCompile(`(?m)^\t"([^"]+)": +\{\s*status\.`)

// Each situation of test/health has a snapshot, and nothing else has one.
func TestSituationsAreThoseOfHealth(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../../test/health/explanation_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range described.FindAllStringSubmatch(string(source), -1) {
		name := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return '-'
		}, strings.ToLower(m[1]))
		want = append(want, name)
	}
	files, err := filepath.Glob("testdata/situations/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		got = append(got, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-test/health, +snapshots (test/health.test -snapshots DIRECTORY writes them):\n%s", diff)
	}
}

// The chain is followed over references to the cause, also where resources refer to each other.
func TestChains(t *testing.T) {
	t.Parallel()
	reference := func(to string) map[string]any {
		return map[string]any{"to": "forProvider.value", "from": map[string]any{"kind": "Thing", "name": to}}
	}
	refersTo := func(w world, name string) world {
		return retrying("ReferenceNotResolved", "spec.forProvider.value: there is no Thing "+name)(w).
			put(thing, []any{reference(name)}, "spec", "references")
	}
	network := func(w world) world {
		u := w.Objects[thing].DeepCopy()
		u.SetName("network")
		w.Objects = append(w.Objects, u)
		return w
	}
	// References beside fields lead to the kinds that the annotation of the CRD names.
	beside := func(w world, rule map[string]any) world {
		w.References = map[string]map[string][]string{"Thing.open.landbridge.io": {
			"rule.networkRef": {"Thing"}, "rule.networkSelector": {"Thing"}, "peerRefs": {"Other.x.io", "Thing"},
		}}
		return retrying("ReferenceNotResolved", "spec.forProvider.rule[0].network: it is not ready")(w).
			put(thing, []any{rule}, "spec", "forProvider", "rule")
	}
	creating := func(w world) world {
		w = network(w)
		w.Objects[len(w.Objects)-1].SetLabels(map[string]string{"role": "network"})
		return w.set(len(w.Objects)-1, "Ready False Creating").
			put(len(w.Objects)-1, map[string]any{"kind": "Create", "startedAt": "2026-01-02T15:03:00Z"}, "status", "operation")
	}
	// other adds an object of a mode, debian, which the resource refers to, with conditions.
	other := func(mode, kind string, conditions ...string) func(world) world {
		return func(w world) world {
			u := w.Objects[thing].DeepCopy()
			u.SetAPIVersion(mode + ".open.landbridge.io/v1alpha1")
			u.SetKind(kind)
			u.SetName("debian")
			w.Objects = append(w.Objects, u)
			w.Owners[kind+"."+mode+".open.landbridge.io"] = "open"
			w = w.set(len(w.Objects)-1, conditions...)
			return retrying("ReferenceNotResolved", "spec.forProvider.value: "+kind+
				" team-a/debian has no status.atProvider.id yet")(w).put(thing, []any{map[string]any{
				"to": "forProvider.value", "from": map[string]any{"apiVersion": u.GetAPIVersion(), "kind": kind, "name": "debian"},
			}}, "spec", "references")
		}
	}
	// data adds a data source, with a reason of Synced.
	data := func(reason string, more ...string) func(world) world {
		return other("data", "Image", append(more, "Ready False Unavailable It was not read yet.", "Synced False "+reason+" no such image")...)
	}
	const watch = "landbridge explain thing.open.landbridge.io/db -n team-a --watch"
	for name, test := range map[string]fault{
		"a data source that cannot be read": {
			data("ReadFailed", "Reconciling True ReadFailed"), status.Waiting, "Image team-a/debian",
			"kubectl annotate --overwrite image.data.open.landbridge.io/debian -n team-a landbridge.io/reconcile-requested-at=",
		},
		"an action that has failed": {
			other("action", "Backup", "Stalled True InvocationFailed", "Failed True InvocationFailed",
				"Ready False InvocationFailed full", "Synced False InvocationFailed full"),
			status.Waiting, "Backup team-a/debian", "kubectl describe backup.action.open.landbridge.io/debian -n team-a",
		},
		"an action with an unknown outcome": {
			other("action", "Backup", "Stalled True InvocationOutcomeUnknown",
				"Ready False InvocationOutcomeUnknown lost", "Synced False InvocationOutcomeUnknown lost"),
			status.Waiting, "Backup team-a/debian", "kubectl describe backup.action.open.landbridge.io/debian -n team-a",
		},
		"an action that is suspended": {
			other("action", "Backup", "Suspended True Suspended", "Ready False Suspended held", "Synced True ReconcileSuccess"),
			status.Waiting, "Backup team-a/debian", "kubectl patch backup.action.open.landbridge.io/debian -n team-a --type=merge",
		},
		"an action that waits for approval": {
			other("action", "Backup", "Approved False AwaitingApproval", "Ready False AwaitingApproval waits",
				"Synced False AwaitingApproval waits"),
			status.Waiting, "Backup team-a/debian", "landbridge approve backup.action.open.landbridge.io/debian -n team-a",
		},
		"a data source of another namespace's object": {
			data("IdentityConflict", "Stalled True IdentityConflict"), status.Waiting, "Image team-a/debian",
			"kubectl edit image.data.open.landbridge.io/debian -n team-a",
		},
		"a data source of a configuration that does not work": {func(w world) world {
			return data("ProviderConfigError")(w).set(config, "Ready False ProviderConfigError bad", "Synced False ProviderConfigError bad")
		}, status.Waiting, "ClusterProviderConfig default", "kubectl edit clusterproviderconfig.open.landbridge.io/default"},
		"a reference beside a field to what does not exist": {func(w world) world {
			return beside(w, map[string]any{"networkRef": map[string]any{"name": "network"}})
		}, status.Waiting, "Thing team-a/network", "kubectl get thing.open.landbridge.io -n team-a"},
		"a reference beside a field to what is being created": {func(w world) world {
			return beside(creating(w), map[string]any{"networkRef": map[string]any{"name": "network"}})
		}, status.Waiting, "Thing team-a/network", watch},
		"a selector beside a field": {func(w world) world {
			return beside(creating(w), map[string]any{"networkSelector": map[string]any{"matchLabels": map[string]any{"role": "network"}}})
		}, status.Waiting, "Thing team-a/network", watch},
		"one of several references, of a kind that is not the default": {func(w world) world {
			return beside(w, nil).put(thing, []any{map[string]any{"kind": "Thing", "name": "network"}}, "spec", "forProvider", "peerRefs")
		}, status.Waiting, "Thing team-a/network", "kubectl get thing.open.landbridge.io -n team-a"},
		"replacements that never settle": {
			func(w world) world {
				return w.set(thing, "Synced False NeverSettles kept", "NeverSettles True ReplacementRepeats tags", "Stalled True NeverSettles kept")
			},
			status.Failed, "Thing team-a/db", "kubectl edit thing.open.landbridge.io/db -n team-a",
		},
		"an inconsistent create": {
			func(w world) world {
				return w.set(thing, "Ready False Tainted tainted", "Synced False InconsistentResult kept", "Stalled True InconsistentResult kept")
			},
			status.Failed, "Thing team-a/db", "landbridge untaint thing.open.landbridge.io/db -n team-a",
		},
		"a policy that cannot be used": {
			retrying("DeniedByPolicy", "create failed: Denied by policy: PlanPolicy sizes: it cannot be used, so it "+
				"acts on every plan that it matches: ERROR: <input>:1:5: undefined field 'changs'"),
			status.Waiting, "Thing team-a/db", "kubectl edit planpolicy sizes",
		},
		"a policy that denies": {
			retrying("DeniedByPolicy", "create failed: Denied by policy: PlanPolicy sizes: Things have a size of at most 8."),
			status.Waiting, "Thing team-a/db", "kubectl edit thing.open.landbridge.io/db -n team-a",
		},
		"a reference to what does not exist": {
			func(w world) world { return refersTo(w, "network") }, status.Waiting, "Thing team-a/network",
			"kubectl get thing.open.landbridge.io -n team-a",
		},
		"a reference to what is being created": {func(w world) world {
			w = network(w)
			return refersTo(w, "network").set(len(w.Objects)-1, "Ready False Creating").
				put(len(w.Objects)-1, map[string]any{"kind": "Create", "startedAt": "2026-01-02T15:03:00Z"}, "status", "operation")
		}, status.Waiting, "Thing team-a/network", "landbridge explain thing.open.landbridge.io/db -n team-a --watch"},
		"a reference to what cannot be created": {func(w world) world {
			w = network(w)
			return refersTo(w, "network").set(len(w.Objects)-1, "Ready False Creating",
				"Synced False InvalidConfiguration no such region", "Stalled True InvalidConfiguration no such region")
		}, status.Waiting, "Thing team-a/network", "kubectl edit thing.open.landbridge.io/network -n team-a"},
		"resources that refer to each other": {func(w world) world {
			w = refersTo(w, "network")
			u := w.Objects[thing].DeepCopy()
			u.SetName("network")
			w.Objects = append(w.Objects, u)
			return w.put(len(w.Objects)-1, []any{reference("db")}, "spec", "references")
		}, status.Waiting, "Thing team-a/", "kubectl edit"},
		"a shard without a replica": {func(w world) world {
			w.Leases = []coordinationv1.Lease{
				lease("shard-0.landbridge.landbridge.io", "a", 0),
				lease("shard-1.landbridge.landbridge.io", "", time.Hour),
			}
			return w.put(thing, int64(2), "metadata", "generation")
		}, status.Unseen, "controller", "kubectl get pods -n landbridge-system"},
		"a provider that is being installed": {func(w world) world {
			return w.put(thing, map[string]any{}, "status").
				set(provider, "Installed False Downloading", "Healthy False Downloading",
					"Ready False Downloading The provider is being downloaded.", "Reconciling True Downloading")
		}, status.Unseen, "TerraformProvider open", "landbridge explain"},
		"held changes": {func(w world) world {
			const says = "the new kinds have no fields for values of existing objects, which would be lost: a. " +
				"Change the objects; or accept the loss: kubectl annotate terraformprovider open --overwrite " +
				"landbridge.io/accept-changes=0a1b. Changes: b"
			return w.set(provider, "Healthy False ChangesHeld "+says, "Ready False ChangesHeld "+says,
				"Stalled True ChangesHeld "+says).about(provider)
		}, status.Failed, "TerraformProvider open", "kubectl annotate terraformprovider open --overwrite landbridge.io/accept-changes=0a1b"},
		"held version": {func(w world) world {
			const says = "version 2.0.0 is held, and 1.0.0 goes on: of 2 resources that were previewed, " +
				"spec.upgrade.accept does not permit 1 Replace. Show them with landbridge upgrade preview open --to " +
				"2.0.0; then change the resources or the version, or accept these outcomes"
			return w.set(provider, "Healthy False UpgradeHeld "+says, "Ready False UpgradeHeld "+says,
				"Stalled True UpgradeHeld "+says).about(provider)
		}, status.Failed, "TerraformProvider open", "landbridge upgrade preview open --to 2.0.0"},
		"too many processes": {
			retrying("ProviderUnavailable", "connect failed: No room for the provider's process: There are 100 "+
				"processes of providers, and all are in use. It is started when another one is idle."+soon),
			status.Retrying, "provider process", "kubectl edit deployment -n landbridge-system landbridge",
		},
		"no sandbox where one is required": {func(w world) world {
			const says = "--sandbox=Require: the kernel does not support it; use another machine, or another value"
			return w.set(provider, "Installed False SandboxUnavailable "+says, "Healthy False SandboxUnavailable "+
				says, "Ready False SandboxUnavailable "+says, "Stalled True SandboxUnavailable "+says).about(provider)
		}, status.Failed, "TerraformProvider open", "kubectl edit deployment -n landbridge-system landbridge"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, name, explain.Explain(test.left(newWorld(t)).Snapshot), test)
		})
	}
}

// table places the provider configuration and another one, whose account is divided by kind.
func table() *shard.Table {
	return &shard.Table{Shards: 3, Configurations: map[string]shard.Placement{
		"open.landbridge.io/ClusterProviderConfig//default": {Shard: 1},
		"open.landbridge.io/ClusterProviderConfig//huge": {
			Shard: 0, ByType: true, Types: map[string]shard.TypePlacement{"open_thing": {Shard: 2}},
		},
	}}
}

// The chain leads over the shard of the object that no replica works on, and shards of others do
// not matter.
func TestShards(t *testing.T) {
	t.Parallel()
	leases := func(free int) (out []coordinationv1.Lease) {
		all := lease("landbridge.landbridge.io", "", time.Second)
		all.Spec.HolderIdentity = ptr.To("replicas with 3 shards, by configuration and type")
		out = append(out, all)
		for k := range 4 { // the last is from a time with more shards
			renewed := time.Second
			if k == free || k == 3 {
				renewed = time.Hour
			}
			out = append(out, lease(sharding.LeaseName(k, "landbridge.landbridge.io"), fmt.Sprintf("landbridge-%d", k%2), renewed))
		}
		return out
	}
	unseen := func(w world) world { return w.put(thing, int64(2), "metadata", "generation") }
	huge := func(w world) world { return unseen(w).put(thing, "huge", "spec", "providerConfigRef", "name") }
	failed := retrying("ReconcileError", "observe failed: Cannot read: no quota"+nextAttempt)
	const pods = "kubectl get pods -n landbridge-system"
	var all strings.Builder
	for _, test := range []struct {
		name   string
		free   int
		unread string
		fault
	}{
		{"its shard has a replica", 0, "", fault{unseen, status.Unseen, db, logsDB}},
		{"its shard has none", 1, "", fault{unseen, status.Unseen, "shard 1", pods}},
		{"its shard has none, and it is ready", 1, "", ready},
		{"its shard has none, and what has failed is not tried again", 1, "", fault{failed, status.Retrying, "shard 1", pods}},
		{"another shard has none", 2, "", fault{failed, status.Retrying, db, retryDB}},
		{"its kind has a shard", 2, "", fault{huge, status.Unseen, "shard 2", pods}},
		{"the provider configuration", 1, "", fault{func(w world) world {
			return w.put(config, int64(2), "metadata", "generation").about(config)
		}, status.Unseen, "shard 1", pods}},
		{"a TerraformProvider is of the first", 0, "", fault{func(w world) world {
			return w.put(provider, int64(2), "metadata", "generation").about(provider)
		}, status.Unseen, "shard 0", pods}},
		{
			"its shard is not known", 1,
			"Which shard it belongs to is not known: you may not get the Secret landbridge-shards in namespace " +
				"landbridge-system.",
			fault{unseen, status.Unseen, "controller", pods},
		},
		{"no replica runs", -1, "", fault{func(w world) world {
			for i := range w.Leases {
				w.Leases[i].Spec.RenewTime = ptr.To(metav1.NewMicroTime(now.Add(-time.Hour)))
			}
			return unseen(w)
		}, status.Unseen, "controller", pods}},
	} {
		w := newWorld(t)
		w.Types = map[string]string{"Thing.open.landbridge.io": "open_thing"}
		w.Leases, w.ShardsUnread = leases(test.free), test.unread
		if w.Objects = append(w.Objects, w.Objects[config].DeepCopy()); test.unread == "" {
			w.Shards = table()
		}
		w.Objects[len(w.Objects)-1].SetName("huge")
		e := explain.Explain(test.left(w).Snapshot)
		fmt.Fprintf(&all, "=== %s\n\n%s\n", test.name, e.Text())
		check(t, test.name, e, test.fault)
	}
	golden.Check(t, "shards.txt", []byte(all.String()))
}

// What a sandbox has refused leads to the sandbox, and to the field of the provider that permits
// it.
func TestSandbox(t *testing.T) {
	t.Parallel()
	const patch = "kubectl patch terraformprovider.landbridge.io/open --type=merge -p "
	refused := func(says string) func(world) world {
		return retrying("ReconcileError", "create failed: Cannot create: permission denied.\n\n"+says)
	}
	writing := refused("The provider's sandbox does not permit writing /var/lib/acme/db: add /var/lib/acme to " +
		"spec.sandbox.writePaths of the TerraformProvider.")
	var all strings.Builder
	for _, test := range []struct {
		name string
		fault
	}{
		{"writing", fault{writing, status.Retrying, "sandbox", patch + `'{"spec":{"sandbox":{"writePaths":["/var/lib/acme"]}}}'`}},
		{"writing more", fault{func(w world) world {
			return writing(w).put(provider, map[string]any{"writePaths": []any{"/srv"}, "connect": []any{int64(443)}}, "spec", "sandbox")
		}, status.Retrying, "sandbox", patch + `'{"spec":{"sandbox":{"writePaths":["/srv","/var/lib/acme"]}}}'`}},
		{"reading", fault{
			refused("The provider's sandbox does not permit reading /etc/my acme/token: add it to " +
				"spec.sandbox.readPaths of the TerraformProvider, or to writePaths if the provider changes it."),
			status.Retrying, "sandbox", patch + `'{"spec":{"sandbox":{"readPaths":["/etc/my acme/token"]}}}'`,
		}},
		{"connecting", fault{func(w world) world {
			return refused("The provider's sandbox does not permit connections to port 8443: add it to "+
				"spec.sandbox.connect of the TerraformProvider.")(w).
				put(provider, []any{int64(443)}, "spec", "sandbox", "connect")
		}, status.Retrying, "sandbox", patch + `'{"spec":{"sandbox":{"connect":[443,8443]}}}'`}},
		{"something new beside credentials", fault{
			refused("The provider's sandbox does not permit anything new in /srv, since that folder also has " +
				"credentials or the provider cache: add another folder, or one in it, to spec.sandbox.writePaths of " +
				"the TerraformProvider."),
			status.Retrying, "sandbox", "kubectl edit terraformprovider.landbridge.io/open",
		}},
		{"a path with a quote", fault{
			refused("The provider's sandbox does not permit writing /srv/it's/db: add /srv/it's to " +
				"spec.sandbox.writePaths of the TerraformProvider."),
			status.Retrying, "sandbox", "kubectl edit terraformprovider.landbridge.io/open",
		}},
		{"a program for one provider", fault{func(w world) world {
			w = refused("The provider's sandbox does not permit writing /srv/db: add /srv to --provider-write-path.")(w)
			w.Owners = nil
			return w
		}, status.Retrying, db, ""}},
		{"the provider cannot be read", fault{func(w world) world {
			w = writing(w).without(provider)
			w.Unread = []explain.Unread{{
				Key: explain.Key{Group: "landbridge.io", Kind: "TerraformProvider", Name: "open"},
				Why: "terraformproviders is forbidden",
			}}
			return w
		}, status.Retrying, db, "kubectl get terraformproviders"}},
		{"of a resource that another one refers to", fault{func(w world) world {
			u := writing(w).Objects[thing].DeepCopy()
			u.SetName("network")
			w.Objects = append(w.Objects, u)
			return retrying("ReferenceNotResolved", "spec.forProvider.value: Thing network has no value yet")(w).
				put(thing, []any{map[string]any{
					"to": "forProvider.value", "from": map[string]any{"kind": "Thing", "name": "network"},
				}}, "spec", "references")
		}, status.Waiting, "sandbox", patch}},
	} {
		e := explain.Explain(test.left(newWorld(t)).Snapshot)
		fmt.Fprintf(&all, "=== %s\n\n%s\n", test.name, e.Text())
		check(t, test.name, e, test.fault)
	}
	golden.Check(t, "sandbox.txt", []byte(all.String()))
}

// The chain of a module's instance leads over the module to its providers, and to the configuration
// of each.
func TestInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Objects = append(w.Objects, objects(t, `apiVersion: modules.landbridge.io/v1alpha1
kind: Shop
metadata: {namespace: team-a, name: one, uid: "2", generation: 1, creationTimestamp: "2026-01-02T15:00:00Z"}
spec:
  forProvider: {pinSecretRef: {name: pin, key: pin}}
  providerConfigRef: {kind: ClusterProviderConfig, name: default}
  providerConfigRefs:
    open.replica: {kind: ProviderConfig, name: replica}
status:
  observedGeneration: 1
  conditions:
  - {type: Ready, status: "False", reason: Creating}
  - {type: Synced, status: "False", reason: ProviderConfigError, message: "there is no ProviderConfig team-a/replica"}
---
apiVersion: v1
kind: Secret
metadata: {namespace: team-a, name: pin}
---
apiVersion: landbridge.io/v1alpha1
kind: TerraformModule
metadata: {name: shop, generation: 1}
spec: {source: {configMapRef: {namespace: landbridge-system, name: shop}}}
status:
  observedGeneration: 1
  providers: {example/open: open}
  conditions:
  - {type: Ready, status: "True", reason: Available}
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: landbridge-system, name: shop}`)...)
	w.Owners["Shop.modules.landbridge.io"] = "Module.shop"
	w.Subject = explain.Key{Group: "modules.landbridge.io", Kind: "Shop", Namespace: "team-a", Name: "one"}
	e := explain.Explain(w.Snapshot)
	check(t, "an instance", e, fault{
		health: status.Waiting, cause: "ProviderConfig team-a/replica",
		command: "kubectl explain providerconfig.open.landbridge.io.spec",
	})
	golden.Check(t, "instance.txt", []byte(e.Text()))

	// Of the module itself, the source and the providers matter.
	w = newWorld(t)
	w.Objects = append(w.Objects, objects(t, `apiVersion: landbridge.io/v1alpha1
kind: TerraformModule
metadata: {name: shop, generation: 1}
spec: {source: {configMapRef: {namespace: landbridge-system, name: shop}}}
status:
  observedGeneration: 1
  conditions:
  - {type: Ready, status: "False", reason: SourceNotAvailable, message: "there is no ConfigMap landbridge-system/shop"}
  - {type: Reconciling, status: "True", reason: SourceNotAvailable, message: "there is no ConfigMap landbridge-system/shop"}`)...)
	w.Subject = explain.Key{Group: "landbridge.io", Kind: "TerraformModule", Name: "shop"}
	check(t, "a module", explain.Explain(w.Snapshot), fault{
		health: status.Retrying, cause: "ConfigMap landbridge-system/shop",
		command: "kubectl create configmap shop -n landbridge-system --from-file=FOLDER",
	})
}

// The page has what the command prints.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	w := retrying("ReferenceNotResolved", "spec.forProvider.value: there is no Thing team-a/network")(newWorld(t)).
		set(thing, "Ready False Creating").
		put(thing, []any{map[string]any{
			"to": "forProvider.value", "from": map[string]any{"kind": "Thing", "name": "network"},
		}}, "spec", "references")
	text := explain.Explain(w.Snapshot).Text()
	if want := "```text\n$ landbridge explain thing/db -n team-a\n" + text + "```\n"; !strings.Contains(string(page), want) {
		t.Errorf("docs/operations.md does not have\n%s", want)
	}
}

// What may not be read is said, and is not taken for missing.
func TestUnread(t *testing.T) {
	t.Parallel()
	w := retrying("ProviderConfigError", "the token is empty")(newWorld(t)).without(secret)
	key := explain.Key{Kind: "Secret", Namespace: "team-a", Name: "token"}
	w.Unread = []explain.Unread{{Key: key, Why: "secrets \"token\" is forbidden"}}
	e := explain.Explain(w.Snapshot)
	if text := e.Text(); !strings.Contains(text, "Secret team-a/token (spec.tokenSecretRef): Unknown\n") ||
		strings.Contains(text, "there is no Secret") {
		t.Errorf("got\n%s", text)
	}
	if c := e.Tree.TheCause(); c == nil || c.Name != db {
		t.Errorf("the cause is %v", c)
	}
}

// The next attempt is that of the message.
func TestNextAttempt(t *testing.T) {
	t.Parallel()
	const says = "create failed: no quota"
	w := retrying("ReconcileError", says)(newWorld(t)).
		set(thing, "Reconciling True Retrying "+says+"\nThe next attempt is at 2026-01-02T15:06:10Z.",
			"Ready False Creating").
		event("CannotCreateExternalResource", "Create failed at once: no quota", 4)
	e := explain.Explain(w.Snapshot)
	if want := now.Add(125 * time.Second); !e.NextAttempt.Equal(want) {
		t.Errorf("the next attempt is at %s, want %s", e.NextAttempt, want)
	}
	for _, part := range []string{
		"4 times since 2026-01-02 15:02:05: Create failed at once: no quota",
		"2026-01-02 15:06:10  The next attempt, in 2m5s.",
	} {
		if !strings.Contains(e.Text(), part) {
			t.Errorf("%q is not in\n%s", part, e.Text())
		}
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	back := explain.Explanation{}
	if err := json.Unmarshal(raw, &back); err != nil || back.Text() != e.Text() {
		t.Errorf("as JSON it is another explanation: %v\n%s", err, back.Text())
	}
}
