package ui_test

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/ui"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// snapshot knows what serves the kinds of tests.
var snapshot = &explain.Snapshot{At: now, Owners: map[string]string{
	"Server.cloud.landbridge.io": "cloud", "Network.cloud.landbridge.io": "cloud", "ClusterProviderConfig.cloud.landbridge.io": "cloud",
}, Types: map[string]string{"Server.cloud.landbridge.io": "cloud_server", "Network.cloud.landbridge.io": "cloud_network"}}

// object returns an object of a test, with conditions as TYPE, STATUS, REASON, MESSAGE.
func object(apiVersion, kind, namespace, name string, conditions ...[4]string) *unstructured.Unstructured {
	list := []any{}
	for _, c := range conditions {
		list = append(list, map[string]any{
			"type": c[0], "status": c[1], "reason": c[2], "message": c[3], "lastTransitionTime": "2026-03-04T11:00:00Z",
		})
	}
	u := &unstructured.Unstructured{
		Object: map[string]any{
			"apiVersion": apiVersion, "kind": kind, "status": map[string]any{"conditions": list},
			"spec": map[string]any{},
		},
	}
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetUID("uid-" + "1")
	if err := unstructured.SetNestedField(u.Object, "2026-03-04T10:00:00Z", "metadata", "creationTimestamp"); err != nil {
		panic(err)
	}
	return u
}

// ready are the conditions of what is ready.
var ready = [][4]string{{"Ready", "True", "Available", ""}, {"Synced", "True", "ReconcileSuccess", ""}}

// resource returns a server or a network with the default provider configuration.
func resource(kind, name string, conditions ...[4]string) *unstructured.Unstructured {
	if conditions == nil {
		conditions = ready
	}
	u := object("cloud.landbridge.io/v1alpha1", kind, "team-a", name, conditions...)
	set(u, map[string]any{"kind": "ClusterProviderConfig", "name": "default"}, "spec", "providerConfigRef")
	set(u, map[string]any{"size": "large-" + name}, "spec", "forProvider")
	set(u, map[string]any{"id": "id-" + name}, "status", "identity")
	return u
}

func set(u *unstructured.Unstructured, value any, path ...string) {
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		panic(err)
	}
}

// refers has an object refer to another one of its namespace.
func refers(u *unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	set(u, []any{map[string]any{"to": "forProvider.network", "from": map[string]any{"kind": kind, "name": name}}}, "spec", "references")
	return u
}

// planned gives an object a plan that waits.
func planned(u *unstructured.Unstructured, hash string) *unstructured.Unstructured {
	set(u, map[string]any{
		"hash": hash, "action": "Update", "reason": "the_policy_asks",
		"changes": []any{
			map[string]any{"path": "spec.forProvider.size", "before": "small", "after": "large"},
			map[string]any{"path": "spec.forProvider.password", "beforeSensitive": true, "afterSensitive": true},
			map[string]any{"path": "spec.forProvider.label", "after": "<script>alert(1)</script>"},
		},
		"requiresReplace": []any{"spec.forProvider.size"},
	}, "status", "plan")
	return u
}

var awaits = [][4]string{
	{"Ready", "True", "Available", ""}, {"Synced", "False", "AwaitingApproval", "The plan waits for approval."},
	{"Approved", "False", "AwaitingApproval", "The plan waits."},
}

// provider returns the TerraformProvider of the servers and networks.
func provider() *unstructured.Unstructured {
	u := object("landbridge.io/v1alpha1", "TerraformProvider", "", "cloud",
		[4]string{"Ready", "True", "Available", ""}, [4]string{"Synced", "True", "ReconcileSuccess", ""},
		[4]string{"Healthy", "True", "Healthy", ""})
	set(u, map[string]any{"source": "<script>/cloud", "version": "~> 1.0"}, "spec")
	set(u, map[string]any{"version": "1.2.3"}, "status", "installed")
	set(u, []any{"1.3.0"}, "status", "available")
	set(u, int64(12), "status", "resources")
	set(u, int64(2), "status", "activated")
	return u
}

// objects are an estate with every trouble.
func objects() []*unstructured.Unstructured {
	config := object("cloud.landbridge.io/v1alpha1", "ClusterProviderConfig", "", "default", ready...)
	set(config, map[string]any{"password": "planted-argument"}, "spec")
	out := []*unstructured.Unstructured{provider(), config, resource("Network", "main"), refers(resource("Server", "web"), "Network", "main")}
	for i := range 3 {
		out = append(out, resource("Server", fmt.Sprintf("expired-%d", i), [4]string{"Ready", "False", "Creating", ""},
			[4]string{"Synced", "False", "ReconcileError", "Provider configuration does not work: the token has expired. Change it."}))
	}
	for i := range 2 {
		out = append(out, resource("Server", fmt.Sprintf("quota-%d", i), [4]string{"Ready", "False", "Creating", ""},
			[4]string{
				"Synced", "False", "OperationFailed",
				fmt.Sprintf(`Create of "quota-%d" failed: no quota, request 4711%d. Ask for more.`, i, i),
			}))
	}
	return append(out,
		refers(resource("Server", "lonely", [4]string{"Ready", "False", "Creating", ""}, [4]string{
			"Synced", "False", "ReferenceNotResolved", "There is no Network team-a/gone.",
		}), "Network", "gone"),
		refers(resource("Server", "behind", [4]string{"Ready", "False", "Creating", ""}, [4]string{
			"Synced", "False", "ReferenceNotResolved", "Network team-a/broken is not ready.",
		}), "Network", "broken"),
		resource("Network", "broken", [4]string{"Ready", "False", "Creating", ""}, [4]string{
			"Synced", "False", "InvalidConfiguration", "The range is <b>too</b> small.",
		}, [4]string{"Stalled", "True", "InvalidConfiguration", ""}),
		resource("Server", "unknown", [4]string{"Ready", "False", "Creating", ""}, [4]string{
			"Synced", "False", "CreateOutcomeUnknown", "It is not known whether the object was created.",
		}),
		resource("Server", "twice", [4]string{"Ready", "False", "Creating", ""}, [4]string{
			"Synced", "False", "IdentityConflict", "Server team-b/twice has the object.",
		}),
		planned(resource("Network", "planned", awaits...), "4f1e"),
		refers(resource("Server", "above"), "Network", "planned"),
		resource("Server", "drifted", append(ready[:2:2], [4]string{"Drifted", "True", "Drifted", "The size was changed."})...),
		resource("Server", "restless",
			append(ready[:2:2], [4]string{
				"NeverSettles", "True", "NeverSettles", "The provider changes the size again and again.",
			})...),
		resource("Server", "paused", [4]string{"Synced", "False", "ReconcilePaused", ""}),
	)
}

// index returns an index of objects.
func index(all ...*unstructured.Unstructured) *ui.Index {
	x := ui.NewIndex()
	for _, u := range all {
		x.Set(ui.EntryOf(u, snapshot.Dependencies(u), true))
	}
	x.SetListed()
	return x
}
