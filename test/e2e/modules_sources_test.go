package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// pets is a module that calls another one.
const pets = `
variable "words" { type = number }

module "pet" {
  source = "./pet"
  words  = var.words
}

output "pet" { value = module.pet.name }
`

const pet = `
terraform {
  required_providers {
    random = {
      source = "hashicorp/random"
    }
  }
}

variable "words" { type = number }

resource "random_pet" "this" { length = var.words }

output "name" { value = random_pet.this.id }
`

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// A module comes from a directory, a ConfigMap or a repository. When it changes, its instances
// change.
func TestModuleSources(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.RunController(t, moduleOptions(t, providertest.Mirror(t, "random")))
	c.install(t, terraformProvider("random", "hashicorp/random", "random_pet"))
	ns := c.Namespace(t)

	t.Run("a cleared directory", func(t *testing.T) {
		t.Parallel()
		dir := directory(t)
		file(t, filepath.Join(dir, "main.tf"), pet)
		file(t, filepath.Join(dir, "cleared.tf"), "# a file that is cleared\n")
		module := terraformModule("cleared", m{"directory": dir}, m{"kind": "Ghost"})
		c.MustCreate(t, module)
		c.healthy(t, module)
		r := resource(modulesAPI, "Ghost", ns, "a", m{"forProvider": m{"words": int64(2)}})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		copies, err := filepath.Glob(filepath.Join(scratch, "*", "*", "source", "cleared.tf"))
		if err != nil || len(copies) != 1 {
			t.Fatalf("copies of the module: %q, %v", copies, err)
		}
		if err := os.RemoveAll(filepath.Dir(filepath.Dir(copies[0]))); err != nil {
			t.Fatal(err)
		}
		c.MustPatch(t, r, `{"spec":{"forProvider":{"words":3}}}`)
		c.WaitFor(t, r, "changed", func() bool { return strings.Count(text(r, "status", "atProvider", "name"), "-") == 2 })
		c.WaitReady(t, r)
		c.Remove(t, r)
	})

	t.Run("a ConfigMap", func(t *testing.T) {
		t.Parallel()
		files := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "pets"}, Data: map[string]string{"main.tf": pet}}
		module := terraformModule("short", m{"configMapRef": m{"namespace": system, "name": "pets"}}, m{
			"kind": "Beast", "plural": "beasts", "group": "zoo.example.org",
		})
		c.MustCreate(t, module)
		c.WaitFalse(t, module, "Installed", "SourceNotAvailable", `"pets" not found`)
		if err := c.Create(t.Context(), files); err != nil {
			t.Fatal(err)
		}
		c.healthy(t, module)
		r := resource("zoo.example.org/v1alpha1", "Beast", ns, "a", m{"forProvider": m{"words": int64(2)}})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		before := text(r, "status", "atProvider", "name")

		// An error in the new version is reported, and the served version stays.
		change := func(content string) {
			t.Helper()
			files.Data["main.tf"] = content
			if err := c.Update(t.Context(), files); err != nil {
				t.Fatal(err)
			}
		}
		change(pet + "resource \"random_pet\" {\n")
		c.WaitFalse(t, module, "Installed", "InvalidModule", "main.tf:")
		c.WaitReady(t, r)

		change(pet + `
variable "separator" {
  type    = string
  default = "_"
}

resource "random_pet" "second" {
  length    = var.words
  separator = var.separator
}

output "second" { value = random_pet.second.id }
`)
		c.WaitFor(t, r, "as the module is now", func() bool { return text(r, "status", "atProvider", "second") != "" })
		c.WaitReady(t, r)
		if got := text(r, "status", "atProvider", "name"); got != before {
			t.Errorf("it was %s and is %s", before, got)
		}
		c.MustPatch(t, r, `{"spec":{"forProvider":{"separator":"+"}}}`)
		c.WaitReady(t, r)

		// Names stay while instances exist.
		c.MustPatch(t, module, `{"spec":{"kind":"Animal","plural":null}}`)
		c.WaitFalse(t, module, "Healthy", "KindInUse", "Beast of zoo.example.org")
		c.Remove(t, r)
		c.healthy(t, module)
		if c.crd(t.Context(), "animals.zoo.example.org") == nil {
			t.Error("the kind has no new name")
		}
	})

	// Whoever can change a ConfigMap cannot change what the controller does with it.
	t.Run("a ConfigMap of a tenant", func(t *testing.T) {
		t.Parallel()
		files := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "pets"}, Data: map[string]string{"main.tf": pet}}
		if err := c.Create(t.Context(), files); err != nil {
			t.Fatal(err)
		}
		source := m{"configMapRef": m{"namespace": ns, "name": "pets"}}
		module := terraformModule("tenant", source, m{"kind": "Guest"})
		c.MustCreate(t, module)
		c.WaitFalse(t, module, "Installed", "SourceNotAllowed", "in the namespace "+ns, "namespace "+system, "spec.source.digest to sha256:")
		digest := regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindString(text(module, "status", "conditions"))
		c.MustPatch(t, module, `{"spec":{"source":{"digest":"`+digest+`"}}}`)
		c.healthy(t, module)
		if got := text(module, "status", "digest"); got != digest {
			t.Errorf("the digest is %s, and %s was pinned", got, digest)
		}
		files.Data["main.tf"] = pet + "resource \"terraform_data\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"id\"\n  }\n}\n"
		if err := c.Update(t.Context(), files); err != nil {
			t.Fatal(err)
		}
		c.WaitFalse(t, module, "Installed", "DigestMismatch", digest)
		r := resource(modulesAPI, "Guest", ns, "a", m{"forProvider": m{"words": int64(2)}})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		c.Remove(t, r)
	})

	t.Run("a Git repository", func(t *testing.T) {
		t.Parallel()
		repository := directory(t)
		file(t, filepath.Join(repository, "modules", "pets", "main.tf"), pets)
		file(t, filepath.Join(repository, "modules", "pets", "pet", "main.tf"), pet)
		git(t, repository, "init", "-q", "-b", "main")
		git(t, repository, "add", ".")
		git(t, repository, "commit", "-q", "-m", "pets")
		git(t, repository, "tag", "v1.0.0")
		address := "git::file://" + repository + "//modules/pets?ref="
		module := terraformModule("pets", m{"address": address + "v2.0.0"}, nil)
		c.MustCreate(t, module)
		c.WaitFalse(t, module, "Installed", "SourceNotAvailable", "v2.0.0")
		c.MustPatch(t, module, `{"spec":{"source":{"address":"`+address+`v1.0.0"}}}`)
		c.healthy(t, module)
		r := resource(modulesAPI, "Pets", ns, "b", m{"forProvider": m{"words": int64(3)}})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		if text(r, "status", "atProvider", "pet") == "" {
			t.Error("there is no output")
		}
		c.Remove(t, r)
		c.Remove(t, module)
	})

	for name, x := range map[string]struct {
		files             m
		source            m
		more              m
		condition, reason string
		parts             []string
	}{
		"syntax": {
			files: m{"main.tf": "variable \"a\" {\n  type = sting\n}\n"}, condition: "Installed",
			reason: "InvalidModule", parts: []string{"main.tf:2"},
		},
		"nothing": {
			files: m{"README.md": "none"}, condition: "Installed", reason: "InvalidModule", parts: []string{
				"no files with the extension .tf",
			},
		},
		"credentials": {
			files: m{"main.tf": "provider \"random\" {\n  api_token = 1\n}\n"}, condition: "Installed",
			reason: "InvalidModule", parts: []string{"main.tf:2", "api_token", "in the provider configuration"},
		},
		"provider": {
			files: m{"main.tf": "provider \"random\" {\n  endpoint = 1\n}\n"}, condition: "Installed",
			reason: "NotAllowed", parts: []string{"main.tf:2", "list ProviderSettings in spec.allow"},
		},
		"aliases": {
			files:     m{"main.tf": "resource \"random_pet\" \"a\" {\n  provider = random.other\n}\n"},
			condition: "Installed", reason: "InvalidModule", parts: []string{
				"main.tf:1", "configuration_aliases = [random.other]",
			},
		},
		"import": {
			files: m{"main.tf": "import {\n  to = random_pet.a\n  id = random_pet.b.id\n}\n"}, condition: "Installed",
			reason: "InvalidModule", parts: []string{"main.tf:3", "refers to random_pet.b"},
		},
		"program": {
			files: m{
				"main.tf": "resource \"terraform_data\" \"a\" {\n  provisioner \"local-exec\" {\n    command = " +
					"\"id\"\n  }\n}\n",
			}, condition: "Installed", reason: "NotAllowed", parts: []string{
				"main.tf:2", "list Provisioners in spec.allow",
			},
		},
		"token": {
			files: m{
				"main.tf": "output \"a\" {\n  value = " +
					"file(\"/var/run/secrets/kubernetes.io/serviceaccount/token\")\n}\n",
			}, condition: "Installed", reason: "NotAllowed", parts: []string{
				"main.tf:2", "outside the module's folder",
			},
		},
		"missing": {
			files: m{"main.tf": "resource \"time_static\" \"a\" {}\n"}, condition: "Healthy",
			reason: "ProviderMissing", parts: []string{"hashicorp/time"},
		},
		"unnamed": {
			files: m{"main.tf": pet}, more: m{"providers": m{"hashicorp/random": "other"}}, condition: "Healthy",
			reason: "ProviderMissing", parts: []string{"spec.providers", "other"},
		},
		"gone": {
			source: m{"directory": "/nonexistent"}, condition: "Installed", reason: "SourceNotAvailable",
			parts: []string{"/nonexistent"},
		},
		"path": {
			source: m{"address": "./here"}, condition: "Installed", reason: "SourceNotAvailable",
			parts: []string{"spec.source.directory"},
		},
		"called": {
			files: m{"main.tf": "module \"x\" {\n  source = \"./not-there\"\n}\n"}, condition: "Installed",
			reason: "InvalidModule", parts: []string{"not-there"},
		},
		"kind": {
			files: m{"main.tf": pet}, more: m{"kind": "lower case"}, condition: "Installed",
			reason: "InvalidConfiguration", parts: []string{"lower case"},
		},
		"collision": {
			files: m{"main.tf": pet}, more: m{"group": "landbridge.io", "kind": "TerraformProvider"},
			condition: "Healthy", reason: "CRDConflict", parts: []string{"terraformproviders.landbridge.io"},
		},
		"outputs": {
			files:     m{"main.tf": "variable \"a\" {}\nvariable \"a_output\" {}\noutput \"a\" {\n  value = 1\n}\n"},
			condition: "Installed", reason: "InvalidModule", parts: []string{"a_output"},
		},
		"duplicates": {
			files: m{"main.tf": "variable \"a\" {}\n", "more.tf": "variable \"a\" {}\n"}, condition: "Installed",
			reason: "InvalidModule", parts: []string{"more.tf:1", "variable a is defined twice"},
		},
	} {
		t.Run("wrong: "+name, func(t *testing.T) {
			t.Parallel()
			source := x.source
			if source == nil {
				dir := directory(t)
				for name, content := range x.files {
					file(t, filepath.Join(dir, name), content.(string))
				}
				source = m{"directory": dir}
			}
			module := terraformModule("wrong-"+name, source, x.more)
			c.MustCreate(t, module)
			c.WaitFalse(t, module, x.condition, x.reason, x.parts...)
			c.Remove(t, module)
		})
	}

	t.Run("two sources", func(t *testing.T) {
		t.Parallel()
		if err := c.Create(t.Context(), terraformModule("two", m{"directory": "/a", "address": "b/c/d"}, nil)); !kerrors.IsInvalid(err) {
			t.Errorf("it is let through: %v", err)
		}
	})
}

// Without a program there are no modules, and the message explains how to configure one.
func TestModuleWithoutProgram(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(directory(t))
	o.CommandLine = &kinds.CommandLine{Program: "/nonexistent/tofu", Dir: scratch}
	c.RunController(t, o)
	dir := directory(t)
	file(t, filepath.Join(dir, "main.tf"), pet)
	module := terraformModule("pet", m{"directory": dir}, nil)
	c.MustCreate(t, module)
	c.WaitFalse(t, module, "Installed", "ExecutionUnavailable", "/nonexistent/tofu", "--cli")
	c.Remove(t, module)
}

// After a restart of the controller, resources referenced by module instances are not deleted until
// the instances' kinds are served.
func TestModuleReferencesAfterARestart(t *testing.T) {
	t.Parallel()
	c := alone(t)
	mirror := providertest.Mirror(t, "random")
	stop := c.RunController(t, moduleOptions(t, mirror))
	c.install(t, terraformProvider("random", "hashicorp/random", "random_pet"))
	ns, dir := c.Namespace(t), directory(t)
	file(t, filepath.Join(dir, "main.tf"), pet)
	module := terraformModule("pet", m{"directory": dir}, m{"kind": "Companion"})
	c.MustCreate(t, module)
	c.healthy(t, module)
	target := resource(random, "Pet", ns, "target", m{"forProvider": m{"length": int64(2)}})
	instance := resource(modulesAPI, "Companion", ns, "referrer", m{"forProvider": m{}, "references": []any{m{
		"to": "forProvider.words", "from": m{"apiVersion": random, "kind": "Pet", "name": "target", "fieldPath": "spec.forProvider.length"},
	}}})
	for _, r := range []*unstructured.Unstructured{target, instance} {
		c.MustCreate(t, r)
		c.WaitReady(t, r)
	}
	stop()
	if err := c.Delete(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	c.RunController(t, moduleOptions(t, mirror))
	c.WaitFalse(t, target, "Synced", "StillReferredTo", "Companion "+ns+"/referrer")
	c.Remove(t, instance)
	c.WaitGone(t, target)
}
