package kinds_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// backedUp makes a record with an action that makes a snapshot of it after its create, and before
// its update and its destruction.
func backedUp(form, namespace, name string, trigger m) *unstructured.Unstructured {
	spec := m{
		"name": "backup", "action": "snapshots.action." + group(form), "events": []any{"AfterCreate", "BeforeUpdate", "BeforeDestroy"},
		"forProvider": m{"label": name, "keyWoSecretRef": m{"name": "key", "key": "key"}},
		"values":      []any{m{"to": "forProvider.source", "value": "self.status.atProvider.id"}},
	}
	for k, v := range trigger {
		spec[k] = v
	}
	return object(group(form)+"/v1alpha1", "Record", namespace, name, m{
		"forProvider": m{"name": name, "address": "b", "value": "one"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "default"},
		"actions": []any{spec},
	})
}

// tryTriggers has a record invoke an action when it is created, changed and destroyed, also when
// another process takes over. Each is invoked once.
func (x *cluster) tryTriggers(t *testing.T, form string) {
	results.count(t, actions)
	planted, name := "planted-trigger-"+form, form+"-triggers"
	namespace, _ := x.withKey(t, form, planted)
	u := backedUp(form, namespace, name, nil)
	x.MustCreate(t, u)
	x.WaitReady(t, u)
	if n := x.snapshots(t, name); n != 1 {
		t.Errorf("%d snapshots after the create", n)
	}
	x.MustPatch(t, u, `{"spec":{"forProvider":{"value":"two"}}}`)
	x.WaitFor(t, u, "updated", func() bool {
		return text(u, "status", "atProvider", "value") == "two" && objecttest.IsTrue(u, "Ready", "Synced") && objecttest.Current(u)
	})
	x.restart(t)
	x.Reconcile(t, u)
	if n := x.snapshots(t, name); n != 2 {
		t.Errorf("%d snapshots after the update", n)
	}
	x.nowhere(t, u, planted)
	x.Remove(t, u)
	if n := x.snapshots(t, name); n != 3 {
		t.Errorf("%d snapshots after the deletion", n)
	}
}

// tryHeldTrigger has an action fail before a create, which waits until the action succeeds. What
// the action's kind does not have is refused.
func (x *cluster) tryHeldTrigger(t *testing.T, form string) {
	results.count(t, actions)
	name := form + "-held"
	namespace, record := x.withKey(t, form, "planted-held-"+form)
	u := backedUp(form, namespace, name, m{
		"events": []any{"BeforeCreate"}, "values": []any{m{"to": "forProvider.nothing", "value": "'" + record + "'"}},
	})
	x.MustCreate(t, u)
	x.WaitFalse(t, u, "Synced", "InvalidConfiguration")
	if _, _, message := objecttest.Condition(u, "Synced"); !strings.Contains(message, "spec.actions[backup].forProvider.nothing") {
		t.Errorf("the message: %s", message)
	}
	x.cloud.Fault(t, m{"on": "create", "collection": "snapshots", "match": m{"label": name}, "count": 1, "task_outcome": "fail"})
	x.MustPatch(t, u, `{"spec":{"actions":[{"name":"backup","action":"snapshots.action.`+group(form)+`","events":["BeforeCreate"],
		"forProvider":{"label":"`+name+`","source":"`+record+`","keyWoSecretRef":{"name":"key","key":"key"}}}]}}`)
	x.WaitFalse(t, u, "Synced", "ActionFailed")
	if n := len(x.cloud.List(t, "records", "name="+name)); n != 0 {
		t.Errorf("the record exists %d times", n)
	}
	invoked, _, _ := unstructured.NestedSlice(u.Object, "status", "actions", "invocations")
	if len(invoked) != 1 {
		t.Fatalf("invocations: %v", invoked)
	}
	action := object("action."+group(form)+"/v1alpha1", "Snapshot", namespace, invoked[0].(m)["name"].(string), m{})
	if err := x.Delete(t.Context(), action); err != nil {
		t.Fatal(err)
	}
	x.WaitReady(t, u)
	x.Remove(t, u)
	if n := x.snapshots(t, name); n != 1 {
		t.Errorf("%d snapshots", n)
	}
}

// tryInvokeRight has a user without the right to invoke set spec.actions, who is refused.
func (x *cluster) tryInvokeRight(t *testing.T, form string) {
	results.count(t, actions)
	name := form + "-forbidden"
	namespace, _ := x.withKey(t, form, "planted-forbidden-"+form)
	editor, err := client.New(x.As(t, "editor", namespace, "landbridge-edit"), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u := backedUp(form, namespace, name, nil)
	err = editor.Create(t.Context(), u.DeepCopy())
	if err == nil || !strings.Contains(err.Error(), "the verb invoke on snapshots.action."+group(form)) {
		t.Errorf("an editor sets spec.actions: %v", err)
	}
	both, err := client.New(x.As(t, "operator", namespace, "landbridge-edit", "landbridge-invoke"), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := both.Create(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	x.WaitReady(t, u)
	patch := client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata":{"annotations":{"`+v1alpha1.AnnotationReconcile+
			`":"1"}},"spec":{"forProvider":{"value":"two"}}}`))
	if err := editor.Patch(t.Context(), u.DeepCopy(), patch); err != nil {
		t.Errorf("an editor changes the resource: %v", err)
	}
	x.WaitFor(t, u, "updated", func() bool { return text(u, "status", "atProvider", "value") == "two" })
	x.Remove(t, u)
}
