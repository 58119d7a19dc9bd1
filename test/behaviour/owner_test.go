package behaviour_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

var _ = register(map[string]func(*testing.T, *column){
	"conflict":            conflict,
	"conflict-resolved":   conflictResolved,
	"conflict-namespaces": conflictNamespaces,
	"conflict-racing":     conflictRacing,
	"adoption-refused":    adoptionRefused,
	"adoption-import":     adoptionImport,
})

// conflicting creates two resources for one thing; the younger one wants it larger.
func (c *column) conflicting(t *testing.T) (object api.Thing, older, younger *unstructured.Unstructured) {
	t.Helper()
	object = c.thing(t, "us-east-1")
	older = c.resource(t, "Thing", m{"forProvider": m{"name": object.Name}, "import": m{"id": object.ID}})
	c.WaitReady(t, older)
	younger = c.object("Thing", nameOf(t)+"-younger", m{
		"forProvider": m{"name": object.Name, "size": int64(9)}, "import": m{"identity": m{"id": object.ID}},
	})
	c.MustCreate(t, younger)
	c.WaitFalse(t, younger, "Synced", reasonConflict, older.GetNamespace(), older.GetName())
	return object, older, younger
}

func conflict(t *testing.T, c *column) {
	object, older, younger := c.conflicting(t)
	c.noStorm(t, younger)
	c.RequestReconcile(t, older)
	c.WaitReady(t, older)
	c.taken(t, older, object.ID, m{"id": object.ID, "region": "us-east-1"})
	// Deleting the younger deletes nothing.
	c.Remove(t, younger)
	c.untouched(t, object.ID)
	is(t, c.world, api.Things, object.ID)
}

func conflictResolved(t *testing.T, c *column) {
	object, older, younger := c.conflicting(t)
	c.MustPatch(t, older, `{"spec":{"managementPolicies":["Observe"]}}`)
	c.Remove(t, older)
	c.WaitReady(t, younger)
	if diff := cmp.Diff(m{"id": object.ID, "region": "us-east-1"}, identityOf(younger)); diff != "" {
		t.Error(diff)
	}
	if got := is(t, c.world, api.Things, object.ID).Size; got != 9 {
		t.Errorf("the size is %d", got)
	}
}

func conflictNamespaces(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	older := c.resource(t, "Thing", m{
		"forProvider": m{"name": object.Name}, "import": m{"identity": m{"id": object.ID, "region": "us-east-1"}},
	})
	c.WaitReady(t, older)
	c.makeNamespace(t, c.name+"-other")
	// It has another configuration of the same account.
	config := c.object("ProviderConfig", nameOf(t), m{"endpoint": c.endpoint, "region": "us-east-1"})
	config.SetNamespace(c.name + "-other")
	c.MustCreate(t, config)
	younger := c.object("Thing", nameOf(t), m{
		"forProvider": m{"name": object.Name, "size": int64(9)}, "providerConfigRef": m{
			"kind": "ProviderConfig", "name": config.GetName(),
		},
	})
	younger.SetNamespace(c.name + "-other")
	younger.SetAnnotations(map[string]string{"crossplane.io/external-name": object.ID})
	c.MustCreate(t, younger)
	message := c.WaitFalse(t, younger, "Synced", reasonConflict, "belongs to a resource of another namespace")
	if strings.Contains(message, older.GetName()) {
		t.Errorf("the owner is named: %s", message)
	}
	c.untouched(t, object.ID)
}

func conflictRacing(t *testing.T, c *column) {
	var all []*unstructured.Unstructured
	var group sync.WaitGroup
	for _, suffix := range []string{"-a", "-b", "-c"} {
		u := c.object("Datastore", nameOf(t)+suffix, m{"forProvider": datastoreSpec(nameOf(t))})
		all = append(all, u)
		group.Go(func() {
			if err := c.Create(t.Context(), u); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	outcomes := func() (ready, conflicts int) {
		for _, u := range all {
			c.MustGet(t, u)
			if isTrue(u, "Ready", "Synced") {
				ready++
			}
			if _, reason, _ := condition(u, "Synced"); reason == reasonConflict {
				conflicts++
			}
		}
		return ready, conflicts
	}
	eventually(t, "one has it and the others have a conflict", func(ctx) bool {
		ready, conflicts := outcomes()
		return ready == 1 && conflicts == 2
	})
	for _, u := range all {
		c.RequestReconcile(t, u)
	}
	c.noStorm(t, all[0])
	if ready, conflicts := outcomes(); ready != 1 || conflicts != 2 {
		t.Errorf("%d ready, %d conflicts", ready, conflicts)
	}
	if n := len(named(t, c.world, api.Datastores, nameOf(t))); n != 1 {
		t.Errorf("there are %d", n)
	}
	if n := len(c.written(http.MethodPost, nameOf(t))); n != 1 {
		t.Errorf("%d creates were sent", n)
	}
}

// refusedAdoption creates a resource for a datastore that already exists, and returns the
// spec.import that its message suggests.
func (c *column) refusedAdoption(t *testing.T) (object api.Datastore, u *unstructured.Unstructured, imported string) {
	t.Helper()
	object, spec := c.datastore(t)
	u = c.resource(t, "Datastore", m{"forProvider": spec})
	message := c.WaitFalse(t, u, "Synced", reasonAdoption, "spec.import")
	imported = regexp.MustCompile(`\{.*\}`).FindString(message)
	return object, u, imported
}

func adoptionRefused(t *testing.T, c *column) {
	object, u, imported := c.refusedAdoption(t)
	var got m
	if err := json.Unmarshal([]byte(imported), &got); err != nil {
		t.Fatalf("%v: %s", err, imported)
	}
	if diff := cmp.Diff(m{"identity": datastoreIdentity(object.Name)}, got); diff != "" {
		t.Error(diff)
	}
	c.noStorm(t, u)
	c.untouched(t, object.ID, object.Name)
	// Deleting the resource does not delete an object that it never owned.
	c.Remove(t, u)
	c.untouched(t, object.ID, object.Name)
	is(t, c.world, api.Datastores, object.ID)
}

func adoptionImport(t *testing.T, c *column) {
	object, u, imported := c.refusedAdoption(t)
	c.MustPatch(t, u, `{"spec":{"import":`+imported+`}}`)
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, datastoreIdentity(object.Name))
}
