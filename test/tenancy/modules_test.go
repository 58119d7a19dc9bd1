package tenancy_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// author is who writes a module that an administrator installs.
const author = "the author of a module"

// module creates a TerraformModule.
func (x *world) module(t *testing.T, source m, allow ...any) *unstructured.Unstructured {
	t.Helper()
	u := resource("landbridge.io/v1alpha1", "TerraformModule", "", x.name, m{"source": source, "allow": allow})
	x.MustCreate(t, u)
	return u
}

// installed reports whether a module is installed, or not for one of the reasons.
func (x *world) installed(t *testing.T, u *unstructured.Unstructured, reasons ...string) bool {
	t.Helper()
	return x.either(t, u, func() bool { return isTrue(u, "Installed") && objecttest.Current(u) }, func() bool {
		status, got, _ := objecttest.Condition(u, "Installed")
		for _, reason := range reasons {
			if status == "False" && got == reason {
				return true
			}
		}
		return false
	})
}

// allowing is an attack by the source of a module. The control has the permission that it needs.
func allowing(means, source, permission string) attack {
	try := func(t *testing.T, x *world, allow ...any) bool {
		t.Helper()
		dir := filepath.Join(scratch, x.name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		return x.installed(t, x.module(t, m{"directory": dir}, allow...), "NotAllowed")
	}
	return attack{
		attacker: author, means: means, refusal: "NotAllowed",
		try:     func(t *testing.T, x *world) bool { return try(t, x) },
		control: func(t *testing.T, x *world) bool { return try(t, x, permission) },
	}
}

// fetched is an attack by the source of a module in a repository. The control is another source.
func fetched(means, source, harmless string) attack {
	try := func(t *testing.T, x *world, source string) bool {
		t.Helper()
		dir := filepath.Join(scratch, x.name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		source = "terraform {\n  required_providers {\n    open = { source = \"tenancy/open\" }\n  }\n}\n" +
			"resource \"open_place\" \"x\" {\n  for_each = toset([\"a\"])\n  name = each.key\n}\n" + source
		if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}} {
			cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		module := resource("landbridge.io/v1alpha1", "TerraformModule", "", x.name, m{
			"source": m{"address": "git::file://" + dir}, "providers": m{"tenancy/open": open},
		})
		x.MustCreate(t, module)
		return x.installed(t, module, "NotAllowed", "InvalidModule")
	}
	return attack{
		attacker: author, means: means, refusal: "it is not installed",
		try:     func(t *testing.T, x *world) bool { return try(t, x, source) },
		control: func(t *testing.T, x *world) bool { return try(t, x, harmless) },
	}
}

// files creates a ConfigMap with a module.
func (x *world) files(t *testing.T, namespace string) *corev1.ConfigMap {
	t.Helper()
	c := &corev1.ConfigMap{Data: map[string]string{"main.tf": harmless}}
	c.Namespace, c.Name = namespace, x.name
	if err := x.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func fromConfigMap(c *corev1.ConfigMap) m {
	return m{"configMapRef": m{"namespace": c.Namespace, "name": c.Name}}
}

// change changes the module in a ConfigMap, and reports whether the controller uses it.
func (x *world) change(t *testing.T, c *corev1.ConfigMap, module *unstructured.Unstructured) bool {
	t.Helper()
	before := text(module, "status", "digest")
	c.Data["main.tf"] = harmless + "output \"changed\" {\n  value = 1\n}\n"
	if err := x.Update(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return x.either(t, module, func() bool { return isTrue(module, "Installed") && text(module, "status", "digest") != before }, func() bool {
		_, why, _ := objecttest.Condition(module, "Installed")
		return why == "DigestMismatch"
	})
}

const harmless = "variable \"a\" {\n  default = 1\n}\noutput \"b\" {\n  value = var.a\n}\n"

// taking installs a module with an object that it imports, or creates if there is no id, and
// returns an instance of it.
func (x *world) taking(t *testing.T, by tenant, id string) *unstructured.Unstructured {
	t.Helper()
	dir := filepath.Join(scratch, x.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	source := `
terraform {
  required_providers {
    open = { source = "tenancy/open" }
  }
}
variable "name" { type = string }
resource "open_place" "x" { name = var.name }
output "id" { value = open_place.x.id }
`
	if id != "" {
		source += "variable \"of\" { type = string }\nimport {\n  to = open_place.x\n  id = var.of\n}\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	module := resource("landbridge.io/v1alpha1", "TerraformModule", "", x.name, m{
		"source": m{"directory": dir}, "providers": m{"tenancy/open": open},
	})
	x.MustCreate(t, module)
	x.WaitFor(t, module, "installed", func() bool { return isTrue(module, "Installed", "Healthy") && objecttest.Current(module) })
	arguments := m{"name": x.name}
	if id != "" {
		arguments["of"] = id
	}
	u := resource(text(module, "status", "group")+"/v1alpha1", text(module, "status", "kind"), by.namespace,
		x.name+"-instance", m{"forProvider": arguments})
	eventually(t, "the role includes the kind", func(ctx context.Context) bool { return by.Create(ctx, u.DeepCopy()) == nil })
	return u
}

var sha = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// modules are attacks by modules.
var modules = map[string]attack{
	"a program of a module": allowing("has a provisioner run a program",
		"resource \"terraform_data\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"id\"\n  }\n}\n", "Provisioners"),
	"a request of a module": allowing("sends a request to the cloud's metadata",
		"data \"http\" \"x\" {\n  url = \"http://169.254.169.254/\"\n}\n", "HTTP"),
	"the controller's token": allowing("has the controller's token in an output",
		"output \"x\" {\n  value = file(\"/var/run/secrets/kubernetes.io/serviceaccount/token\")\n}\n", "Files"),
	"a file by a variable": allowing("reads a file that the user of the module chooses",
		"variable \"p\" {}\noutput \"x\" {\n  value = file(var.p)\n}\n", "Files"),
	"a file by the address of an import": fetched("reads a file in the index of an import block",
		"import {\n  to = open_place.x[trimspace(file(\"/etc/hostname\"))]\n  id = \"x\"\n}\n",
		"import {\n  to = open_place.x[\"a\"]\n  id = \"x\"\n}\n"),
	"a file by a hidden path": fetched("reads a file by a variable that is called path",
		"output \"x\" {\n  value = [for path in [{ module = \"/etc\" }] : file(\"${path.module}/hostname\")]\n}\n",
		"output \"x\" {\n  value = [for p in [1] : file(\"${path.module}/main.tf\")]\n}\n"),
	"a module's import": {
		attacker: attacker, means: "imports another's object by an instance of a module", refusal: "IdentityConflict",
		try: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			o, _ := remote("place", x.name)
			return x.becomesReady(t, x.taking(t, x.mallory, o["id"]), "IdentityConflict")
		},
		control: func(t *testing.T, x *world) bool {
			x.orphaned(t)
			o, _ := remote("place", x.name)
			return x.becomesReady(t, x.taking(t, x.victim, o["id"]), "IdentityConflict")
		},
	},
	"an import from a module": {
		attacker: attacker, means: "imports an object that an instance of another's module has", refusal: "IdentityConflict",
		try: func(t *testing.T, x *world) bool {
			x.WaitReady(t, x.taking(t, x.victim, ""))
			return x.takes(t, x.mallory, x.importing(x.mallory, x.name+"-import"))
		},
		control: func(t *testing.T, x *world) bool {
			x.orphaned(t)
			return x.takes(t, x.victim, x.importing(x.victim, x.name+"-import"))
		},
	},
	"an observed module": between("observes an object that an instance of another's module has",
		"IdentityConflict, and nothing of it", func(t *testing.T, x *world, by tenant) bool {
			x.WaitReady(t, x.taking(t, x.victim, ""))
			return x.exports(t, by, x.observer(by, "Place", m{"identity": m{"name": x.name}}))
		}),
	"a tenant's module": {
		attacker: attacker, means: "owns the ConfigMap that a module without a digest comes from", refusal: "SourceNotAllowed",
		try: func(t *testing.T, x *world) bool {
			return x.installed(t, x.module(t, fromConfigMap(x.files(t, x.mallory.namespace))), "SourceNotAllowed")
		},
		control: func(t *testing.T, x *world) bool {
			return x.installed(t, x.module(t, fromConfigMap(x.files(t, system))), "SourceNotAllowed")
		},
	},
	"a tenant's change of a module": {
		attacker: attacker, means: "changes the ConfigMap that a module comes from", refusal: "DigestMismatch",
		try: func(t *testing.T, x *world) bool {
			c := x.files(t, x.mallory.namespace)
			module := x.module(t, fromConfigMap(c))
			x.installed(t, module, "SourceNotAllowed")
			digest := sha.FindString(text(module, "status", "conditions"))
			x.MustPatch(t, module, `{"spec":{"source":{"digest":"`+digest+`"}}}`)
			if !x.installed(t, module) {
				t.Fatal("the pinned module is not installed")
			}
			return x.change(t, c, module)
		},
		control: func(t *testing.T, x *world) bool {
			c := x.files(t, system)
			module := x.module(t, fromConfigMap(c))
			x.installed(t, module)
			return x.change(t, c, module)
		},
	},
}
