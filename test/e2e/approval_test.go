package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// as returns the client of a user who has roles in a namespace.
func (c *cluster) as(t *testing.T, ns, user string, roles ...string) client.Client {
	t.Helper()
	for _, role := range roles {
		if err := c.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user + "-" + role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	out, err := client.New(config, client.Options{Scheme: c.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A plan waits until a user who may approve it has approved it, and is carried out once.
func TestPlanAwaitsApproval(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "approved")
	p := d.provider()
	set(t, p, "Destructive", "spec", "approvalPolicy")
	c.install(t, p)
	ns := c.Namespace(t)
	editor, approver := c.as(t, ns, "editor", "landbridge-edit"), c.as(t, ns, "approver", "landbridge-edit", "landbridge-approve")

	r := d.thing(ns, "r", m{"value": "a"})
	set(t, r, "Always", "spec", "lifecycle", "approvalPolicy")
	c.MustCreate(t, r)
	// waits returns the hash of the plan.
	waits := func(action string) (hash string) {
		t.Helper()
		c.WaitFor(t, r, action+" waits for approval", func() bool {
			got, _, _ := unstructured.NestedString(r.Object, "status", "plan", "action")
			hash, _, _ = unstructured.NestedString(r.Object, "status", "plan", "hash")
			status, reason, message := condition(r, "Approved")
			return got == action && status == "False" && reason == "AwaitingApproval" && hash != "" && strings.Contains(message, hash)
		})
		return hash
	}
	annotation := func(hash string) client.Patch {
		return client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"landbridge.io/approve":"`+hash+`"}}}`))
	}
	hash := waits("Create")
	version := r.GetResourceVersion()
	never(t, 4*poll, "a create, or another write", func() bool {
		c.MustGet(t, r)
		return d.Changes() != 0 || r.GetResourceVersion() != version
	})
	if err := editor.Patch(t.Context(), r.DeepCopy(), annotation(hash)); err == nil || !strings.Contains(err.Error(), "verb approve") {
		t.Fatalf("an editor approves: %v", err)
	}
	forged := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"landbridge.io/approved-by":"somebody"}}}`))
	if err := approver.Patch(t.Context(), r.DeepCopy(), forged); err == nil || !strings.Contains(err.Error(), "approved-by") {
		t.Fatalf("approved in the name of another: %v", err)
	}
	if err := approver.Patch(t.Context(), r.DeepCopy(), annotation(hash)); err != nil {
		t.Fatal(err)
	}
	c.WaitReady(t, r)
	c.WaitFor(t, r, "approved", func() bool { return isTrue(r, "Approved") })
	if got, _, _ := unstructured.NestedString(r.Object, "status", "lastApproval", "hash"); got != hash {
		t.Errorf("the last approval is of %q, want %q", got, hash)
	}

	// A plan that is not the approved one is refused and shown.
	c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
	old := waits("Update")
	if old == hash {
		t.Error("two plans have the same hash")
	}
	c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"c"}},"metadata":{"annotations":{"landbridge.io/approve":"`+old+`"}}}`)
	c.WaitFalse(t, r, "Approved", "PlanChanged", "landbridge approve")
	if o, _ := d.Object("thing", "r"); o.Attributes["value"] != "a" {
		t.Errorf("the value is %s", o.Attributes["value"])
	}

	// The command approves what it shows.
	command := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), "landbridge"),
			append([]string{"approve", "thing." + d.Name + ".landbridge.io", "r", "-n", ns}, args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	if out, err := command("--hash", old); err == nil || !strings.Contains(out, "any more") {
		t.Errorf("an outdated plan is approved: %v\n%s", err, out)
	}
	current, _, _ := unstructured.NestedString(r.Object, "status", "plan", "hash")
	out, err := command("--hash", current)
	if err != nil || !strings.Contains(out, `~ value: "a" → "c"`) || !strings.Contains(out, "being carried out") {
		t.Fatalf("%v\n%s", err, out)
	}
	c.has(t, d, "thing", "r", "value", "c")

	// The policy of the provider holds whatever the resource asks for.
	c.MustPatch(t, r, `{"spec":{"lifecycle":{"approvalPolicy":"Never"}}}`)
	if err := c.Delete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	hash = waits("Delete")
	if err := approver.Patch(t.Context(), r.DeepCopy(), annotation(hash)); err != nil {
		t.Fatal(err)
	}
	c.WaitGone(t, r)
	if d.Calls("create") != 1 || d.Calls("update") != 1 || d.Calls("delete") != 1 {
		t.Errorf("%d creates, %d updates and %d deletes", d.Calls("create"), d.Calls("update"), d.Calls("delete"))
	}
	if events := c.events(t, r); !slices.ContainsFunc(events, func(e string) bool { return strings.Contains(e, "was approved by") }) {
		t.Errorf("no event tells who approved it: %v", events)
	}
}
