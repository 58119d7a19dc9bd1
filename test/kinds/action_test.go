package kinds_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// snapshot makes an action that makes a snapshot of a record.
func snapshot(form, namespace, name, source string, spec m) *unstructured.Unstructured {
	spec["forProvider"] = m{"source": source, "label": name, "keyWoSecretRef": m{"name": "key", "key": "key"}}
	spec["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "default"}
	return object("action."+group(form)+"/v1alpha1", "Snapshot", namespace, name, spec)
}

// withKey returns a namespace with a provider configuration and a planted key, and the id of a
// record.
func (x *cluster) withKey(t *testing.T, form, planted string) (namespace, record string) {
	t.Helper()
	namespace = x.configured(t, form)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "key"}, Data: map[string][]byte{"key": []byte(planted)}}
	if err := x.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	record, _ = x.cloud.Make(t, "records", m{"name": namespace, "address": "b", "value": "v"})["id"].(string)
	return namespace, record
}

func (x *cluster) snapshots(t *testing.T, label string) int {
	t.Helper()
	return len(x.cloud.List(t, "snapshots", "label="+label))
}

// tryInvoke invokes an action as landbridge invoke does. It is invoked once, also when another
// process takes over, and a changed object is refused.
func (x *cluster) tryInvoke(t *testing.T, form string) {
	results.count(t, actions)
	planted, name := "planted-key-"+form, form+"-invoked"
	namespace, record := x.withKey(t, form, planted)
	c, err := status.NewClient(x.Config)
	if err != nil {
		t.Fatal(err)
	}
	u := snapshot(form, namespace, name, record, m{})
	k, err := c.ActionKind(u)
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Create(t.Context(), k, u)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	end, err := c.AwaitInvocation(t.Context(), k, made, func(line string) { lines = append(lines, line) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("Succeeded", string(end.Phase)); diff != "" {
		t.Errorf("phase: %s", diff)
	}
	if told := strings.Join(lines, "\n"); !strings.Contains(told, "is complete") || !strings.Contains(told, "Succeeded") {
		t.Errorf("told: %s", told)
	}
	x.WaitFor(t, u, "ready", func() bool { return objecttest.IsTrue(u, "Ready", "Synced", "Complete") })
	x.restart(t)
	x.Reconcile(t, u)
	if n := x.snapshots(t, name); n != 1 {
		t.Errorf("%d snapshots", n)
	}
	err = x.Patch(t.Context(), u, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"forProvider":{"label":"other"}}}`)))
	if err == nil || !strings.Contains(err.Error(), "create another object") {
		t.Errorf("a change of the arguments: %v", err)
	}
	x.nowhere(t, u, planted)
	x.Remove(t, u)
	if n := x.snapshots(t, name); n != 1 {
		t.Errorf("%d snapshots after the deletion", n)
	}
}

// tryApproval has an action wait for approval, suspends it, and has it fail, succeed at the next
// attempt, and expire.
func (x *cluster) tryApproval(t *testing.T, form string) {
	results.count(t, actions)
	name := form + "-approved"
	namespace, record := x.withKey(t, form, "planted-approved-"+form)
	u := snapshot(form, namespace, name, record, m{"approvalPolicy": "Always", "suspend": true, "retryPolicy": "OnFailure"})
	x.MustCreate(t, u)
	x.WaitFor(t, u, "suspended", func() bool { return objecttest.IsTrue(u, "Suspended") })
	x.MustPatch(t, u, `{"spec":{"suspend":false}}`)
	x.cloud.Fault(t, m{"on": "create", "collection": "snapshots", "match": m{"label": name}, "count": 1, "task_outcome": "fail"})
	approve := func(attempt int64) {
		t.Helper()
		x.WaitFalse(t, u, "Approved", "AwaitingApproval")
		x.MustPatch(t, u, `{"metadata":{"annotations":{"`+v1alpha1.AnnotationApprove+`":"`+text(u, "status", "plan", "hash")+`"}}}`)
		x.WaitFor(t, u, "approved", func() bool { return at(u, "status", "attempts") == attempt })
	}
	approve(1)
	x.WaitFalse(t, u, "Synced", "InvocationFailed")
	x.MustPatch(t, u, `{"spec":{"ttlSecondsAfterFinished":1}}`)
	approve(2)
	x.WaitGone(t, u)
	if n := x.snapshots(t, name); n != 1 {
		t.Errorf("%d snapshots", n)
	}
}

// tryInterrupt deletes an action while it runs, and ends the controller while another one does.
func (x *cluster) tryInterrupt(t *testing.T, form string) {
	results.count(t, actions)
	name := form + "-interrupted"
	namespace, record := x.withKey(t, form, "planted-interrupted-"+form)
	x.cloud.Fault(t, m{"on": "create", "collection": "snapshots", "match": m{"label": name}, "count": 2, "task_outcome": "hang"})
	u := snapshot(form, namespace, name, record, m{"retryPolicy": "OnFailure"})
	x.MustCreate(t, u)
	x.WaitFor(t, u, "under way", func() bool {
		progress, _, _ := unstructured.NestedSlice(u.Object, "status", "progress")
		return len(progress) > 0
	})
	x.Remove(t, u)
	other := snapshot(form, namespace, name, record, m{})
	x.MustCreate(t, other)
	x.WaitFor(t, other, "under way", func() bool { return text(other, "status", "phase") == "Running" })
	x.restart(t)
	x.WaitFor(t, other, "over", func() bool { return objecttest.IsTrue(other, "Failed") })
	if n := x.snapshots(t, name); n != 0 {
		t.Errorf("%d snapshots", n)
	}
	x.Remove(t, other)
}
