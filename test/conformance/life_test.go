package conformance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// install installs a form of the provider that is executed by the command line, for a cloud, and
// returns the group of its kinds.
func (c *cluster) install(
	t *testing.T, form, name string, cloud *examplecloudtest.Cloud, types ...string,
) (p *unstructured.Unstructured, group string) {
	t.Helper()
	activate := make([]any, len(types))
	for i, typ := range types {
		activate[i] = "examplecloud_" + typ
	}
	p = object("landbridge.io/v1alpha1", "TerraformProvider", "", name, m{
		"source": "landbridge-io/" + form, "version": release.Latest.String(), "execution": "CLI",
		"group": name + ".landbridge.io", "activate": activate,
	})
	group = name + ".landbridge.io/v1alpha1"
	c.MustCreate(t, p)
	c.executed(t, p, "CLI")
	c.MustCreate(t, object(group, "ClusterProviderConfig", "", "default", m{"endpoint": cloud.URL, "region": "us-east-1"}))
	return p, group
}

// TestLife tests custom resources that are executed by the command line: users see the same as with
// the other ways.
func TestLife(t *testing.T) {
	t.Parallel()
	c := shared(t)
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			cloud := examplecloudtest.Start(t)
			p, group := c.install(t, form, "life-"+form, cloud, "thing", "credential", "identity_import")
			ns := c.Namespace(t)
			did := func(what string, creates, updates, deletes int) {
				t.Helper()
				if a := cloud.Audit(t); a.Creates != creates || a.Updates != updates || a.Deletes != deletes || a.Live != creates-deletes {
					t.Fatalf("%s: %+v", what, a)
				}
			}

			thing := object(group, "Thing", ns, "a", m{"forProvider": m{"name": "a", "size": int64(1)}})
			is := func(what, field, value string, id func(string) bool) {
				t.Helper()
				c.WaitFor(t, thing, what, func() bool {
					return isTrue(thing, "Ready", "Synced") && current(thing) && text(thing, "status", "operation") == "" &&
						text(thing, "status", "atProvider", field) == value && id(text(thing, "status", "atProvider", "id"))
				})
			}
			var last string
			same := func(id string) bool { return id == last }
			another := func(id string) bool { return id != "" && id != last }
			c.MustCreate(t, thing)
			is("created", "size", "1", another)
			did("create", 1, 0, 0)
			last = text(thing, "status", "atProvider", "id")
			if text(thing, "status", "identity", "id") != last || text(thing, "status", "state") != "Full" {
				t.Errorf("status is %v", thing.Object["status"])
			}

			c.MustPatch(t, thing, `{"spec":{"forProvider":{"size":2}}}`)
			is("updated", "size", "2", same)
			did("update", 1, 1, 0)

			cloud.Change(t, "things", last, m{"size": 7})
			changed := cloud.Audit(t).Updates
			waittest.Eventually(t, "the change is reverted", func(context.Context) bool { return cloud.Audit(t).Updates == changed+1 })
			is("repaired", "size", "2", same)

			c.MustPatch(t, thing, `{"spec":{"forProvider":{"region":"eu-central-1"}}}`)
			is("replaced", "region", "eu-central-1", another)
			did("replacement", 2, changed+1, 1)
			last = text(thing, "status", "atProvider", "id")

			c.MustPatch(t, thing, `{"metadata":{"annotations":{"landbridge.io/taint":"1"}}}`)
			is("replaced, as it is tainted", "region", "eu-central-1", another)
			did("taint", 3, changed+1, 2)
			last = text(thing, "status", "atProvider", "id")

			cloud.Remove(t, "things", last)
			before := cloud.Audit(t)
			is("made again", "region", "eu-central-1", another)
			if a := cloud.Audit(t); a.Creates != before.Creates+1 || a.Live != 1 {
				t.Errorf("created again: %+v, %+v", before, a)
			}
			c.Remove(t, thing)

			c.lifeOfSecrets(t, group, ns)
			c.lifeOfImports(t, group, ns, form, cloud)
			if a := cloud.Audit(t); a.Live != 0 {
				t.Errorf("at the end: %+v", a)
			}
			c.Remove(t, p)
		})
	}
}

// lifeOfSecrets has sensitive and write-only inputs, and a sensitive output.
func (c *cluster) lifeOfSecrets(t *testing.T, group, ns string) {
	t.Helper()
	given := &corev1.Secret{StringData: map[string]string{"password": "hunter2", "secret": "hunter3"}}
	given.Namespace, given.Name = ns, "given"
	if err := c.Create(t.Context(), given); err != nil {
		t.Fatal(err)
	}
	u := object(group, "Credential", ns, "c", m{
		"forProvider": m{
			"name": "c", "passwordSecretRef": m{"name": "given", "key": "password"},
			"secretWoSecretRef": m{"name": "given", "key": "secret"}, "secretWoVersion": int64(1),
		},
		"writeConnectionSecretToRef": m{"name": "made"},
	})
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	var made corev1.Secret
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "made"}, &made); err != nil ||
		len(made.Data["attribute.api_key"]) == 0 {
		t.Errorf("the connection Secret: %v, %d keys", err, len(made.Data))
	}
	if text := fmt.Sprint(u.Object); strings.Contains(text, "hunter") || strings.Contains(text, string(made.Data["attribute.api_key"])) {
		t.Error("the resource shows a secret")
	}
	c.MustPatch(t, u, `{"spec":{"forProvider":{"secretWoVersion":2}}}`)
	c.WaitFor(t, u, "given another secret", func() bool {
		return isTrue(u, "Ready", "Synced") && current(u) && text(u, "status", "atProvider", "secretWoVersion") == "2"
	})
	c.Remove(t, u)
}

// lifeOfImports imports an existing object by identity.
func (c *cluster) lifeOfImports(t *testing.T, group, ns, form string, cloud *examplecloudtest.Cloud) {
	t.Helper()
	things := cloud.Make(t, "things", m{"name": "b", "region": "us-west-2"})
	imports := []*unstructured.Unstructured{object(group, "Thing", ns, "b", m{
		"forProvider": m{"name": "b"}, "import": m{"identity": m{"id": things["id"], "region": "us-west-2"}},
	})}
	if form != examplecloudtest.SDKv2 { // its provider returns no state
		note := cloud.Make(t, "identity_imports", m{"name": "n"})
		imports = append(imports, object(group, "IdentityImport", ns, "n", m{
			"forProvider": m{"name": "n"}, "import": m{"identity": m{"id": note["id"]}},
		}))
	}
	before := cloud.Audit(t)
	for _, u := range imports {
		c.MustCreate(t, u)
		c.WaitReady(t, u)
	}
	if a := cloud.Audit(t); a != before {
		t.Errorf("an import changed the cloud: %+v, %+v", before, a)
	}
	if got, want := text(imports[0], "status", "atProvider", "id"), fmt.Sprint(things["id"]); got != want {
		t.Errorf("imported %q, not %q", got, want)
	}
	for _, u := range imports {
		c.Remove(t, u)
	}
}
