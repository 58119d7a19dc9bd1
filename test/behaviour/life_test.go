package behaviour_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

var _ = register(map[string]func(*testing.T, *column){
	"create-stores":         createStores,
	"create-plans":          createPlans,
	"given-to-provider":     givenToProvider,
	"update-keeps":          updateKeeps,
	"replace-renews":        replaceRenews,
	"gone-renews":           goneRenews,
	"external-name":         externalName,
	"external-name-several": externalNameSeveral,
	"state-lost":            stateLost,
})

// table returns the output of kubectl get -o wide for the resources of a kind, by name and column.
func (c *column) table(t *testing.T, plural string) map[string]map[string]any {
	t.Helper()
	kube, err := kubernetes.NewForConfig(rest.CopyConfig(c.Config))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := kube.RESTClient().Get().AbsPath("/apis/"+c.group+"/v1alpha1/namespaces/"+c.name+"/"+plural).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table metav1.Table
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for _, row := range table.Rows {
		cells := map[string]any{}
		for i, cell := range row.Cells {
			cells[strings.ToUpper(table.ColumnDefinitions[i].Name)] = cell
		}
		out[row.Cells[0].(string)] = cells
	}
	return out
}

func createStores(t *testing.T, c *column) {
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t), "region": "us-west-2"}})
	c.WaitReady(t, u)
	objects := named(t, c.world, api.Things, nameOf(t))
	if len(objects) != 1 {
		t.Fatalf("there are %v", objects)
	}
	identity := m{"id": objects[0].ID, "region": "us-west-2"}
	if diff := cmp.Diff(identity, identityOf(u)); diff != "" {
		t.Errorf("status.identity: %s", diff)
	}
	var stored, annotated m
	if err := json.Unmarshal(c.stored(t, u)["identity"], &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(identity, stored); diff != "" {
		t.Errorf("stored: %s", diff)
	}
	c.WaitFor(t, u, "annotated", func() bool { return u.GetAnnotations()["landbridge.io/identity"] != "" })
	if err := json.Unmarshal([]byte(u.GetAnnotations()["landbridge.io/identity"]), &annotated); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(identity, annotated); diff != "" {
		t.Errorf("annotation: %s", diff)
	}
	row := c.table(t, "things")[u.GetName()]
	if row["ID"] != objects[0].ID || row["REGION"] != "us-west-2" {
		t.Errorf("kubectl prints %v", row)
	}
}

func createPlans(t *testing.T, c *column) {
	name := nameOf(t)
	c.hang(t, string(api.Datastores), "name", name)
	u := c.resource(t, "Datastore", m{"forProvider": datastoreSpec(name)})
	c.WaitFor(t, u, "being created", func() bool { return text(u, "status", "operation", "kind") == "Create" })
	var operation struct{ PlannedIdentity []byte }
	eventually(t, "the journal has it", func(ctx) bool { return c.stored(t, u)["operation"] != nil })
	if err := json.Unmarshal(c.stored(t, u)["operation"], &operation); err != nil {
		t.Fatal(err)
	}
	// It is msgpack, in which strings are readable.
	for _, part := range []string{"hci_cluster_uuid", "u-1", "cluster_info_id", "c-1", "name", name} {
		if !bytes.Contains(operation.PlannedIdentity, []byte(part)) {
			t.Errorf("the journal's identity has no %q", part)
		}
	}
	if len(named(t, c.world, api.Datastores, name)) > 0 {
		t.Error("it exists already")
	}
	eventually(t, "its task runs", func(ctx) bool { return len(tasks(t, c.world, api.Datastores, "name", name)) == 1 })
	c.end(t, tasks(t, c.world, api.Datastores, "name", name))
	c.WaitReady(t, u)
	if diff := cmp.Diff(datastoreIdentity(name), identityOf(u)); diff != "" {
		t.Error(diff)
	}
}

// This type finds its object only by its identity.
func givenToProvider(t *testing.T, c *column) {
	u := c.resource(t, "IdentityImport", m{"forProvider": m{"name": nameOf(t), "text": "one"}})
	c.WaitReady(t, u)
	id := text(u, "status", "identity", "id")
	changed(t, c.world, api.IdentityImports, id, m{"text": "from outside"})
	c.RequestReconcile(t, u) // Read, Update
	eventually(t, "the text is as it was", func(ctx ctx) bool {
		now, err := client.Get(ctx, c.hand, api.IdentityImports, id, "")
		return err == nil && now.Text == "one"
	})
	c.WaitReady(t, u)
	c.Remove(t, u) // Delete
	if _, err := client.Get(t.Context(), c.hand, api.IdentityImports, id, ""); !client.NotFound(err) {
		t.Errorf("it was not deleted: %v", err)
	}
}

func updateKeeps(t *testing.T, c *column) {
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	before, stored := identityOf(u), string(c.stored(t, u)["identity"])
	c.MustPatch(t, u, `{"spec":{"forProvider":{"size":4}}}`)
	c.WaitFor(t, u, "larger", func() bool { return text(u, "status", "atProvider", "size") == "4" })
	if diff := cmp.Diff(before, identityOf(u)); diff != "" || len(before) != 2 {
		t.Errorf("status.identity: %s", diff)
	}
	if now := string(c.stored(t, u)["identity"]); now != stored {
		t.Errorf("stored is %s, was %s", now, stored)
	}
}

func replaceRenews(t *testing.T, c *column) {
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t), "region": "us-east-1"}})
	c.WaitReady(t, u)
	old := text(u, "status", "identity", "id")
	c.MustPatch(t, u, `{"spec":{"forProvider":{"region":"us-west-2"}}}`)
	c.WaitFor(t, u, "another", func() bool {
		return isTrue(u, "Ready", "Synced") && text(u, "status", "identity", "region") == "us-west-2"
	})
	c.renewed(t, u, old)
	if n := len(c.written(http.MethodDelete, old)); n != 1 {
		t.Errorf("the old one was deleted %d times", n)
	}
}

func goneRenews(t *testing.T, c *column) {
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	old := text(u, "status", "identity", "id")
	if err := client.Delete(t.Context(), c.hand, api.Things, old); err != nil {
		t.Fatal(err)
	}
	c.RequestReconcile(t, u)
	c.WaitFor(t, u, "another", func() bool {
		id := text(u, "status", "identity", "id")
		return isTrue(u, "Ready", "Synced") && id != "" && id != old
	})
	c.renewed(t, u, old)
}

// renewed fails the test unless the resource has one new object and the old one is gone
// everywhere.
func (c *column) renewed(t *testing.T, u *unstructured.Unstructured, old string) {
	t.Helper()
	objects := named(t, c.world, api.Things, nameOf(t))
	if len(objects) != 1 || objects[0].ID == old || objects[0].ID != identityOf(u)["id"] {
		t.Fatalf("there are %v, and the identity is %v", objects, identityOf(u))
	}
	c.WaitFor(t, u, "annotated anew", func() bool {
		return u.GetAnnotations()["crossplane.io/external-name"] == objects[0].ID &&
			strings.Contains(u.GetAnnotations()["landbridge.io/identity"], objects[0].ID)
	})
	c.WaitReady(t, u)
	content, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), old) {
		t.Errorf("the resource still contains %s: %s", old, content)
	}
	for field, raw := range c.stored(t, u) {
		if strings.Contains(string(raw), old) {
			t.Errorf("%s is still stored: %s", old, field)
		}
	}
}

func externalName(t *testing.T, c *column) {
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	id := text(u, "status", "identity", "id")
	c.WaitFor(t, u, "named", func() bool { return u.GetAnnotations()["crossplane.io/external-name"] == id && id != "" })
}

func externalNameSeveral(t *testing.T, c *column) {
	u := c.resource(t, "Datastore", m{"forProvider": datastoreSpec(nameOf(t))})
	c.WaitReady(t, u)
	want := "cluster_info_id=c-1,hci_cluster_uuid=u-1,name=" + nameOf(t)
	c.WaitFor(t, u, "named "+want, func() bool { return u.GetAnnotations()["crossplane.io/external-name"] == want })
}

func stateLost(t *testing.T, c *column) {
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	id := text(u, "status", "identity", "id")
	c.WaitFor(t, u, "annotated", func() bool { return u.GetAnnotations()["landbridge.io/identity"] != "" })
	if err := c.Client.Delete(t.Context(), c.storedSecret(t, u)); err != nil {
		t.Fatal(err)
	}
	c.MustPatch(t, u, `{"spec":{"forProvider":{"size":6}}}`)
	c.WaitFor(t, u, "larger", func() bool { return isTrue(u, "Ready", "Synced") && text(u, "status", "atProvider", "size") == "6" })
	if diff := cmp.Diff(m{"id": id, "region": "us-east-1"}, identityOf(u)); diff != "" {
		t.Error(diff)
	}
	if n := len(named(t, c.world, api.Things, nameOf(t))); n != 1 {
		t.Errorf("there are %d", n)
	}
}
