package behaviour_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
)

var _ = register(map[string]func(*testing.T, *column){
	"import-id":                   importID,
	"import-identity":             importIdentity,
	"import-identity-partial":     importIdentityPartial,
	"import-identity-replaced":    importIdentityReplaced,
	"import-identity-several":     importIdentitySeveral,
	"import-passthrough-id":       importPassthroughID,
	"import-passthrough-identity": importPassthroughIdentity,
	"import-without-id":           importWithoutID,
	"import-without-state":        importWithoutState,
	"import-exactly-one":          importExactlyOne,
	"import-unknown-attribute":    importUnknownAttribute,
	"import-wrong-type":           importWrongType,
	"import-immutable":            importImmutable,
	"import-id-unsupported":       importIDUnsupported,
	"import-unsupported":          importUnsupported,
	"import-not-found-id":         importNotFoundID,
	"import-not-found-identity":   importNotFoundIdentity,
	"import-no-object":            importNoObject,
	"import-several-objects":      importSeveralObjects,
	"import-other-type":           importOtherType,
	"import-observe-only":         importObserveOnly,
	"import-plan-first":           importPlanFirst,
	"import-plan-shown":           importPlanShown,
	"import-no-op":                importNoOp,
	"import-external-name":        importExternalName,
	"import-secrets":              importSecrets,
})

// thing creates a thing in the cloud, named after the test.
func (c *column) thing(t *testing.T, region string) api.Thing {
	t.Helper()
	return made(t, c.world, api.Things, api.Thing{Name: nameOf(t), Region: region, Size: 1})
}

// taken fails the test unless the resource has imported that object, completely and unchanged.
func (c *column) taken(t *testing.T, u *unstructured.Unstructured, id string, identity m) {
	t.Helper()
	if diff := cmp.Diff(identity, identityOf(u)); diff != "" {
		t.Errorf("status.identity: %s", diff)
	}
	if state := text(u, "status", "state"); state != "Full" {
		t.Errorf("state %s", state)
	}
	if at(u, "status", "atProvider") == nil {
		t.Error("the object's state is not stored")
	}
	c.untouched(t, id, u.GetName())
}

func importID(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	u := c.resource(t, "Thing", m{"forProvider": m{"name": object.Name}, "import": m{"id": object.ID}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-east-1"})
}

func importIdentity(t *testing.T, c *column) {
	// In a region other than that of the provider's configuration: without the region it is not
	// found.
	object := c.thing(t, "eu-central-1")
	identity := m{"id": object.ID, "region": "eu-central-1"}
	u := c.resource(t, "Thing", m{"forProvider": m{"name": object.Name, "region": "eu-central-1"}, "import": m{"identity": identity}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, identity)
}

func importIdentityPartial(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	u := c.resource(t, "Thing", m{"forProvider": m{"name": object.Name}, "import": m{"identity": m{"id": object.ID}}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-east-1"})
	if diff := cmp.Diff(m{"id": object.ID}, at(u, "spec", "import", "identity")); diff != "" {
		t.Errorf("the spec was written to: %s", diff)
	}
	if stored := string(c.stored(t, u)["identity"]); !strings.Contains(stored, `"region":"us-east-1"`) {
		t.Errorf("stored is %s", stored)
	}
}

// The cloud takes names of regions in any case, and answers with its own.
func importIdentityReplaced(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	given, stored := m{"id": object.ID, "region": "US-East-1"}, m{"id": object.ID, "region": "us-east-1"}
	u := c.resource(t, "Thing", m{"forProvider": m{"name": object.Name}, "import": m{"identity": given}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, stored)
	if diff := cmp.Diff(given, at(u, "spec", "import", "identity")); diff != "" {
		t.Errorf("the spec was written to: %s", diff)
	}
	c.Reconcile(t, u)
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, stored)
}

// datastore creates a datastore in the cloud, named after the test.
func (c *column) datastore(t *testing.T) (api.Datastore, m) {
	t.Helper()
	object := made(t, c.world, api.Datastores, api.Datastore{
		HCIClusterUUID: "u-1", ClusterInfo: api.ClusterInfo{ID: "c-1"}, Name: nameOf(t), CapacityGiB: 10,
	})
	return object, datastoreSpec(object.Name)
}

func datastoreSpec(name string) m {
	return m{"hciClusterUuid": "u-1", "clusterInfo": m{"id": "c-1"}, "name": name}
}

func datastoreIdentity(name string) m {
	return m{"hciClusterUuid": "u-1", "clusterInfoId": "c-1", "name": name}
}

func importIdentitySeveral(t *testing.T, c *column) {
	object, spec := c.datastore(t)
	identity := datastoreIdentity(object.Name)
	u := c.resource(t, "Datastore", m{"forProvider": spec, "import": m{"identity": identity}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, identity)
}

func (c *column) ticket(t *testing.T) api.Ticket {
	t.Helper()
	return made(t, c.world, api.Tickets, api.Ticket{Title: nameOf(t), Severity: "normal"})
}

func importPassthroughID(t *testing.T, c *column) {
	object := c.ticket(t)
	u := c.resource(t, "Ticket", m{"forProvider": m{"title": object.Title}, "import": m{"id": object.ID}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID})
}

func importPassthroughIdentity(t *testing.T, c *column) {
	object := c.ticket(t)
	u := c.resource(t, "Ticket", m{"forProvider": m{"title": object.Title}, "import": m{"identity": m{"id": object.ID}}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID})
}

// This type refuses every id, so a successful import had none.
func importWithoutID(t *testing.T, c *column) {
	object := made(t, c.world, api.IdentityImports, api.Note{Name: nameOf(t)})
	u := c.resource(t, "IdentityImport", m{"forProvider": m{"name": object.Name}, "import": m{"identity": m{"id": object.ID}}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID})
}

// In the framework, this type's importer returns only the identity.
func importWithoutState(t *testing.T, c *column) {
	object := made(t, c.world, api.IdentityImports, api.Note{Name: nameOf(t), Text: "text"})
	u := c.resource(t, "IdentityImport", m{"forProvider": m{"name": object.Name, "text": "text"}, "import": m{"identity": m{"id": object.ID}}})
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID})
	if got := text(u, "status", "atProvider", "text"); got != "text" {
		t.Errorf("Read found the text %q", got)
	}
}

// refusesImport fails the test unless the API server refuses to create a thing with this import,
// with kubectl's strict validation.
func (c *column) refusesImport(t *testing.T, imported m, parts ...string) {
	t.Helper()
	err := c.Create(t.Context(), c.object("Thing", nameOf(t), m{"forProvider": m{"name": "x"}, "import": imported}),
		client.FieldValidation("Strict"))
	if err == nil {
		t.Errorf("%v was accepted", imported)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v: %v does not say %q", imported, err, part)
		}
	}
}

func importExactlyOne(t *testing.T, c *column) {
	c.refusesImport(t, m{"id": "x", "identity": m{"id": "x"}}, "spec.import", "exactly one")
	c.refusesImport(t, m{}, "spec.import", "exactly one")
	c.refusesImport(t, m{"id": ""}, "spec.import.id")
}

func importUnknownAttribute(t *testing.T, c *column) {
	c.refusesImport(t, m{"identity": m{"id": "x", "zone": "x"}}, `unknown field "spec.import.identity.zone"`)
}

func importWrongType(t *testing.T, c *column) {
	c.refusesImport(t, m{"identity": m{"id": int64(5)}}, "spec.import.identity.id", "string")
	c.refusesImport(t, m{"identity": m{"id": "x", "region": []any{"us-east-1"}}}, "spec.import.identity.region", "string")
	c.refusesImport(t, m{"identity": "x"}, "spec.import.identity", "object")
	c.refusesImport(t, m{"id": true}, "spec.import.id", "string")
}

func importImmutable(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	u := c.resource(t, "Thing", m{"forProvider": m{"name": object.Name}, "import": m{"identity": m{"id": object.ID}}})
	for merge, says := range map[string]string{
		`{"spec":{"import":{"identity":{"id":"another"}}}}`:              "immutable",
		`{"spec":{"import":{"identity":{"region":"us-west-2"}}}}`:        "immutable",
		`{"spec":{"import":{"id":"` + object.ID + `"}}}`:                 "spec.import",
		`{"spec":{"import":{"id":"` + object.ID + `","identity":null}}}`: "immutable",
		`{"spec":{"import":null}}`:                                       "cannot be removed",
	} {
		err := c.Patch(t.Context(), u.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(merge)))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", merge, err)
		}
	}
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-east-1"})
}

func importIDUnsupported(t *testing.T, c *column) {
	object := made(t, c.world, api.IdentityImports, api.Note{Name: nameOf(t)})
	u := c.resource(t, "IdentityImport", m{"forProvider": m{"name": object.Name}, "import": m{"id": object.ID}})
	says := "Import by id is not supported"
	if c.Form == provider.SDKv2 {
		says = "import by id is not supported"
	}
	c.WaitFalse(t, u, "Synced", "ImportFailed", says)
	c.noStorm(t, u)
	c.untouched(t, object.ID, object.Name)
	if c.stored(t, u) != nil {
		t.Error("something is stored")
	}
}

func importUnsupported(t *testing.T, c *column) {
	object := made(t, c.world, api.NoImports, api.Note{Name: nameOf(t)})
	says := "Resource Import Not Implemented"
	if c.Form == provider.SDKv2 {
		says = "doesn't support import"
	}
	spec := m{"name": object.Name}
	byID := c.resource(t, "NoImport", m{"forProvider": spec, "import": m{"id": object.ID}})
	byIdentity := c.object("NoImport", nameOf(t)+"-identity", m{"forProvider": spec, "import": m{"identity": m{"id": object.ID}}})
	c.MustCreate(t, byIdentity)
	c.WaitFalse(t, byID, "Synced", "ImportFailed", says)
	c.WaitFalse(t, byIdentity, "Synced", "ImportFailed", says)
	c.noStorm(t, byIdentity)
	c.untouched(t, object.ID, object.Name)
}

const nonExistent = "Cannot import non-existent remote object"

func importNotFoundID(t *testing.T, c *column) {
	u := c.resource(t, "IDImport", m{"forProvider": m{"name": nameOf(t)}, "import": m{"id": "nowhere"}})
	c.WaitFalse(t, u, "Synced", "ImportFailed", nonExistent)
	// For a type with an identity, the framework reports that Read returned none.
	identified := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t)}, "import": m{"id": "nowhere"}})
	c.WaitFalse(t, identified, "Synced", "ImportFailed", nonExistent)
	c.noStorm(t, identified)
	c.untouched(t, nameOf(t))
}

func importNotFoundIdentity(t *testing.T, c *column) {
	u := c.resource(t, "Datastore", m{"forProvider": datastoreSpec(nameOf(t)), "import": m{"identity": datastoreIdentity(nameOf(t))}})
	c.WaitFalse(t, u, "Synced", "ImportFailed", nonExistent)
	c.noStorm(t, u)
	c.untouched(t, nameOf(t))
	object, _ := c.datastore(t)
	c.RequestReconcile(t, u)
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, datastoreIdentity(object.Name))
}

// refusesOddImport imports an id for which this type's importer returns an invalid response.
func (c *column) refusesOddImport(t *testing.T, id, says string) {
	t.Helper()
	u := c.resource(t, "OddImport", m{"forProvider": m{"name": nameOf(t)}, "import": m{"id": id}})
	c.WaitFalse(t, u, "Synced", "ImportFailed", says)
	c.noStorm(t, u)
	c.untouched(t, nameOf(t))
	if c.stored(t, u) != nil {
		t.Error("something is stored")
	}
}

func importNoObject(t *testing.T, c *column) {
	c.refusesOddImport(t, "none", "Import returned no resources")
}

func importSeveralObjects(t *testing.T, c *column) {
	a, b := made(t, c.world, api.OddImports, api.Note{Name: "a"}), made(t, c.world, api.OddImports, api.Note{Name: "b"})
	c.refusesOddImport(t, "several:"+a.ID+","+b.ID, "Multiple import states not supported")
}

func importOtherType(t *testing.T, c *column) {
	object := made(t, c.world, api.IDImports, api.Note{Name: "other"})
	c.refusesOddImport(t, "other:"+object.ID, "examplecloud_id_import")
}

func importObserveOnly(t *testing.T, c *column) {
	object := c.thing(t, "us-west-2")
	// Only the identity is given.
	u := c.resource(t, "Thing", m{
		"forProvider": m{}, "managementPolicies": []any{"Observe"},
		"import": m{"identity": m{"id": object.ID, "region": "us-west-2"}},
	})
	c.WaitFor(t, u, "ready", func() bool { return isTrue(u, "Ready", "Synced") })
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-west-2"})
	if got := text(u, "status", "atProvider", "name"); got != object.Name {
		t.Errorf("the name is %q", got)
	}
	changed(t, c.world, api.Things, object.ID, m{"size": 7})
	c.RequestReconcile(t, u)
	c.WaitFor(t, u, "observed anew", func() bool { return text(u, "status", "atProvider", "size") == "7" })
	c.Remove(t, u)
	c.untouched(t, object.ID, object.Name)
	is(t, c.world, api.Things, object.ID)
}

func importPlanFirst(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	u := c.resource(t, "Thing", m{
		"forProvider": m{"name": object.Name, "size": int64(5)}, "managementPolicies": []any{"Observe"},
		"import": m{"identity": m{"id": object.ID}},
	})
	c.WaitFor(t, u, "with a plan", func() bool { return text(u, "status", "plan", "action") == "Update" })
	want := []any{m{"path": "size", "before": int64(1), "after": int64(5)}}
	if diff := cmp.Diff(want, at(u, "status", "plan", "changes")); diff != "" {
		t.Errorf("status.plan.changes: %s", diff)
	}
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-east-1"})
	c.MustPatch(t, u, `{"spec":{"managementPolicies":["*"]}}`)
	c.WaitReady(t, u)
	if got := is(t, c.world, api.Things, object.ID).Size; got != 5 {
		t.Errorf("the size is %d", got)
	}
	if n := len(c.written(http.MethodPatch, object.ID)); n != 1 {
		t.Errorf("it was changed %d times", n)
	}
}

// An import that may change the object also shows its plan first: the status with the plan is
// written before the intent of the change, and the intent before the provider is called.
func importPlanShown(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	u := c.object("Thing", nameOf(t), m{"forProvider": m{"name": object.Name, "size": int64(5)}, "import": m{"identity": m{"id": object.ID}}})
	planned := c.firstVersion(t, u, func(o *unstructured.Unstructured) bool {
		return text(o, "status", "plan", "action") == "Update" && at(o, "status", "operation") == nil
	})
	secret := &unstructured.Unstructured{}
	secret.SetAPIVersion("v1")
	secret.SetKind("Secret")
	secret.SetNamespace(system)
	secret.SetName(secretName(u))
	intended := c.firstVersion(t, secret, func(o *unstructured.Unstructured) bool {
		data, err := base64.StdEncoding.DecodeString(text(o, "data", "instance.json"))
		return err == nil && strings.Contains(string(data), `"operation":`) && strings.Contains(string(data), `"kind":"Update"`)
	})
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	if got := is(t, c.world, api.Things, object.ID).Size; got != 5 {
		t.Errorf("the size is %d", got)
	}
	plan, intent := <-planned, <-intended
	if order, err := resourceversion.CompareResourceVersion(plan, intent); plan == "" || intent == "" || err != nil || order >= 0 {
		t.Errorf("the plan was shown at version %q, and the intent written at %q (%v)", plan, intent, err)
	}
}

// firstVersion returns the first version of an object for which the condition holds; empty if there
// is none in time.
func (e *environment) firstVersion(t *testing.T, of *unstructured.Unstructured, holds func(*unstructured.Unstructured) bool) <-chan string {
	t.Helper()
	watcher, err := client.NewWithWatch(e.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(of.GroupVersionKind())
	w, err := watcher.Watch(t.Context(), list, client.InNamespace(of.GetNamespace()), client.MatchingFields{"metadata.name": of.GetName()})
	if err != nil {
		t.Fatal(err)
	}
	out := make(chan string, 1)
	go func() {
		defer w.Stop()
		timeout := time.After(limit)
		for {
			select {
			case event, ok := <-w.ResultChan():
				if o, is := event.Object.(*unstructured.Unstructured); ok && is && holds(o) {
					out <- o.GetResourceVersion()
					return
				}
			case <-timeout:
				out <- ""
				return
			}
		}
	}()
	return out
}

func importNoOp(t *testing.T, c *column) {
	object := made(t, c.world, api.Things, api.Thing{Name: nameOf(t), Region: "us-west-2", Size: 3, Tags: map[string]string{"a": "b"}})
	u := c.resource(t, "Thing", m{
		"forProvider": m{"name": object.Name, "region": "us-west-2", "size": int64(3), "tags": m{"a": "b"}},
		"import":      m{"identity": m{"id": object.ID, "region": "us-west-2"}},
	})
	c.WaitReady(t, u)
	if !isTrue(u, "UpToDate") {
		t.Error("it is not up to date")
	}
	c.Reconcile(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-west-2"})
}

func importExternalName(t *testing.T, c *column) {
	object := c.thing(t, "us-east-1")
	u := c.object("Thing", nameOf(t), m{"forProvider": m{"name": object.Name}})
	u.SetAnnotations(map[string]string{"crossplane.io/external-name": object.ID})
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	c.taken(t, u, object.ID, m{"id": object.ID, "region": "us-east-1"})
}

func importSecrets(t *testing.T, c *column) {
	object := made(t, c.world, api.Credentials, api.Credential{Name: nameOf(t), Password: "the old password", Secret: "the old secret"})
	secret := &corev1.Secret{StringData: map[string]string{"password": "the new password", "secret": "the new secret"}}
	secret.Namespace, secret.Name = c.name, nameOf(t)
	if err := c.Client.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	u := c.resource(t, "Credential", m{
		"forProvider": m{
			"name":              object.Name,
			"passwordSecretRef": m{"name": secret.Name, "key": "password"},
			"secretWoSecretRef": m{"name": secret.Name, "key": "secret"}, "secretWoVersion": int64(2),
		},
		"import": m{"identity": m{"id": object.ID}},
	})
	c.WaitReady(t, u)
	if now := is(t, c.world, api.Credentials, object.ID); now.PasswordSHA256 == object.PasswordSHA256 ||
		now.SecretSHA256 == object.SecretSHA256 {
		t.Errorf("the secrets did not get to the cloud: %v", now)
	}
	stored := string(c.stored(t, u)["state"])
	if strings.Contains(stored, "the new secret") || !strings.Contains(stored, `"secret_wo":null`) {
		t.Error("the write-only argument is stored")
	}
	content, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"the new password", "the new secret", object.APIKey} {
		if hidden == "" || strings.Contains(string(content), hidden) {
			t.Errorf("%q is shown", hidden)
		}
	}
}
