package chaos

import (
	"fmt"
	"maps"
	"strconv"
)

type m = map[string]any

// kind is a kind of resource. Kinds differ in how their objects can be found again.
type kind struct {
	name, plural string
	terraform    string // the type
	collection   string // in the cloud
	field        string // the field with the object's name in the cloud
	module       bool   // it is a Terraform module
	// foreseen is set when the identity is known before the object exists.
	foreseen bool
	// losable is set when the response to the create request may get lost, because the provider can
	// still ensure that there is only one object.
	losable bool

	// first returns spec.forProvider of a new resource; change changes it for an update, and
	// replace for a replacement; nil if there is no such change.
	first   func(s *slot) m
	change  func(s *slot, spec m)
	replace func(s *slot, spec m)
	// fields returns the object's fields that follow from spec.forProvider.
	fields func(s *slot, spec m) map[string]string
	// importID returns spec.import.id for an object.
	importID func(o object) string
}

var regions = []string{"us-east-1", "us-west-2", "eu-central-1"}

func id(o object) string { return o.text("id") }

func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// kinds lists all kinds.
var kinds = []*kind{
	{
		// The cloud assigns an id.
		name: "Thing", plural: "things", terraform: "examplecloud_thing", collection: "things", field: "name",
		first: func(s *slot) m {
			return m{"name": s.label, "region": regions[s.random.IntN(len(regions))], "size": int64(1)}
		},
		change: func(s *slot, spec m) {
			if s.random.IntN(3) == 0 {
				spec["name"] = s.rename()
			}
			spec["size"] = s.next()
		},
		replace: func(s *slot, spec m) {
			for i, r := range regions {
				if r == spec["region"] {
					spec["region"] = regions[(i+1+s.random.IntN(2))%len(regions)]
					break
				}
			}
			spec["size"] = s.next()
		},
		fields: func(_ *slot, spec m) map[string]string {
			return map[string]string{"name": text(spec["name"]), "region": text(spec["region"]), "size": text(spec["size"])}
		},
		importID: id,
	},
	{
		// Created by a task, with an identifying name.
		name: "Datastore", plural: "datastores", terraform: "examplecloud_datastore", collection: "datastores", field: "name",
		foreseen: true, losable: true,
		first: func(s *slot) m {
			return m{"name": s.label, "hciClusterUuid": "uuid-" + s.label, "clusterInfo": m{"id": "1"}, "capacityGib": int64(1)}
		},
		change: func(s *slot, spec m) { spec["capacityGib"] = s.next() },
		replace: func(s *slot, spec m) {
			if s.random.IntN(2) == 0 {
				spec["name"] = s.rename()
			} else {
				spec["clusterInfo"] = m{"id": strconv.FormatInt(s.next(), 10)}
			}
		},
		fields: func(_ *slot, spec m) map[string]string {
			return map[string]string{"name": text(spec["name"]), "hci_cluster_uuid": text(spec["hciClusterUuid"]),
				"cluster_info.id": text(spec["clusterInfo"].(m)["id"]), "capacity_gib": text(spec["capacityGib"])}
		},
		importID: func(o object) string {
			return o.text("hci_cluster_uuid") + "/" + o.text("cluster_info.id") + "/" + o.text("name")
		},
	},
	{
		// Created once per create token, which the user sets or the provider generates.
		name: "Ticket", plural: "tickets", terraform: "examplecloud_ticket", collection: "tickets", field: "title",
		losable: true,
		first: func(s *slot) m {
			spec := m{"title": s.label, "body": "0"}
			if s.index%2 == 0 {
				spec["createToken"] = "token-" + s.rename()
			}
			return spec
		},
		change: func(s *slot, spec m) {
			if s.random.IntN(3) == 0 {
				spec["title"] = s.rename()
			}
			spec["body"] = strconv.FormatInt(s.next(), 10)
		},
		replace: func(s *slot, spec m) { spec["createToken"] = "token-" + s.rename() },
		fields: func(_ *slot, spec m) map[string]string {
			out := map[string]string{"title": text(spec["title"]), "body": text(spec["body"])}
			if t := text(spec["createToken"]); t != "" {
				out["create_token"] = t
			}
			return out
		},
		importID: id,
	},
	{
		// Its identifying name can be changed.
		name: "Alias", plural: "alias", terraform: "examplecloud_alias", collection: "aliases", field: "name",
		foreseen: true,
		first:    func(s *slot) m { return m{"name": s.label, "target": "0"} },
		change: func(s *slot, spec m) {
			if s.random.IntN(2) == 0 {
				spec["name"] = s.rename()
			}
			spec["target"] = strconv.FormatInt(s.next(), 10)
		},
		fields: func(_ *slot, spec m) map[string]string {
			return map[string]string{"name": text(spec["name"]), "target": text(spec["target"])}
		},
		importID: id,
	},
	{
		// It has secret inputs and outputs.
		name: "Credential", plural: "credentials", terraform: "examplecloud_credential", collection: "credentials", field: "name",
		first: func(s *slot) m {
			return m{"name": s.label, "passwordSecretRef": m{"name": s.label, "key": "password"},
				"secretWoSecretRef": m{"name": s.label, "key": "secret"}, "secretWoVersion": int64(1)}
		},
		change: func(s *slot, spec m) {
			if s.random.IntN(3) == 0 {
				spec["name"] = s.rename()
				return
			}
			s.secrets = s.newSecrets()
			spec["secretWoVersion"] = s.next()
		},
		fields: func(s *slot, spec m) map[string]string {
			return map[string]string{
				"name": text(spec["name"]), "password_sha256": digest(s.secrets["password"]),
				"secret_sha256": digest(s.secrets["secret"]),
			}
		},
		importID: id,
	},
	{
		// It has no identity, and nothing is known before its creation.
		name: "IDImport", plural: "idimports", terraform: "examplecloud_id_import", collection: "id_imports", field: "name",
		first: func(s *slot) m { return m{"name": s.label, "text": "0"} },
		change: func(s *slot, spec m) {
			if s.random.IntN(3) == 0 {
				spec["name"] = s.rename()
			}
			spec["text"] = strconv.FormatInt(s.next(), 10)
		},
		fields: func(_ *slot, spec m) map[string]string {
			return map[string]string{"name": text(spec["name"]), "text": text(spec["text"])}
		},
		importID: id,
	},
}

// differs returns the first field of an object that differs from the spec; empty if none does.
func (k *kind) differs(s *slot, o object) string {
	want := k.fields(s, s.spec)
	for name := range maps.Keys(want) {
		if got := o.text(name); got != want[name] {
			return fmt.Sprintf("%s is %q, not %q", name, got, want[name])
		}
	}
	return ""
}
