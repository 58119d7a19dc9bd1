package explain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// What the controller has left in the situations of test/health is explained as there. The snapshots are those of its flag -snapshots.
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
		golden.Check(t, filepath.Join("situations", name+".txt"), []byte(explain.Explain(s).Text()))
	}
}

// The chain is followed over references to the cause, also where resources refer to each other.
func TestChains(t *testing.T) {
	t.Parallel()
	reference := func(to string) map[string]any {
		return map[string]any{"to": "forProvider.value", "from": map[string]any{"kind": "Thing", "name": to}}
	}
	refersTo := func(w world, name string) world {
		return retrying("ReferenceNotResolved", "spec.forProvider.value: there is no Thing "+name)(w).put(thing, []any{reference(name)}, "spec", "references")
	}
	network := func(w world) world {
		u := w.Objects[thing].DeepCopy()
		u.SetName("network")
		w.Objects = append(w.Objects, u)
		return w
	}
	for name, test := range map[string]fault{
		"a reference to what does not exist": {func(w world) world { return refersTo(w, "network") }, status.Waiting, "Thing team-a/network", "kubectl get thing.open.landbridge.io -n team-a"},
		"a reference to what is being created": {func(w world) world {
			w = network(w)
			return refersTo(w, "network").set(len(w.Objects)-1, "Ready False Creating").
				put(len(w.Objects)-1, map[string]any{"kind": "Create", "startedAt": "2026-01-02T15:03:00Z"}, "status", "operation")
		}, status.Waiting, "Thing team-a/network", "landbridge explain thing.open.landbridge.io/db -n team-a --watch"},
		"a reference to what cannot be created": {func(w world) world {
			w = network(w)
			return refersTo(w, "network").set(len(w.Objects)-1, "Ready False Creating", "Synced False InvalidConfiguration no such region", "Stalled True InvalidConfiguration no such region")
		}, status.Waiting, "Thing team-a/network", "kubectl edit thing.open.landbridge.io/network -n team-a"},
		"resources that refer to each other": {func(w world) world {
			w = refersTo(w, "network")
			u := w.Objects[thing].DeepCopy()
			u.SetName("network")
			w.Objects = append(w.Objects, u)
			return w.put(len(w.Objects)-1, []any{reference("db")}, "spec", "references")
		}, status.Waiting, "Thing team-a/", "kubectl edit"},
		"a shard without a replica": {func(w world) world {
			w.Leases = []coordinationv1.Lease{lease("shard-0.landbridge.landbridge.io", "a", 0), lease("shard-1.landbridge.landbridge.io", "", time.Hour)}
			return w.put(thing, int64(2), "metadata", "generation")
		}, status.Unseen, "controller", "kubectl get pods -n landbridge-system"},
		"a provider that is being installed": {func(w world) world {
			return w.put(thing, map[string]any{}, "status").
				set(provider, "Installed False Downloading", "Healthy False Downloading", "Ready False Downloading The provider is being downloaded.", "Reconciling True Downloading")
		}, status.Unseen, "TerraformProvider open", "landbridge explain"},
		"held changes": {func(w world) world {
			const says = "the new kinds have no fields for values of existing objects, which would be lost: a. Change the objects; or accept the loss: kubectl annotate terraformprovider open --overwrite landbridge.io/accept-changes=0a1b. Changes: b"
			return w.set(provider, "Healthy False ChangesHeld "+says, "Ready False ChangesHeld "+says, "Stalled True ChangesHeld "+says).about(provider)
		}, status.Failed, "TerraformProvider open", "kubectl annotate terraformprovider open --overwrite landbridge.io/accept-changes=0a1b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, name, explain.Explain(test.left(newWorld(t)).Snapshot), test)
		})
	}
}

// The chain of a module's instance leads over the module to its providers, and to the configuration of each.
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
	check(t, "an instance", e, fault{health: status.Waiting, cause: "ProviderConfig team-a/replica", command: "kubectl explain providerconfig.open.landbridge.io.spec"})
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
	check(t, "a module", explain.Explain(w.Snapshot), fault{health: status.Retrying, cause: "ConfigMap landbridge-system/shop", command: "kubectl create configmap shop -n landbridge-system --from-file=FOLDER"})
}

// The page has what the command prints.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	w := retrying("ReferenceNotResolved", "spec.forProvider.value: there is no Thing team-a/network")(newWorld(t)).set(thing, "Ready False Creating").
		put(thing, []any{map[string]any{"to": "forProvider.value", "from": map[string]any{"kind": "Thing", "name": "network"}}}, "spec", "references")
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
	if text := e.Text(); !strings.Contains(text, "Secret team-a/token (spec.tokenSecretRef): Unknown\n") || strings.Contains(text, "there is no Secret") {
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
	w := retrying("ReconcileError", says)(newWorld(t)).set(thing, "Reconciling True Retrying "+says+"\nThe next attempt is at 2026-01-02T15:06:10Z.", "Ready False Creating").
		event("CannotCreateExternalResource", "Create failed at once: no quota", 4)
	e := explain.Explain(w.Snapshot)
	if want := now.Add(125 * time.Second); !e.NextAttempt.Equal(want) {
		t.Errorf("the next attempt is at %s, want %s", e.NextAttempt, want)
	}
	for _, part := range []string{"4 times since 2026-01-02 15:02:05: Create failed at once: no quota", "2026-01-02 15:06:10  The next attempt, in 2m5s."} {
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
