package world_test

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Forms of the provider, which are names of TerraformProviders.
const (
	sdk       = "sdk"
	framework = "framework"
)

// kind is a kind of objects.
type kind struct {
	name, terraform, collection string
	first                       m // the spec of all, beside the name
	// importID returns spec.import.id for an object.
	importID func(o m) string
}

var (
	// record has an id that the cloud assigns, and its provider passes on what the cloud answers.
	record = &kind{
		name: "Record", terraform: "examplecloud_record", collection: "records", first: m{"value": "first"},
		importID: func(o m) string { return fmt.Sprint(o["id"]) },
	}
	// datastore is known by its name before it exists. Its provider finds it in a list.
	datastore = &kind{
		name: "Datastore", terraform: "examplecloud_datastore", collection: "datastores",
		first:    m{"hciClusterUuid": "uuid", "clusterInfo": m{"id": "one"}, "capacityGib": int64(1)},
		importID: func(o m) string { return fmt.Sprintf("uuid/one/%s", o["name"]) },
	}
	// thing has an id that the cloud assigns, and its provider waits until it can be read.
	thing = &kind{
		name: "Thing", terraform: "examplecloud_thing", collection: "things", first: m{"region": "us-east-1", "size": int64(1)},
		importID: func(o m) string { return fmt.Sprint(o["id"]) },
	}
	// note has an id that the cloud assigns, and no identity.
	note = &kind{
		name: "IDImport", terraform: "examplecloud_id_import", collection: "id_imports", first: m{"text": "first"},
		importID: func(o m) string { return fmt.Sprint(o["id"]) },
	}
	kindsOfObjects = []*kind{record, datastore, thing, note}
)

// native is the way of a provider as a plugin.
const native = "native"

// way is a way to run a provider.
type way struct {
	name string
	// resource returns a resource of a form, and its API group's provider configuration is in
	// configuration.
	resource      func(k *kind, form, namespace, name string, spec m) *unstructured.Unstructured
	configuration func(form string) (group string)
	module        bool
	// poll is the controller's poll interval: the command line takes more of the processor. limit
	// is how long resources may take to be at rest, or to be gone.
	poll, limit time.Duration
}

var ways = []way{
	{
		name: native, poll: 2 * time.Second, limit: 90 * time.Second,
		resource: func(k *kind, form, namespace, name string, spec m) *unstructured.Unstructured {
			return k.resource(group(form), namespace, name, spec)
		},
		configuration: group,
	},
	{
		name: "cli", poll: 8 * time.Second, limit: 4 * time.Minute,
		resource: func(k *kind, form, namespace, name string, spec m) *unstructured.Unstructured {
			return k.resource(group(form+"-cli"), namespace, name, spec)
		},
		configuration: func(form string) string { return group(form + "-cli") },
	},
	{
		name: "module", module: true, poll: 8 * time.Second, limit: 5 * time.Minute,
		resource: func(k *kind, form, namespace, name string, spec m) *unstructured.Unstructured {
			all := maps.Clone(spec)
			delete(all, "clusterInfo")
			delete(all, "hciClusterUuid")
			u := k.resource("modules.landbridge.io", namespace, name, all)
			u.SetKind(map[string]string{sdk: "SDK", framework: "Framework"}[form] + title(strings.ToLower(k.name)))
			return u
		},
		configuration: group,
	},
}

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (k *kind) resource(group, namespace, name string, spec m) *unstructured.Unstructured {
	return object(group+"/v1alpha1", k.name, namespace, name, m{
		"forProvider":       spec,
		"providerConfigRef": m{"kind": "ProviderConfig", "name": name[:strings.LastIndex(name, "-")]},
	})
}

// modules are the sources of TerraformModules, by their names. Their kinds are those of the
// objects, such as SDKRecord.
var modules = map[string]string{}

func init() {
	for _, form := range []string{sdk, framework} {
		for k, body := range bodies {
			info := "cluster_info = { id = \"one\" }"
			if form == sdk {
				info = "cluster_info {\n    id = \"one\"\n  }"
			}
			body = strings.ReplaceAll(body, "CLUSTER_INFO", info)
			modules[form+"-"+strings.ToLower(k.name)] = fmt.Sprintf(head, form) + body
		}
	}
}

const head = `
terraform {
  required_providers {
    examplecloud = { source = "landbridge/%s" }
  }
}

variable "name" { type = string }
`

var bodies = map[*kind]string{
	record: `
variable "value" {
  type    = string
  default = null
}
variable "address" {
  type    = string
  default = null
}
variable "document" {
  type    = string
  default = null
}
variable "lines" {
  type    = list(string)
  default = null
}
variable "rules" {
  type    = list(object({ port = number }))
  default = []
}

resource "examplecloud_record" "this" {
  name     = var.name
  value    = var.value
  address  = var.address
  document = var.document
  lines    = var.lines
  dynamic "rules" {
    for_each = var.rules
    content { port = rules.value.port }
  }
}

output "id" { value = examplecloud_record.this.id }
`,
	datastore: `
variable "capacity_gib" { type = number }

resource "examplecloud_datastore" "this" {
  name             = var.name
  hci_cluster_uuid = "uuid"
  capacity_gib     = var.capacity_gib
  CLUSTER_INFO
}

output "id" { value = examplecloud_datastore.this.id }
`,
	note: `
variable "text" { type = string }

resource "examplecloud_id_import" "this" {
  name = var.name
  text = var.text
}

output "id" { value = examplecloud_id_import.this.id }
`,
	thing: `
variable "region" { type = string }
variable "size" { type = number }

resource "examplecloud_thing" "this" {
  name   = var.name
  region = var.region
  size   = var.size
}

output "id" { value = examplecloud_thing.this.id }
`,
}
