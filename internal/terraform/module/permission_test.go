package module_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

const token = "/var/run/secrets/kubernetes.io/serviceaccount/token"

// TestModulesRunNothing has the ways in which a module could run programs or read files, each with
// the permission that it needs.
func TestModulesRunNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		main, json string
		more       map[string]string
		needs      module.Permission
		at         string
	}{
		"a provisioner": {
			main:  "resource \"terraform_data\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"id\"\n  }\n}\n",
			needs: module.Provisioners, at: "main.tf:2: The block provisioner local-exec",
		},
		"a provisioner of null_resource": {
			main:  "resource \"null_resource\" \"x\" {\n  provisioner \"file\" {}\n}\n",
			needs: module.Provisioners, at: "main.tf:2:",
		},
		"a connection": {
			main:  "resource \"terraform_data\" \"x\" {\n  connection {\n    host = \"h\"\n  }\n}\n",
			needs: module.Provisioners, at: "main.tf:2: The block connection",
		},
		"a provisioner in JSON": {
			json:  `{"resource":{"terraform_data":{"x":{"provisioner":[{"local-exec":{"command":"id"}}]}}}}`,
			needs: module.Provisioners, at: "main.tf.json:1:",
		},
		"a provisioner of what is removed": {
			main:  "removed {\n  from = terraform_data.x\n  provisioner \"local-exec\" {\n    when = destroy\n    command = \"id\"\n  }\n}\n",
			needs: module.Provisioners, at: "main.tf:3:",
		},
		"external": {
			main: "data \"external\" \"x\" {\n  program = [\"id\"]\n}\n", needs: module.External,
			at: "main.tf:1: data.external",
		},
		"external, by alias": {main: "data \"external\" \"x\" {\n  provider = other\n}\n", needs: module.External, at: "main.tf:1:"},
		"external in a check": {
			main:  "check \"x\" {\n  data \"external\" \"x\" {\n    program = [\"id\"]\n  }\n}\n",
			needs: module.External, at: "main.tf:2:",
		},
		"external in JSON": {json: `{"data":[{"external":{"x":{"program":["id"]}}}]}`, needs: module.External, at: "main.tf.json:1:"},
		"an action":        {main: "action \"local_command\" \"x\" {}\n", needs: module.External, at: "main.tf:1:"},
		"http":             {main: "data \"http\" \"x\" {\n  url = \"http://169.254.169.254/\"\n}\n", needs: module.HTTP, at: "main.tf:1:"},
		"a remote state": {
			main: "data \"terraform_remote_state\" \"x\" {\n  backend = \"local\"\n}\n", needs: module.RemoteState,
			at: "main.tf:1:",
		},
		"local_file": {main: "data \"local_file\" \"x\" {\n  filename = \"" + token + "\"\n}\n", needs: module.Files, at: "main.tf:1:"},
		"archive_file": {
			main: "data \"archive_file\" \"x\" {\n  source_file = \"" + token + "\"\n}\n", needs: module.Files,
			at: "main.tf:1:",
		},
		"template_file": {
			main: "data \"template_file\" \"x\" {\n  template = \"$${file(1)}\"\n}\n", needs: module.Files,
			at: "main.tf:1:",
		},
		"an absolute path": {
			main: "output \"x\" {\n  value = file(\"" + token + "\")\n}\n", needs: module.Files,
			at: `main.tf:2: file reads "` + token + `"`,
		},
		"a path by a local": {
			main: "locals {\n  a = \"/var\"\n  b = \"${local.a}/run\"\n}\noutput \"x\" {\n  value = " +
				"filebase64(\"${local.b}/x\")\n}\n",
			needs: module.Files, at: `main.tf:6: filebase64 reads "/var/run/x"`,
		},
		"a way up": {
			main:  "output \"x\" {\n  value = file(\"${path.module}/a/../../../etc/passwd\")\n}\n",
			needs: module.Files, at: "main.tf:2: file reads",
		},
		"a relative path":  {main: "output \"x\" {\n  value = file(\"terraform.tfstate\")\n}\n", needs: module.Files, at: "main.tf:2:"},
		"a home directory": {main: "output \"x\" {\n  value = file(\"~/.netrc\")\n}\n", needs: module.Files, at: "main.tf:2:"},
		"the root": {
			main: "output \"x\" {\n  value = file(\"${path.root}/terraform.tfstate\")\n}\n", needs: module.Files,
			at: "main.tf:2:",
		},
		"a variable": {
			main: "variable \"p\" {}\noutput \"x\" {\n  value = file(var.p)\n}\n", needs: module.Files,
			at: "main.tf:3: The path that file reads is computed",
		},
		"a variable at an end": {
			main:  "variable \"p\" {}\noutput \"x\" {\n  value = file(\"${path.module}/${var.p}\")\n}\n",
			needs: module.Files, at: "main.tf:3:",
		},
		"a computed path": {
			main:  "output \"x\" {\n  value = file(join(\"/\", [\"\", \"etc\", \"passwd\"]))\n}\n",
			needs: module.Files, at: "main.tf:2:",
		},
		"one of two": {
			main: "variable \"p\" {}\noutput \"x\" {\n  value = file(var.p == 1 ? \"${path.module}/a\" : " +
				"\"/etc/passwd\")\n}\n",
			needs: module.Files, at: `main.tf:3: file reads "/etc/passwd"`,
		},
		"basename as a folder": {
			main: "variable \"p\" {}\noutput \"x\" {\n  value = " +
				"file(\"${path.module}/${basename(var.p)}/passwd\")\n}\n",
			needs: module.Files, at: "main.tf:3:",
		},
		"basename after a dot": {
			main:  "variable \"p\" {}\noutput \"x\" {\n  value = file(\"${path.module}/.${basename(var.p)}\")\n}\n",
			needs: module.Files, at: "main.tf:3:",
		},
		"a namespace":          {main: "output \"x\" {\n  value = core::file(\"/etc/passwd\")\n}\n", needs: module.Files, at: "main.tf:2:"},
		"arguments as a list":  {main: "output \"x\" {\n  value = file([\"/etc/passwd\"]...)\n}\n", needs: module.Files, at: "main.tf:2:"},
		"in a module's source": {main: "module \"x\" {\n  source = \"./${file(\"/etc/hostname\")}\"\n}\n", needs: module.Files, at: "main.tf:2:"},
		"in JSON": {
			json: "{\"output\":{\"x\":\n{\"value\":\"${file(\\\"/etc/passwd\\\")}\"}}}", needs: module.Files,
			at: "main.tf.json:2:",
		},
		"in JSON, escaped":  {json: `{"output":{"x":{"value":"$\u007bfile(\"/etc/passwd\")}"}}}`, needs: module.Files, at: "main.tf.json:1:"},
		"in JSON, as a key": {json: `{"output":{"x":{"value":{"${file(\"/etc/passwd\")}":1}}}}`, needs: module.Files, at: "main.tf.json:1:"},
		"in JSON, twice": {
			json: `{"output":{"x":{"value":"${file(\"/etc/passwd\")}"}},"output":{}}`, needs: module.Files,
			at: "main.tf.json:1:",
		},
		"whether it exists": {main: "output \"x\" {\n  value = fileexists(\"/etc/passwd\")\n}\n", needs: module.Files, at: "main.tf:2:"},
		"which there are":   {main: "output \"x\" {\n  value = fileset(\"/\", \"*\")\n}\n", needs: module.Files, at: "main.tf:2:"},
		"a pattern": {
			main: "output \"x\" {\n  value = fileset(path.module, \"../../*\")\n}\n", needs: module.Files,
			at: "main.tf:2: The pattern",
		},
		"an escaped pattern": {
			main: "output \"x\" {\n  value = fileset(path.module, \"\\\\.\\\\./*\")\n}\n", needs: module.Files,
			at: "main.tf:2: The pattern",
		},
		"the history": {
			main: "output \"x\" {\n  value = file(\"${path.module}/.git/config\")\n}\n", needs: module.Files,
			at: "main.tf:2:",
		},
		"a template nested too deeply to be checked": {
			main:  "output \"x\" {\n  value = templatefile(\"${path.module}/t.tftpl\", {})\n}\n",
			more:  map[string]string{"t.tftpl": "${" + strings.Repeat("[", 3000) + "file(\"/etc/passwd\")" + strings.Repeat("]", 3000) + "}"},
			needs: module.Files, at: "main.tf:2: t.tftpl cannot be checked: Nested too deeply",
		},
		"a template elsewhere": {main: "output \"x\" {\n  value = templatefile(\"/etc/passwd\", {})\n}\n", needs: module.Files, at: "main.tf:2:"},
		"inside a template": {
			main:  "output \"x\" {\n  value = templatefile(\"${path.module}/t.tftpl\", {})\n}\n",
			more:  map[string]string{"t.tftpl": "a\n${file(\"/etc/passwd\")}"},
			needs: module.Files, at: "t.tftpl:2:",
		},
		"a computed template": {
			main: "output \"x\" {\n  value = templatestring(local.t, {})\n}\n", needs: module.Files,
			at: "main.tf:2: The template of templatestring",
		},
		"a variable named path": {
			main:  "output \"x\" {\n  value = [for path in [{ module = \"/etc\" }] : file(\"${path.module}/passwd\")]\n}\n",
			needs: module.Files, at: "main.tf:2: The path that file reads is computed",
		},
		"a variable named local": {
			main: "locals {\n  a = path.module\n}\noutput \"x\" {\n" +
				"  value = { for local, v in { x = 1 } : v => file(local.a) if file(local.a) != 1 }\n}\n",
			needs: module.Files, at: "main.tf:5: The path that file reads is computed",
		},
		"a variable of a directive": {
			main:  "output \"x\" {\n  value = \"%{for path in [1]}${file(\"${path.module}/passwd\")}%{endfor}\"\n}\n",
			needs: module.Files, at: "main.tf:2: The path that file reads is computed",
		},
		"an iterator named local": {
			main: "locals {\n  value = path.module\n}\nresource \"x_y\" \"z\" {\n  dynamic \"b\" {\n    for_each = [\"/etc/passwd\"]\n" +
				"    iterator = local\n    content {\n      a = file(local.value)\n    }\n  }\n}\n",
			needs: module.Files, at: "main.tf:9: The path that file reads is computed",
		},
		"a local overridden in JSON": {
			main:  "locals {\n  a = path.module\n}\noutput \"x\" {\n  value = file(\"${local.a}/passwd\")\n}\n",
			more:  map[string]string{"override.tf.json": `{"locals": {"a": "/etc"}}`},
			needs: module.Files, at: "main.tf:5: The path that file reads is computed",
		},
		"a local that depends on the program": {
			main:  "locals {\n  a = \"/etc\"\n}\n",
			more:  map[string]string{"main.tofu": "locals {\n  a = path.module\n}\noutput \"x\" {\n  value = file(\"${local.a}/passwd\")\n}\n"},
			needs: module.Files, at: "main.tofu:5: The path that file reads is computed",
		},
		"in JSON, in a reference": {
			json:  `{"resource":{"x_y":{"z":{"provider":"x.y[file(\"/etc/passwd\")]"}}}}`,
			needs: module.Files, at: "main.tf.json:1:",
		},
		"a provider's": {main: "output \"x\" {\n  value = provider::local::direxists(\"/etc\")\n}\n", needs: module.Files, at: "main.tf:2:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"main.tf": test.main}
			if test.json != "" {
				files = map[string]string{"main.tf.json": test.json}
			}
			for name, content := range test.more {
				files[name] = content
			}
			dir := write(t, files)
			all := []module.Permission{module.Provisioners, module.External, module.HTTP, module.RemoteState, module.Files}
			for i, p := range all {
				if p == test.needs {
					all = append(all[:i:i], all[i+1:]...)
					break
				}
			}
			got := module.Restrict(dir, all...)
			if !got.HasSummary(module.NotAllowed) || !strings.Contains(got.String(), test.at) ||
				!strings.Contains(got.String(), "list "+string(test.needs)+" in spec.allow") {
				t.Errorf("got %q, want %q, %s", got, test.at, test.needs)
			}
			if got := module.Restrict(dir, test.needs); got.HasErrors() {
				t.Errorf("it is allowed, and refused: %s", got)
			}
		})
	}
}

// TestModulesUseTheirOwnFiles has what needs no permission.
func TestModulesUseTheirOwnFiles(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"main.tf": `
locals {
  folder = "${path.module}/files"
  loop   = local.loop
  file   = 1
}
variable "name" {}
variable "production" {}
resource "terraform_data" "a" {
  input = [
    file("${path.module}/a.txt"), file("${local.folder}/a"), filesha256(("${local.folder}/b")), file("${path.module}/${basename(var.name)}"),
    file(var.production ? "${path.module}/p" : "${path.module}/t"), [for f in fileset(path.module, "files/*.json") : f], fileexists("${path.module}/x/../y"),
    templatefile("${path.module}/greeting.tftpl", { name = var.name }), "file(\"/etc/passwd\")", local.file,
    [for path in fileset(path.module, "files/*") : upper(path)], [for f in ["a"] : file("${local.folder}/a")],
  ]
}
data "cloud_image" "x" {}
check "c" {
  assert {
    condition     = true
    error_message = "No."
  }
}`,
		"more.tf.json":   `{"//":"file(\"/etc/passwd\")","output":{"x":{"value":"${file(\"${path.module}/a.txt\")}"}}}`,
		"greeting.tftpl": `%{ for x in [1] }Hello ${upper(name)}%{ endfor }`,
	})
	if got := module.Restrict(dir); got.HasErrors() {
		t.Error(got)
	}
}

// fetcher returns a function that fetches a module.
func fetcher(t *testing.T, hidden ...string) func(module.Source) (*module.Module, diagnostic.Diagnostics) {
	t.Helper()
	runner, err := commandline.New(commandline.Options{Program: openTofu(t), Dir: t.TempDir(), Hidden: hidden})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(s module.Source) (*module.Module, diagnostic.Diagnostics) {
		return module.Fetch(t.Context(), runner, s, filepath.Join(t.TempDir(), "module"), "module_x")
	}
}

// repository returns the address of a Git repository with the files of a directory.
func repository(t *testing.T, dir string) string {
	t.Helper()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return "git::file://" + dir
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCalledModulesRunNothing checks modules that are fetched, and the links in them.
func TestCalledModulesRunNothing(t *testing.T) {
	t.Parallel()
	fetch := fetcher(t)
	const runs = "resource \"terraform_data\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"id\"\n  }\n}\n"
	secret := filepath.Join(t.TempDir(), "token")
	put(t, filepath.Dir(secret), "token", "hunter2")
	put(t, filepath.Dir(secret), "main.tf", "output \"x\" {\n  value = 1\n}\n")
	link := func(dir, name, to string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		make func(dir string)
		// git is set if the directory is fetched as a repository.
		git   bool
		allow []module.Permission
		says  string
	}{
		"a called module": {make: func(dir string) {
			put(t, dir, "main.tf", "module \"a\" {\n  source = \"./a\"\n}\n")
			put(t, dir, "a/main.tf", runs)
		}, says: "module.a: main.tf:2: The block provisioner"},
		"a called module of a repository": {git: true, make: func(dir string) {
			put(t, dir, "main.tf", "module \"a\" {\n  source = \"./a\"\n}\n")
			put(t, dir, "a/main.tf", runs)
		}, says: "module.a: main.tf:2: The block provisioner"},
		"a link": {make: func(dir string) {
			put(t, dir, "main.tf", "output \"x\" {\n  value = file(\"${path.module}/t\")\n}\n")
			link(dir, "t", secret)
		}, says: "t is a symbolic link to a file outside"},
		"a link in a repository": {git: true, make: func(dir string) {
			put(t, dir, "main.tf", "output \"x\" {\n  value = file(\"${path.module}/t\")\n}\n")
			link(dir, "t", secret)
		}, says: "t is a symbolic link to a file outside"},
		"a linked folder in a repository": {git: true, make: func(dir string) {
			put(t, dir, "main.tf", "output \"x\" {\n  value = file(\"${path.module}/d/token\")\n}\n")
			link(dir, "d", filepath.Dir(secret))
		}, says: "d is a symbolic link to a file outside"},
		"a link to nothing yet": {git: true, make: func(dir string) {
			put(t, dir, "main.tf", "output \"x\" {\n  value = 1\n}\n")
			link(dir, "d", "/nonexistent/later")
		}, says: "d is a symbolic link to a file outside"},
		"a module elsewhere": {make: func(dir string) {
			put(t, dir, "main.tf", "module \"a\" {\n  source = \""+filepath.Dir(secret)+"\"\n}\n")
		}, says: "module.a: Its source is a directory outside the module's folder"},
		"a large module elsewhere": {make: func(dir string) {
			other := t.TempDir()
			put(t, other, "main.tf", "output \"x\" {\n  value = 1\n}\n")
			put(t, other, "large", "")
			if err := os.Truncate(filepath.Join(other, "large"), 2<<30); err != nil {
				t.Fatal(err)
			}
			put(t, dir, "main.tf", "module \"a\" {\n  source = \""+other+"\"\n}\n")
		}, allow: []module.Permission{module.Files}, says: "have more than 1024 MiB"},
		"links within": {git: true, make: func(dir string) {
			put(t, dir, "main.tf", "output \"x\" {\n  value = file(\"${path.module}/t\")\n}\n")
			put(t, dir, "real", "x")
			link(dir, "t", "real")
		}},
		"a file of another module of the repository": {git: true, make: func(dir string) {
			put(t, dir, "main.tf", "module \"a\" {\n  source = \"./modules/a\"\n}\n")
			put(t, dir, "modules/a/main.tf", "output \"x\" {\n  value = file(\"${path.module}/../../shared.txt\")\n}\n")
			put(t, dir, "shared.txt", "x")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			test.make(dir)
			s := module.Source{Directory: dir, Allow: test.allow}
			if test.git {
				s = module.Source{Address: repository(t, dir), Allow: test.allow}
			}
			_, diags := fetch(s)
			if test.says == "" {
				if diags.HasErrors() {
					t.Error(diags)
				}
				return
			}
			if test.allow == nil && !diags.HasSummary(module.NotAllowed) || !strings.Contains(diags.String(), test.says) {
				t.Errorf("got %q, want %q", diags, test.says)
			}
		})
	}
}

// TestSourcesCannotBeSecrets has a fetched module that calls another one by the content of a file.
// The program evaluates it while it fetches modules, before the module can be checked, and would
// send it to whatever server.
func TestSourcesCannotBeSecrets(t *testing.T) {
	t.Parallel()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	secrets := t.TempDir()
	put(t, secrets, "token", "hunter2")
	fetch := fetcher(t, secrets)
	dir := t.TempDir()
	put(t, dir, "main.tf", "module \"a\" {\n  source = \"./${file(\""+filepath.Join(secrets, "token")+"\")}\"\n}\n")
	address := repository(t, dir)
	_, diags := fetch(module.Source{Address: address})
	if !diags.HasErrors() || strings.Contains(diags.String(), "hunter2") || !strings.Contains(diags.String(), "permission denied") {
		t.Errorf("got %q", diags)
	}
}

// TestDigest checks that a digest covers everything that a module consists of, and that only the
// pinned one is used.
func TestDigest(t *testing.T) {
	t.Parallel()
	fetch := fetcher(t)
	dir := t.TempDir()
	put(t, dir, "main.tf", "module \"a\" {\n  source = \"./a\"\n}\noutput \"x\" {\n  value = file(\"${path.module}/.hidden\")\n}\n")
	put(t, dir, "a/main.tf", "output \"x\" {\n  value = 1\n}\n")
	put(t, dir, ".hidden", "1")
	address := repository(t, dir)
	digest := func(s module.Source) string {
		t.Helper()
		m, diags := fetch(s)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return m.Digest
	}
	first := digest(module.Source{Address: address})
	if again := digest(module.Source{Address: address, Digest: first}); again != first {
		t.Errorf("it was %s and is %s", first, again)
	}
	put(t, dir, ".hidden", "2")
	repository(t, dir)
	_, diags := fetch(module.Source{Address: address, Digest: first})
	if !diags.HasSummary(module.DigestMismatch) || !strings.Contains(diags.String(), first) {
		t.Errorf("got %q", diags)
	}

	// A ConfigMap is compared before anything is fetched for it.
	files := map[string][]byte{"main.tf": []byte("module \"a\" {\n  source = \"" + address + "\"\n}\n")}
	sum, err := module.Source{Files: files}.Sum()
	if err != nil {
		t.Fatal(err)
	}
	if _, diags := fetch(module.Source{Files: files, Digest: first}); !diags.HasSummary(module.DigestMismatch) ||
		!strings.Contains(diags.String(), sum) {
		t.Errorf("got %q", diags)
	}
	if _, diags := fetch(module.Source{Files: files, Digest: sum}); !diags.HasSummary(module.NotAllowed) ||
		!strings.Contains(diags.String(), "module.a") {
		t.Errorf("got %q", diags)
	}
	plain := map[string][]byte{"main.tf": []byte("output \"x\" {\n  value = 1\n}\n")}
	if sum, err = (module.Source{Files: plain}).Sum(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sum, digest(module.Source{Files: plain, Digest: sum})); diff != "" {
		t.Error(diff)
	}
}
