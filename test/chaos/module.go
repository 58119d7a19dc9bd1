package chaos

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// modules is the form of kinds that are modules: their group begins with it.
const modules = "modules"

var modulesGVR = schema.GroupVersionResource{Group: "landbridge.io", Version: "v1alpha1", Resource: "terraformmodules"}

// large is the number of random bytes in a large depot: their state does not fit into one Secret.
const large = 600_000

// depot is a Terraform module of a datastore, and of random bytes that make its state large.
var depot = &kind{
	name: "Depot", plural: "depots", module: true, collection: "datastores", field: "name", losable: true,
	first: func(s *slot) m {
		size := int64(16)
		if s.index%2 == 0 {
			size = large
		}
		return m{"name": s.label, "cluster": "1", "capacity": int64(1), "bytes": size}
	},
	change: func(s *slot, spec m) { spec["capacity"] = s.next() },
	replace: func(s *slot, spec m) {
		if s.random.IntN(2) == 0 {
			spec["name"] = s.rename()
		} else {
			spec["cluster"] = strconv.FormatInt(s.next(), 10)
		}
	},
	fields: func(_ *slot, spec m) map[string]string {
		return map[string]string{"name": text(spec["name"]), "cluster_info.id": text(spec["cluster"]), "capacity_gib": text(spec["capacity"])}
	},
}

const depotModule = `
terraform {
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
    random = {
      source = "hashicorp/random"
    }
  }
}

variable "name" { type = string }
variable "cluster" { type = string }
variable "capacity" { type = number }
variable "bytes" { type = number }

resource "random_bytes" "content" {
  length = var.bytes
}

resource "examplecloud_datastore" "depot" {
  name             = var.name
  hci_cluster_uuid = "uuid-depot"
  capacity_gib     = var.capacity
  cluster_info     = { id = var.cluster }
}

output "id" { value = examplecloud_datastore.depot.id }
`

// installModule installs the module, and the provider that it alone needs.
func (w *world) installModule(ctx context.Context) error {
	random, err := providertest.Get("random")
	if err != nil {
		return err
	}
	path, err := random.Build(ctx)
	if err != nil {
		return err
	}
	if err := w.installProvider(ctx, "random", path, m{"activate": []any{"random_bytes"}}); err != nil {
		return err
	}
	dir := filepath.Join(w.dir, "depot")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(depotModule), 0o600); err != nil {
		return err
	}
	return w.create(ctx, modulesGVR, &unstructured.Unstructured{Object: m{
		"apiVersion": "landbridge.io/v1alpha1", "kind": "TerraformModule", "metadata": m{"name": "depot"},
		"spec": m{"source": m{"directory": dir}, "providers": m{"landbridge/examplecloud": "f6", "hashicorp/random": "random"}},
	}})
}

// served is a kind of a form.
type served struct {
	form string
	kind *kind
}

// everything lists all kinds.
func everything() []served {
	var out []served
	for form := range forms {
		for _, k := range kinds {
			out = append(out, served{form, k})
		}
	}
	return append(out, served{modules, depot})
}

// attendModule looks for what an interrupted create of a module made, removes it, since nothing
// refers to it, and confirms. Random bytes are nowhere.
func (s *slot) attendModule(ctx context.Context, message string, left []object, confirmed func(string)) {
	if !strings.Contains(message, "examplecloud_datastore.depot") {
		confirmed("random bytes cannot be found")
		return
	}
	for _, o := range left {
		s.destroyed.Store(true)
		if err := s.cloud.remove(ctx, s.kind.collection, o.text("id")); err != nil {
			return
		}
	}
	confirmed("there is no object")
}
