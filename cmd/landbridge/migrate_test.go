package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/hcloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// What an Upjet provider manages is taken over with its references, Secrets and policies, without
// any change.
func TestMigrateCrossplane(t *testing.T) {
	t.Parallel()
	cloud, flags := aCloud(t)
	thing := cloud.Make(t, "things", map[string]any{"name": "main", "region": "us-east-1", "size": 3})
	alias := cloud.Make(t, "aliases", map[string]any{"name": "www", "target": thing["id"]})
	note := cloud.Make(t, "id_imports", map[string]any{"name": "n", "text": "t"})
	before := cloud.Audit(t)
	old := file(t, "old.yaml", strings.NewReplacer("THING", thing["id"].(string), "ALIAS", alias["id"].(string),
		"NOTE", note["id"].(string)).Replace(`
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
	out, said, err := run(t, append(flags, "migrate", "crossplane", "-f", old, "-n", "team", "--type",
		"Import.examplecloud.crossplane.io=examplecloud_id_import")...)
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
		"Nothing.examplecloud.crossplane.io x (" + old + ":33): the provider has no resource type for its kind. " +
			"Name it with --type Nothing.examplecloud.crossplane.io=TYPE.",
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

// The provider and its configuration are among the manifests, and the credentials stay in a Secret,
// unless they are asked for.
func TestMigrateProviderConfig(t *testing.T) {
	t.Parallel()
	cloud := hcloudtest.New(t, hcloudtest.Options{})
	for path, body := range map[string]string{
		"/volumes":  `{"name": "data", "size": 10, "location": "fsn1", "format": "ext4"}`,
		"/ssh_keys": `{"name": "mine", "public_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlXkrt5lJWzJXpUyxRCjxuNCM0t6yP3fVuEmtOhEiR2"}`,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, cloud.Endpoint+path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+cloud.Token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusCreated {
			t.Fatalf("%v %v", answer, err)
		}
		answer.Body.Close()
	}
	made := len(cloud.Requests())
	old := file(t, "old.yaml", strings.NewReplacer("TOKEN", cloud.Token, "ENDPOINT", cloud.Endpoint, "VOLUME",
		fmt.Sprint(cloud.Volumes()[0].ID), "KEY", fmt.Sprint(cloud.SSHKeys()[0].ID)).Replace(`
apiVersion: hcloud.crossplane.io/v1beta1
kind: ProviderConfig
metadata: {name: default}
spec: {credentials: {source: Secret, secretRef: {namespace: crossplane-system, name: creds, key: json}}}
---
apiVersion: v1
kind: Secret
metadata: {namespace: crossplane-system, name: creds}
stringData: {json: '{"token": "TOKEN", "endpoint": "ENDPOINT"}'}
---
apiVersion: ssh.hcloud.crossplane.io/v1alpha1
kind: Key
metadata: {name: mine, annotations: {crossplane.io/external-name: "KEY"}}
spec:
  providerConfigRef: {name: default}
  forProvider: {name: mine, publicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIlXkrt5lJWzJXpUyxRCjxuNCM0t6yP3fVuEmtOhEiR2}
---
apiVersion: hcloud.crossplane.io/v1alpha1
kind: Volume
metadata: {name: data, annotations: {crossplane.io/external-name: "VOLUME"}}
spec:
  forProvider: {name: data, size: 10, format: ext4}
status:
  atProvider: {id: "VOLUME", name: data, size: 10, location: fsn1, format: ext4}
---
apiVersion: hcloud.crossplane.io/v1alpha1
kind: Volume
metadata: {name: unknown, annotations: {crossplane.io/external-name: "VOLUME"}}
spec:
  forProvider:
    name: data
    colour: red
---
apiVersion: hcloud.crossplane.io/v1alpha1
kind: Volume
metadata: {name: elsewhere, annotations: {crossplane.io/external-name: "VOLUME"}}
spec:
  providerConfigRef: {name: other}
  forProvider: {name: data, size: 10}
`))
	args := []string{"migrate", "crossplane", "-f", old, "-n", "team", "--provider", providertest.Binary(t, "hcloud")}
	encoded := base64.StdEncoding.EncodeToString([]byte(cloud.Token))
	out, said, err := run(t, args...)
	if code(err) != 2 {
		t.Errorf("exit code %d: %v\n%s", code(err), err, said)
	}
	if strings.Contains(out+said, cloud.Token) || strings.Contains(out+said, encoded) {
		t.Error("the token is shown")
	}
	for _, want := range []string{
		"kind: TerraformProvider\nmetadata:\n  name: hcloud\nspec:\n  activate:\n  - hcloud_ssh_key\n  - " +
			"hcloud_volume\n  providerConfig:\n    fields:\n      endpoint:\n        sensitive: true\n  source: " +
			"hetznercloud/hcloud\n  version: 1.68.0\n",
		"# Sensitive: create the Secret landbridge-system/hcloud-default-credentials with the keys endpoint, token. " +
			"--show-sensitive writes it, and --hand-over creates it.\n" +
			"apiVersion: hcloud.landbridge.io/v1alpha1\nkind: ClusterProviderConfig\nmetadata:\n  name: " +
			"default\nspec:\n  endpointSecretRef:\n    key: endpoint\n    name: hcloud-default-credentials\n    " +
			"namespace: landbridge-system\n  tokenSecretRef:",
		"kind: SSHKey\n", "kind: Volume\n", "format: ext4\n",
		"# It is taken over with what was observed of it, in a stored instance, since an import would not " +
			"change nothing.\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, want := range []string{
		"2 resources written.\n",
		"Volume.hcloud.crossplane.io unknown (" + old + ":27): spec.forProvider.colour (" + old +
			":33): hcloud_volume has no such argument in this version of the provider. Remove the line, or use",
		"Volume.hcloud.crossplane.io elsewhere (" + old + ":35): there is no ClusterProviderConfig other of hcloud.landbridge.io",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	out, _, err = run(t, append(args, "--show-sensitive", "--not-sensitive", "endpoint")...)
	if code(err) != 2 || !strings.Contains(out, "token: "+encoded) || !strings.Contains(out, "  endpoint: "+cloud.Endpoint) {
		t.Errorf("exit code %d:\n%s", code(err), out)
	}
	for _, r := range cloud.Requests()[made:] {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.Path)
		}
	}
}

func TestMigrateFlags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"nothing": {want: "give the old resources in a file with -f, or groups or kinds of the cluster, such as hcloud.crossplane.io"},
		"both": {
			args: []string{"-f", "x", "hcloud.crossplane.io"},
			want: "give the old resources in a file with -f, or groups or kinds of the cluster",
		},
		"a file": {
			args: []string{"-f", "x", "--hand-over"},
			want: "--hand-over, --undo and --dry-run are for the resources of a cluster: give groups or " +
				"kinds instead of -f",
		},
		"partial": {
			args: []string{"hcloud.crossplane.io", "--partial"},
			want: "--partial and --old-stopped require --hand-over, and --force requires --undo",
		},
		"at the same time": {
			args: []string{"hcloud.crossplane.io", "--hand-over", "--undo"},
			want: "--hand-over and --undo cannot be given together",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := run(t, append([]string{"migrate", "crossplane"}, test.args...)...); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
