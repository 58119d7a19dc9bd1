package downgrade_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// m is a JSON object.
type m = map[string]any

// Groups of kinds, which are also the names of TerraformProviders.
const (
	framework = "f6"
	sdk       = "s2"
	named     = "named"
	random    = "random"
	modules   = "modules"
)

// kind is a kind of objects.
type kind struct {
	name       string
	collection string // in the cloud; empty if it makes no objects there
	title      string // the field with the object's name; name if empty
	// first is spec.forProvider of a new resource of that name.
	first func(name string) m
	// change changes it for an update, and replace for a replacement; n is a new number.
	change, replace func(s *slot, spec m, n int)
	// fields are the fields of the object that follow from it.
	fields func(s *slot, spec m) map[string]string
}

var (
	// thing has an id that the cloud assigns.
	thing = &kind{
		name: "Thing", collection: "things",
		first:  func(name string) m { return m{"name": name, "region": "us-east-1", "size": int64(1)} },
		change: func(_ *slot, spec m, n int) { spec["size"] = int64(n) },
		replace: func(_ *slot, spec m, _ int) {
			spec["region"] = map[any]any{"us-east-1": "us-west-2", "us-west-2": "us-east-1"}[spec["region"]]
		},
		fields: fieldsOf("name", "region", "size"),
	}
	// datastore is known by its name before it exists.
	datastore = &kind{
		name: "Datastore", collection: "datastores",
		first: func(name string) m {
			return m{"name": name, "hciClusterUuid": "uuid", "clusterInfo": m{"id": "one"}, "capacityGib": int64(1)}
		},
		change:  func(_ *slot, spec m, n int) { spec["capacityGib"] = int64(n) },
		replace: func(_ *slot, spec m, n int) { spec["hciClusterUuid"] = fmt.Sprint("uuid-", n) },
		fields:  fieldsOf("name", "hci_cluster_uuid", "capacity_gib"),
	}
	// ticket is created once for each create token.
	ticket = &kind{
		name: "Ticket", collection: "tickets", title: "title",
		first:   func(name string) m { return m{"title": name, "body": "1", "createToken": "token-" + name} },
		change:  func(_ *slot, spec m, n int) { spec["body"] = fmt.Sprint(n) },
		replace: func(s *slot, spec m, n int) { spec["createToken"] = fmt.Sprint("token-", s.name, "-", n) },
		fields:  fieldsOf("title", "body", "create_token"),
	}
	// alias has an identity that can be changed.
	alias = &kind{
		name: "Alias", collection: "aliases",
		first:  func(name string) m { return m{"name": name, "target": "1"} },
		change: func(_ *slot, spec m, n int) { spec["target"] = fmt.Sprint(n) },
		fields: fieldsOf("name", "target"),
	}
	// handle is the same with names by spec.names.
	handle = &kind{
		name: "Handle", collection: alias.collection,
		first: alias.first, change: alias.change, fields: alias.fields,
	}
	// credential has secret arguments and results.
	credential = &kind{
		name: "Credential", collection: "credentials",
		first: func(name string) m {
			return m{
				"name": name, "passwordSecretRef": m{"name": name, "key": "password"},
				"secretWoSecretRef": m{"name": name, "key": "secret"}, "secretWoVersion": int64(1),
			}
		},
		change: func(_ *slot, spec m, n int) { spec["secretWoVersion"] = int64(n) },
		fields: func(s *slot, spec m) map[string]string {
			return map[string]string{
				"name": fmt.Sprint(spec["name"]), "password_sha256": digest(s.secrets["password"]),
				"secret_sha256": digest(s.secrets["secret"]),
			}
		},
	}
	// note has no identity.
	note = &kind{
		name: "IDImport", collection: "id_imports",
		first:  func(name string) m { return m{"name": name, "text": "1"} },
		change: func(_ *slot, spec m, n int) { spec["text"] = fmt.Sprint(n) },
		fields: fieldsOf("name", "text"),
	}
	// record has values that a fault has the cloud write in lower case, so that it never settles.
	record = &kind{
		name: "Record", collection: "records",
		first:  func(name string) m { return m{"name": name, "value": "First"} },
		fields: fieldsOf("name"),
	}
	// depot is a module.
	depot = &kind{
		name: "Depot", collection: datastore.collection,
		first: func(name string) m {
			return m{"name": name, "capacity": int64(1), "bytes": int64(large)}
		},
		change: func(_ *slot, spec m, n int) { spec["capacity"] = int64(n) },
		fields: func(_ *slot, spec m) map[string]string {
			return map[string]string{"name": fmt.Sprint(spec["name"]), "capacity_gib": fmt.Sprint(spec["capacity"])}
		},
	}
	// content has a state that does not fit into one Secret, and no object.
	content = &kind{name: "Bytes", first: func(string) m { return m{"length": int64(large)} }}
)

// titled returns the field with the object's name.
func (k *kind) titled() string { return cmp.Or(k.title, "name") }

// large is a number of random bytes whose state does not fit into one Secret.
const large = 600_000

// activated are the types of each TerraformProvider.
var activated = map[string][]any{
	framework: {
		"examplecloud_thing", "examplecloud_datastore", "examplecloud_ticket", "examplecloud_alias",
		"examplecloud_credential", "examplecloud_id_import",
	},
	sdk:    {"examplecloud_thing", "examplecloud_datastore", "examplecloud_id_import", "examplecloud_record"},
	named:  {"examplecloud_alias"},
	random: {"random_bytes"},
}

const depotModule = `
terraform {
  required_providers {
    examplecloud = { source = "landbridge/f6" }
    random       = { source = "hashicorp/random" }
  }
}

variable "name" { type = string }
variable "capacity" { type = number }
variable "bytes" { type = number }

resource "random_bytes" "content" {
  length = var.bytes
}

resource "examplecloud_datastore" "depot" {
  name             = var.name
  hci_cluster_uuid = "uuid-depot"
  capacity_gib     = var.capacity
  cluster_info     = { id = "depot" }
}

output "id" { value = examplecloud_datastore.depot.id }
`

// fieldsOf returns a function that returns the fields with these names in the cloud.
func fieldsOf(names ...string) func(*slot, m) map[string]string {
	return func(_ *slot, spec m) map[string]string {
		out := map[string]string{}
		for _, name := range names {
			out[name] = fmt.Sprint(spec[camel(name)])
		}
		return out
	}
}

// camel returns the name of a field in a spec.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
