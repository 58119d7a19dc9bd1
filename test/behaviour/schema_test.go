package behaviour_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

var _ = register(map[string]func(*testing.T, *column){
	"typed":               typed,
	"every-type":          everyType,
	"required-for-import": requiredForImport,
	"optional-for-import": optionalForImport,
	"set-by-provider":     setByProvider,
	"no-identity":         noIdentity,
})

// schemaOf returns the schema of a kind from the API server.
func (c *column) schemaOf(t *testing.T, plural string) apiextensionsv1.CustomResourceDefinitionVersion {
	t.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := c.Get(t.Context(), client.ObjectKey{Name: plural + "." + c.group}, u); err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Versions[0]
}

func typed(t *testing.T, c *column) {
	types := func(s apiextensionsv1.JSONSchemaProps) map[string]string {
		out := map[string]string{}
		for name, p := range s.Properties {
			out[name] = p.Type
			if p.Items != nil && p.Items.Schema != nil {
				out[name] += " of " + p.Items.Schema.Type
			}
		}
		return out
	}
	for plural, want := range map[string]map[string]string{
		"things": {"id": "string", "region": "string"},
		"shapes": {
			"id": "string", "zones": "array of string", "levels": "array of number", "switches": "array of boolean",
			"weight": "number", "active": "boolean",
		},
		"datastores": {"hciClusterUuid": "string", "clusterInfoId": "string", "name": "string"},
	} {
		s := c.schemaOf(t, plural).Schema.OpenAPIV3Schema
		spec, status := s.Properties["spec"].Properties["import"].Properties["identity"], s.Properties["status"].Properties["identity"]
		if diff := cmp.Diff(want, types(spec)); diff != "" {
			t.Errorf("%s: spec.import.identity: %s", plural, diff)
		}
		if diff := cmp.Diff(want, types(status)); diff != "" {
			t.Errorf("%s: status.identity: %s", plural, diff)
		}
		if len(status.Required) > 0 {
			t.Errorf("%s: required in status.identity: %v", plural, status.Required)
		}
	}
}

func everyType(t *testing.T, c *column) {
	// Deleting the resource orphans the object.
	values := m{"zones": []any{"b", "a"}, "levels": []any{0.25, 2.5}, "switches": []any{true, false}, "weight": 1.5, "active": true}
	spec := maps.Clone(values)
	spec["name"] = nameOf(t)
	first := c.object("Shapes", nameOf(t), m{"forProvider": spec, "managementPolicies": []any{"Observe", "Create", "Update"}})
	c.MustCreate(t, first)
	c.WaitReady(t, first)
	identity := identityOf(first)
	values["id"] = identity["id"]
	if diff := cmp.Diff(values, identity); diff != "" || identity["id"] == nil {
		t.Fatalf("the identity is %v", identity)
	}
	var annotated m
	if err := json.Unmarshal([]byte(first.GetAnnotations()["landbridge.io/identity"]), &annotated); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(identity, annotated); diff != "" {
		t.Errorf("the annotation is not status.identity: %s", diff)
	}
	c.Remove(t, first)

	second := c.object("Shapes", nameOf(t)+"-again", m{"forProvider": spec, "import": m{"identity": identity}})
	c.MustCreate(t, second)
	c.WaitReady(t, second)
	if diff := cmp.Diff(identity, identityOf(second)); diff != "" {
		t.Errorf("imported by it: %s", diff)
	}
	if n := len(named(t, c.world, api.Shapes, nameOf(t))); n != 1 {
		t.Errorf("there are %d", n)
	}
}

func requiredForImport(t *testing.T, c *column) {
	for name, identity := range map[string]m{
		"left out":     {"region": "us-east-1"},
		"null":         {"id": nil, "region": "us-east-1"},
		"nothing":      {},
		"another type": {"id": m{}},
	} {
		err := c.Create(t.Context(), c.object("Thing", nameOf(t), m{"forProvider": m{"name": "x"}, "import": m{"identity": identity}}))
		if err == nil || !strings.Contains(err.Error(), "spec.import.identity.id") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func optionalForImport(t *testing.T, c *column) {
	for name, identity := range map[string]m{"left-out": {}, "null": {"region": nil}} {
		object := made(t, c.world, api.Things, api.Thing{Name: nameOf(t) + name, Region: "us-east-1", Size: 1})
		identity["id"] = object.ID
		u := c.object("Thing", nameOf(t)+name, m{"forProvider": m{"name": object.Name}, "import": m{"identity": identity}})
		c.MustCreate(t, u)
		c.WaitReady(t, u)
		if diff := cmp.Diff(m{"id": object.ID, "region": "us-east-1"}, identityOf(u)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func setByProvider(t *testing.T, c *column) {
	u := c.object("Ticket", nameOf(t), m{"forProvider": m{"title": nameOf(t)}})
	u.Object["status"] = m{"identity": m{"id": "written by hand"}}
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	id := identityOf(u)["id"]
	is(t, c.world, api.Tickets, id.(string))
	forged := client.RawPatch("application/merge-patch+json", []byte(`{"status":{"identity":{"id":"written by hand"}}}`))
	if err := c.Status().Patch(t.Context(), u, forged); err != nil {
		t.Fatal(err)
	}
	c.RequestReconcile(t, u)
	c.WaitFor(t, u, "with its own identity again", func() bool { return identityOf(u)["id"] == id })
	if stored := string(c.stored(t, u)["identity"]); stored != `{"id":"`+id.(string)+`"}` {
		t.Errorf("stored is %s", stored)
	}
}

func noIdentity(t *testing.T, c *column) {
	s := c.schemaOf(t, "idimports")
	if _, ok := s.Schema.OpenAPIV3Schema.Properties["spec"].Properties["import"].Properties["identity"]; ok {
		t.Error("there is spec.import.identity")
	}
	if _, ok := s.Schema.OpenAPIV3Schema.Properties["status"].Properties["identity"]; ok {
		t.Error("there is status.identity")
	}
	object := made(t, c.world, api.IDImports, api.Note{Name: nameOf(t)})
	byIdentity := c.object("IDImport", nameOf(t), m{"forProvider": m{"name": object.Name}, "import": m{"identity": m{"id": object.ID}}})
	if err := c.Create(t.Context(), byIdentity, client.FieldValidation("Strict")); err == nil ||
		!strings.Contains(err.Error(), "spec.import.identity") {
		t.Errorf("imported by identity: %v", err)
	}
	u := c.resource(t, "IDImport", m{"forProvider": m{"name": object.Name}, "import": m{"id": object.ID}})
	c.WaitReady(t, u)
	if got := text(u, "status", "atProvider", "id"); got != object.ID || identityOf(u) != nil {
		t.Errorf("imported %q with the identity %v", got, identityOf(u))
	}
	c.WaitFor(t, u, "named", func() bool { return u.GetAnnotations()["crossplane.io/external-name"] == object.ID })
}
