package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deletes returns the warnings of the API server to whoever deletes an object. With dryRun, it
// stays.
func (c *cluster) deletes(t *testing.T, u *unstructured.Unstructured, options ...client.DeleteOption) string {
	t.Helper()
	all := &warnings{}
	config := rest.CopyConfig(c.Config)
	config.WarningHandler = all
	warned, err := client.New(config, client.Options{Scheme: c.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	if err := warned.Delete(t.Context(), u.DeepCopy(), options...); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Whoever deletes a resource whose deletion waits for approval, or a provider configuration in use,
// is told the command.
func TestDeletionWarnings(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "deletions", "TESTPROVIDER_CONFIGURATION=yes")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	c.secret(t, ns, "inputs", map[string]string{"token": "the token"})
	config := resource(d.APIVersion(), "ProviderConfig", ns, "used", m{"tokenSecretRef": m{"name": "inputs", "key": "token"}})
	c.MustCreate(t, config)
	thing := func(name, approval string) *unstructured.Unstructured {
		r := d.thing(ns, name, nil)
		set(t, r, m{"kind": "ProviderConfig", "name": "used"}, "spec", "providerConfigRef")
		if approval != "" {
			set(t, r, approval, "spec", "lifecycle", "approvalPolicy")
		}
		return r
	}
	group := d.Name + ".landbridge.io"
	approve := func(name string) string { return fmt.Sprintf("landbridge approve things.%s %s -n %s", group, name, ns) }

	plain, careful, observed, absent := thing("plain", ""), thing("careful", "Destructive"),
		thing("observed", "Always"), thing("absent", "Always")
	for _, r := range []*unstructured.Unstructured{plain, careful} {
		c.MustCreate(t, r)
		c.WaitReady(t, r)
	}
	set(t, observed, []any{"Observe"}, "spec", "managementPolicies")
	for _, r := range []*unstructured.Unstructured{observed, absent} {
		c.MustCreate(t, r)
	}
	c.WaitFalse(t, absent, "Approved", "AwaitingApproval", "landbridge approve")
	c.WaitFor(t, config, "users are counted", func() bool {
		users, _, _ := unstructured.NestedInt64(config.Object, "status", "users")
		return users > 0
	})

	dry := client.DryRunAll
	for name, test := range map[string]struct {
		u    *unstructured.Unstructured
		want []string // parts of the warning; none: there is no warning
	}{
		"a resource":                        {u: plain},
		"a resource that asks for approval": {u: careful, want: []string{"destroyed when its deletion is approved", approve("careful")}},
		"one that destroys nothing":         {u: observed},
		"one without a remote object":       {u: absent},
		"a configuration in use": {
			u: config, want: []string{"Resources that use this configuration", "kubectl get managed -n " + ns},
		},
		"an object of Landbridge without uses": {u: d.provider()},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.deletes(t, test.u, dry)
			if len(test.want) == 0 && got != "" {
				t.Errorf("the warning is %q", got)
			}
			for _, part := range test.want {
				if !strings.Contains(got, part) {
					t.Errorf("the warning is %q, without %q", got, part)
				}
			}
		})
	}

	// It refuses nothing, and tells the same to whoever tries again.
	if got := c.deletes(t, careful); !strings.Contains(got, approve("careful")) {
		t.Errorf("the warning is %q", got)
	}
	c.WaitFor(t, careful, "its deletion waits for approval", func() bool {
		hash, _, _ := unstructured.NestedString(careful.Object, "status", "plan", "hash")
		action, _, _ := unstructured.NestedString(careful.Object, "status", "plan", "action")
		return action == "Delete" && hash != ""
	})
	if got := c.deletes(t, careful); !strings.Contains(got, approve("careful")) {
		t.Errorf("the second warning is %q", got)
	}
	hash, _, _ := unstructured.NestedString(careful.Object, "status", "plan", "hash")
	c.MustPatch(t, careful, `{"metadata":{"annotations":{"landbridge.io/approve":"`+hash+`"}}}`)
	c.WaitGone(t, careful)
}

// A TerraformProvider says that its spec.admission has no effect while the controller serves no
// webhook.
func TestAdmissionWithoutWebhook(t *testing.T) {
	c := shared(t)
	p := newDouble(t, "unshown").provider()
	set(t, p, "DryRun", "spec", "admission")
	c.install(t, p)
	says := func(want bool) func() bool {
		return func() bool {
			_, _, message := condition(p, "Healthy")
			return isTrue(p, "Healthy") && strings.Contains(message, "spec.admission: DryRun has no effect") == want
		}
	}
	c.WaitFor(t, p, "the message", says(true))
	c.MustPatch(t, p, `{"spec":{"admission":"Off"}}`)
	c.WaitFor(t, p, "no message", says(false))
}
