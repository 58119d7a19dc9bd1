package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// What an Upjet provider manages is taken over with its references, Secrets and policies, without any change.
func TestMigrateCrossplane(t *testing.T) {
	t.Parallel()
	cloud, flags := aCloud(t)
	thing := cloud.Make(t, "things", map[string]any{"name": "main", "region": "us-east-1", "size": 3})
	alias := cloud.Make(t, "aliases", map[string]any{"name": "www", "target": thing["id"]})
	note := cloud.Make(t, "id_imports", map[string]any{"name": "n", "text": "t"})
	before := cloud.Audit(t)
	old := file(t, "old.yaml", strings.NewReplacer("THING", thing["id"].(string), "ALIAS", alias["id"].(string), "NOTE", note["id"].(string)).Replace(`
apiVersion: v1
kind: List
items:
- apiVersion: examplecloud.crossplane.io/v1beta1
  kind: Thing
  metadata:
    name: main
    labels: {team: a}
    annotations: {crossplane.io/external-name: THING, crossplane.io/external-create-succeeded: now, example.org/owner: me}
    finalizers: [finalizer.managedresource.crossplane.io]
  spec:
    deletionPolicy: Orphan
    forProvider: {name: main, region: us-east-1}
    initProvider: {size: 3}
    providerConfigRef: {name: default}
    writeConnectionSecretToRef: {name: main-connection, namespace: crossplane-system}
  status: {atProvider: {id: THING}}
- apiVersion: examplecloud.crossplane.io/v1beta1
  kind: Alias
  metadata: {name: www, annotations: {crossplane.io/external-name: ALIAS}}
  spec:
    managementPolicies: ["Observe", "Update"]
    forProvider: {name: www, target: THING, targetRef: {name: main}}
- apiVersion: examplecloud.crossplane.io/v1beta1
  kind: Import
  metadata: {name: note, annotations: {crossplane.io/external-name: NOTE}}
  spec: {forProvider: {name: "n", text: t, aliasRef: {name: www}}}
- apiVersion: examplecloud.crossplane.io/v1beta1
  kind: Thing
  metadata: {name: pending}
  spec: {forProvider: {name: pending}}
- apiVersion: examplecloud.crossplane.io/v1beta1
  kind: Nothing
  metadata: {name: x, annotations: {crossplane.io/external-name: x}}
  spec: {forProvider: {}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: other}
`))
	out, said, err := run(t, append(flags, "migrate", "crossplane", "-f", old, "-n", "team", "--type", "Import.examplecloud.crossplane.io=examplecloud_id_import")...)
	if code(err) != 2 {
		t.Errorf("exit code %d: %v\n%s", code(err), err, said)
	}
	want := `---
# The provider registry.terraform.io/hashicorp/examplecloud
apiVersion: landbridge.io/v1alpha1
kind: TerraformProvider
metadata:
  name: examplecloud
spec:
  activate:
  - examplecloud_alias
  - examplecloud_id_import
  - examplecloud_thing
  source: hashicorp/examplecloud
---
# Thing.examplecloud.crossplane.io main
# The connection Secret is written to namespace team, and not to crossplane-system.
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Thing
metadata:
  annotations:
    example.org/owner: me
  labels:
    team: a
  name: main
  namespace: team
spec:
  forProvider:
    name: main
    region: us-east-1
  import:
    id: t-ID
  initProvider:
    size: 3
  managementPolicies:
  - Observe
  - Create
  - Update
  - LateInitialize
  writeConnectionSecretToRef:
    name: main-connection
---
# Alias.examplecloud.crossplane.io www
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: Alias
metadata:
  name: www
  namespace: team
spec:
  forProvider:
    name: www
    target: t-ID
  import:
    id: a-ID
  managementPolicies:
  - Observe
  - Update
  references:
  - from:
      fieldPath: status.atProvider.id
      kind: Thing
      name: main
    to: forProvider.target
---
# Import.examplecloud.crossplane.io note
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: IDImport
metadata:
  annotations:
    landbridge.io/destroy-before: Alias/www
  name: note
  namespace: team
spec:
  forProvider:
    name: "n"
    text: t
  import:
    id: i-ID
`
	if diff := cmp.Diff(want, objectID.ReplaceAllString(out, "-ID")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for _, want := range []string{
		"3 resources written.\n",
		"Thing.examplecloud.crossplane.io pending (" + old + ":29): it has no external name, so its object does not exist yet.",
		"Nothing.examplecloud.crossplane.io x (" + old + ":33): the provider has no resource type for its kind. Name it with --type Nothing.examplecloud.crossplane.io=TYPE.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if diff := cmp.Diff(before, cloud.Audit(t)); diff != "" {
		t.Error(diff)
	}
}

// Objects of provider-random: its ids are values, and some are sensitive.
func TestMigrateRandom(t *testing.T) {
	t.Parallel()
	old := file(t, "old.yaml", `
apiVersion: random.crossplane.io/v1alpha1
kind: ID
metadata: {name: subnet, annotations: {crossplane.io/external-name: wHEyVQ}}
spec: {forProvider: {byteLength: 4}}
---
apiVersion: random.crossplane.io/v1alpha1
kind: UUID
metadata: {name: key, annotations: {crossplane.io/external-name: aabbccdd-eeff-0011-2233-445566778899}}
spec: {forProvider: {}}
`)
	out, said, err := run(t, "migrate", "crossplane", "-f", old, "--provider", providertest.Binary(t, "random"))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{"kind: ID\n", "byteLength: 4", "id: wHEyVQ", "kind: UUID\n", "id: aabbccdd-eeff-0011-2233-445566778899"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if regexp.MustCompile(`Observe`).MatchString(out) {
		t.Errorf("a resource only observes:\n%s", out)
	}
}
