package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// planted is a secret of these tests: it must never be printed.
const planted = "hunter2-planted-secret"

// desk is a place to plan and apply at, with one provider, manifest and state file.
type desk struct {
	t                    *testing.T
	provider, binary     string
	dir, manifest, state string
}

func newDesk(t *testing.T, provider string) *desk {
	dir := t.TempDir()
	return &desk{
		t: t, provider: provider, binary: providertest.Binary(t, provider),
		dir: dir, manifest: filepath.Join(dir, "m.yaml"), state: filepath.Join(dir, "s.tfstate"),
	}
}

// write writes the manifest. Documents are "Kind name {spec}", or YAML as it is.
func (d *desk) write(documents ...string) {
	d.t.Helper()
	var out strings.Builder
	for _, doc := range documents {
		parts := strings.SplitN(doc, " ", 3)
		if strings.Contains(parts[0], ":") {
			out.WriteString("---\n" + doc + "\n")
			continue
		}
		fmt.Fprintf(&out, "---\napiVersion: %s.landbridge.io/v1alpha1\nkind: %s\nmetadata: {name: %s}\nspec: %s\n",
			d.provider, parts[0], parts[1], parts[2])
	}
	if err := os.WriteFile(d.manifest, []byte(out.String()), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

type printed struct {
	out, err string
	code     int
}

// run runs a command on the manifest. Nothing it prints has a secret in it.
func (d *desk) run(command string, args ...string) printed {
	d.t.Helper()
	return d.runWith(d.t.Context(), nil, command, args...)
}

// runWith is run; watch sees what is printed as it is printed.
func (d *desk) runWith(ctx context.Context, watch func(string), command string, args ...string) printed {
	d.t.Helper()
	out, errOut := &watched{watch: watch}, &watched{watch: watch}
	root := newRootCommand()
	root.SetArgs(append([]string{command, "-f", d.manifest, "--provider", d.binary, "--state", d.state}, args...))
	root.SetIn(strings.NewReader(""))
	root.SetOut(out)
	root.SetErr(errOut)
	p := printed{}
	if err := root.ExecuteContext(ctx); err != nil {
		var tell bool
		if p.code, tell = exitCode(err); tell {
			fmt.Fprintln(errOut, "Error:", err)
		}
	}
	p.out, p.err = out.String(), errOut.String()
	if strings.Contains(p.out+p.err, planted) {
		d.t.Errorf("%s printed a secret:\n%s%s", command, p.out, p.err)
	}
	return p
}

// apply applies without a question, and must succeed.
func (d *desk) apply(args ...string) printed {
	d.t.Helper()
	p := d.run("apply", append(args, "--auto-approve")...)
	if p.code != 0 {
		d.t.Fatalf("apply: exit code %d\n%s%s", p.code, p.out, p.err)
	}
	return p
}

// plan plans, and must end with the code.
func (d *desk) plan(code int, args ...string) printed {
	d.t.Helper()
	p := d.run("plan", append(args, "--detailed-exitcode")...)
	if p.code != code {
		d.t.Fatalf("plan: exit code %d, want %d\n%s%s", p.code, code, p.out, p.err)
	}
	return p
}

// has looks for texts, in which an equals sign stands for one in a column, too.
func (d *desk) has(text string, wants ...string) {
	d.t.Helper()
	text = column.ReplaceAllString(text, " = ")
	for _, want := range wants {
		if !strings.Contains(text, want) {
			d.t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

var column = regexp.MustCompile(` += `)

// instances are what the state file holds, by address.
func (d *desk) instances() map[string]instance.Instance {
	d.t.Helper()
	b, err := os.ReadFile(d.state)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := tfstate.Read(b, tfstate.Of(schematest.Provider(d.t, d.provider)))
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[string]instance.Instance{}
	for _, r := range s.Resources {
		out[r.Type+"."+r.Name] = r.Instances[0].Instance
	}
	return out
}

func (d *desk) document(p printed) planDocument {
	d.t.Helper()
	var out planDocument
	if err := json.Unmarshal([]byte(p.out), &out); err != nil {
		d.t.Fatalf("%v:\n%s%s", err, p.out, p.err)
	}
	return out
}

type watched struct {
	mu    sync.Mutex
	b     bytes.Buffer
	watch func(string)
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Write(b)
	if w.watch != nil {
		w.watch(string(b))
	}
	return len(b), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// The life of an object: created, left alone, updated, replaced, destroyed.
func TestLife(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "time")
	d.write(`Offset a {forProvider: {baseRfc3339: "2030-01-01T00:00:00Z", offsetDays: 7}}`)
	p := d.plan(2)
	d.has(p.out, `+ Offset "a" {`, "+ offsetDays = 7", "# time_offset.a will be created", "Plan: 1 to add, 0 to change, 0 to destroy.")
	if d.instances() != nil {
		t.Error("a plan wrote the state")
	}
	p = d.apply()
	d.has(p.out, "time_offset.a: Creating...", "time_offset.a: Creation complete after",
		"Apply complete! Resources: 1 added, 0 changed, 0 destroyed.")
	d.has(d.plan(0).out, "No changes.")
	before, _ := os.ReadFile(d.state)
	d.has(d.apply().out, "Resources: 0 added, 0 changed, 0 destroyed.")
	if after, _ := os.ReadFile(d.state); !bytes.Equal(before, after) {
		t.Error("an apply that did nothing wrote the state")
	}

	d.write(`Offset a {forProvider: {baseRfc3339: "2030-01-01T00:00:00Z", offsetDays: 30}}`)
	p = d.plan(2)
	d.has(p.out, "# time_offset.a will be updated in-place", "~ offsetDays = 7 -> 30",
		`~ rfc3339 = "2030-01-08T00:00:00Z" -> "2030-01-31T00:00:00Z"`, "unchanged attributes hidden",
		"Plan: 0 to add, 1 to change, 0 to destroy.")
	d.has(d.apply().out, "time_offset.a: Modifying... [id=", "1 changed")

	d.write(`Offset a {forProvider: {baseRfc3339: "2030-01-01T00:00:00Z", offsetDays: 30, triggers: {v: "2"}}}`)
	p = d.plan(2)
	d.has(p.out, "# time_offset.a must be replaced", "-/+ Offset \"a\" {", "+ triggers = { # forces replacement",
		"Plan: 1 to add, 0 to change, 1 to destroy.")
	d.has(d.apply().out, "time_offset.a: Destroying...", "time_offset.a: Creating...", "Resources: 1 added, 0 changed, 1 destroyed.")
	in := d.instances()["time_offset.a"]
	if got := in.State.GetAttr("triggers").AsValueMap()["v"].AsString(); got != "2" || in.Status != instance.Full {
		t.Errorf("got %s, %s", got, in.Status)
	}

	d.has(d.plan(2, "--destroy").out, "# time_offset.a will be destroyed", `- id = "2030-01-01T00:00:00Z" -> null`)
	d.has(d.apply("--destroy").out, "Destroy complete! Resources: 0 added, 0 changed, 1 destroyed.")
	if got := d.instances(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	d.has(d.plan(0, "--destroy").out, "No changes.")
	if _, err := os.Stat(d.state + ".backup"); err != nil {
		t.Error(err)
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "local")
	file := filepath.Join(d.dir, "f")
	d.write(`File f {forProvider: {filename: "` + file + `", content: "one\ntwo\n"}}`)
	d.has(d.apply().out, "+ content = <<-EOT\n            one\n            two\n        EOT")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p := d.plan(2)
	d.has(p.out, "Note: Objects have changed outside of Landbridge", "# local_file.f has been deleted", "# local_file.f will be created")
	doc := d.document(d.plan(2, "-o", "json"))
	if len(doc.ResourceDrift) != 1 || doc.ResourceDrift[0].Change.Actions[0] != "delete" || !doc.Applyable {
		t.Errorf("got %+v", doc)
	}
	d.has(d.plan(2, "--refresh-only").out, "# local_file.f has been deleted", "This is a refresh-only plan")
	d.apply("--refresh-only")
	if got := d.instances(); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a refresh made the file")
	}
	d.has(d.plan(0, "--refresh-only").out, "No changes.")
	d.apply()
	if b, err := os.ReadFile(file); err != nil || string(b) != "one\ntwo\n" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "local")
	file := filepath.Join(d.dir, "f")
	secret := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: " + value + "}"
	}
	resource := `SensitiveFile f {forProvider: {filename: "` + file + `", contentSecretRef: {name: s, key: k}}}`
	d.write(resource, secret(planted))
	p := d.plan(2)
	d.has(p.out, "+ content = (sensitive value)")
	p = d.plan(2, "-o", "json")
	change := d.document(p).ResourceChanges[0].Change
	if s := change.AfterSensitive.(map[string]any); s["content"] != true {
		t.Errorf("got %v", s)
	}
	if _, ok := change.After.(map[string]any)["content"]; ok {
		t.Error("a sensitive value is in after")
	}
	d.apply("-o", "json")
	if b, err := os.ReadFile(file); err != nil || string(b) != planted {
		t.Fatalf("got %q, %v", b, err)
	}
	d.plan(0)
	if d.instances()["local_sensitive_file.f"].State.GetAttr("content").AsString() != planted {
		t.Error("the state does not hold it")
	}
	d.write(resource, secret(planted+"2"))
	d.has(d.plan(2).out, "~ content = (sensitive value) # forces replacement")
	d.apply()
	d.plan(2, "--destroy", "-o", "json")
	d.has(d.apply("--destroy").out, "- content = (sensitive value) -> null")

	// What a provider quotes in an error is taken out of it.
	other := newDesk(t, "local")
	other.write(`SensitiveFile f {forProvider: {filename: "`+file+
		`", contentSecretRef: {name: s, key: k}, filePermission: "`+planted+`"}}`, secret(planted))
	p = other.plan(1)
	other.has(p.err, "Error: ", "(sensitive value)", "with local_sensitive_file.f, spec.forProvider.filePermission",
		"in "+other.manifest+", document 1 (line 2), SensitiveFile f")
}

func TestImport(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	// A password is imported by what it is.
	d.write(`Password p {managementPolicies: [Observe], forProvider: {}, import: {id: `+planted+`}}`,
		`Integer i {forProvider: {min: 1, max: 8}, import: {id: "5,1,9"}}`)
	p := d.plan(2)
	d.has(p.out, "# random_password.p will be imported", "# (imported from (sensitive value))")
	if i := d.document(d.plan(2, "-o", "json")).ResourceChanges[0].Change.Importing; i == nil || i.ID != "" || !i.IDSensitive {
		t.Errorf("got %+v", i)
	}
	d.has(p.out, "# random_integer.i must be replaced", `# (imported from "5,1,9")`, "~ max = 9 -> 8 # forces replacement")
	d.write(`Password p {managementPolicies: [Observe], forProvider: {}, import: {id: ` + planted + `}}`)
	d.has(d.apply().out, "Resources: 1 imported, 0 added, 0 changed, 0 destroyed.")
	if got := d.instances()["random_password.p"].State.GetAttr("result").AsString(); got != planted {
		t.Errorf("got %s", got)
	}
	d.has(d.plan(0).out, "No changes.")
	p = d.plan(0, "--destroy")
	d.has(p.out, "(not carried out: spec.managementPolicies does not allow Delete)", "1 change is not carried out")
	d.apply("--destroy")
	if len(d.instances()) != 1 {
		t.Error("what is only observed was destroyed")
	}
	d.write(`String s {managementPolicies: [Observe], forProvider: {}}`)
	d.has(d.plan(0).out, "(not carried out: there is no such object, and spec.managementPolicies does "+
		"not allow Create)", "left alone: random_password.p")
	d.write(`Integer i {forProvider: {min: 1, max: 9}, import: {id: nonsense}}`)
	d.has(d.plan(1).err, "Error: Import Random Integer Error", "with random_integer.i")
}

func TestLifecycle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	d.write(`String s {forProvider: {length: 5, keepers: {a: b}}, lifecycle: {replacePolicy: Never}}`)
	d.apply()
	result := func() string { return d.instances()["random_string.s"].State.GetAttr("result").AsString() }
	was := result()

	d.write(`String s {forProvider: {length: 6, keepers: {a: b}}, lifecycle: {replacePolicy: Never}}`)
	d.has(d.plan(0).out, "# (not carried out: spec.lifecycle.replacePolicy is Never)", "~ length = 5 -> 6 # forces replacement")
	p := d.run("apply", "--auto-approve")
	d.has(p.err, "Error: Replacement refused", "with random_string.s, spec.forProvider.length", "spec.lifecycle.replacePolicy is Never")
	if p.code != 1 || result() != was {
		t.Errorf("exit code %d", p.code)
	}
	d.write(`String s {forProvider: {length: 6, keepers: {a: c}}, lifecycle: {ignoreChanges: [length, keepers.a]}}`)
	d.has(d.plan(0).out, "No changes.")
	d.write(`String s {managementPolicies: [Observe, Create, Update], forProvider: {length: 6}}`)
	d.has(d.plan(0).out, "(not carried out: spec.managementPolicies does not allow Delete)")
	d.apply()

	// initProvider holds only at creation.
	d.write(`String s {initProvider: {length: 7}, forProvider: {keepers: {a: b}}}`)
	d.has(d.plan(0).out, "No changes.")

	// A tainted object is replaced, unless it is to be kept, or untainted.
	raw, err := os.ReadFile(d.state)
	if err != nil {
		t.Fatal(err)
	}
	tainted := strings.Replace(string(raw), `"schema_version"`, `"status": "tainted", "schema_version"`, 1)
	if err := os.WriteFile(d.state, []byte(tainted), 0o600); err != nil {
		t.Fatal(err)
	}
	spec := `{length: 5, keepers: {a: b}}`
	d.write(`String s {forProvider: ` + spec + `}`)
	d.has(d.plan(2).out, "# random_string.s is tainted, so it must be replaced")
	d.write(`String s {forProvider: ` + spec + `, lifecycle: {taintPolicy: Keep}}`)
	d.has(d.plan(0).out, "(not carried out: spec.lifecycle.taintPolicy is Keep)")
	d.has(d.run("apply", "--auto-approve").err, "tainted", "untaint")
	d.write("apiVersion: random.landbridge.io/v1alpha1\nkind: String\nmetadata: {name: s, annotations: " +
		"{landbridge.io/untaint: 'yes'}}\nspec: {forProvider: " + spec + "}")
	d.has(d.plan(0).out, "No changes.")
	d.apply()
	if in := d.instances()["random_string.s"]; in.Status != instance.Full || result() != was {
		t.Errorf("got %s", in.Status)
	}
	d.write("apiVersion: random.landbridge.io/v1alpha1\nkind: String\nmetadata: {name: s, annotations: " +
		"{crossplane.io/paused: 'true'}}\nspec: {forProvider: {length: 100}}")
	d.has(d.plan(0).err, "Warning: Paused")
}

// A provider has the environment it is given whenever it is started, also to be asked for its
// schema.
func TestPlanEnvironment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	d.binary = script(t, `[ "$LANDBRIDGE_NEEDED" = yes ] || exit 3; exec `+d.binary)
	d.write(`Pet p {forProvider: {}}`)
	if p := d.run("plan", "--name", "random"); p.code != 1 {
		t.Errorf("without it: %+v", p)
	}
	if p := d.run("plan", "--name", "random", "--provider-env", "LANDBRIDGE_NEEDED=yes"); p.code != 0 {
		t.Errorf("with it: %+v", p)
	}
}

func TestPlanFailures(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	good := `Pet p {forProvider: {}}`
	tests := map[string]struct {
		documents []string
		prepare   func(*testing.T, *desk)
		command   string
		args      []string
		want      []string
	}{
		"no such file": {
			prepare: func(t *testing.T, d *desk) { d.manifest = "/does/not/exist.yaml" }, want: []string{
				"/does/not/exist.yaml: no such file",
			},
		},
		"no such provider": {
			documents: []string{good}, prepare: func(t *testing.T, d *desk) { d.binary = "/does/not/exist" },
			want: []string{"/does/not/exist: no such file"},
		},
		"not a provider": {
			documents: []string{good}, prepare: func(t *testing.T, d *desk) { d.binary = script(t, "exit 3") },
			want: []string{"terraform-provider-broken"},
		},
		"no YAML": {documents: []string{"a: [b"}, want: []string{"Error: Invalid YAML", "in ", "document 1 (line 2)"}},
		"unknown kind": {
			documents: []string{`Dog p {}`},
			want:      []string{"Error: Unknown kind", "The provider has no kind Dog", "document 1 (line 2), Dog p"},
		},
		"another provider": {
			documents: []string{"apiVersion: local.landbridge.io/v1alpha1\nkind: File\nmetadata: {name: f}"},
			want:      []string{"Error: Unknown kind", "random.landbridge.io/v1alpha1; landbridge provider inspect"},
		},
		"unknown field": {
			documents: []string{`Pet p {forProvider: {lenth: 3}}`},
			want: []string{
				"Error: Not accepted by the API server", "with random_pet.p, spec.forProvider.lenth",
				"did you mean spec.forProvider.length?", "document 1 (line 2), Pet p",
			},
		},
		"unknown spec": {
			documents: []string{`Pet p {forProvidr: {}}`},
			want: []string{
				"Error: Not accepted by the API server", "with random_pet.p, spec.forProvidr",
				"did you mean spec.forProvider?",
			},
		},
		"the provider says": {
			documents: []string{`Password p {forProvider: {length: 0}}`}, want: []string{
				"Error: ", "with random_password.p, spec.forProvider.length",
			},
		},
		"required": {
			documents: []string{`Password p {forProvider: {}}`},
			want: []string{
				"Error: Not accepted by the API server", "with random_password.p, spec",
				"spec.forProvider.length is a required parameter",
			},
		},
		"no such output": {documents: []string{good}, args: []string{"-o", "xml"}, want: []string{"must be one of text, json"}},
		"no such source": {documents: []string{good}, args: []string{"--source", "a/b/c/d"}, want: []string{"--source a/b/c/d"}},
		"no such variable": {
			documents: []string{good}, args: []string{"--provider-env", "LANDBRIDGE_NOT_SET"}, want: []string{
				"there is no such environment variable",
			},
		},
		"contradiction": {documents: []string{good}, args: []string{"--destroy", "--refresh-only"}, want: []string{"refresh-only"}},
		"no state": {
			documents: []string{good}, prepare: func(t *testing.T, d *desk) { writeFile(t, d.state, "hello") },
			want: []string{"s.tfstate: not a state file"},
		},
		"no terminal":       {documents: []string{good}, command: "apply", want: []string{"--auto-approve"}},
		"no terminal, JSON": {documents: []string{good}, command: "apply", args: []string{"-o", "json"}, want: []string{"--auto-approve"}},
		"locked": {
			documents: []string{good}, command: "apply", args: []string{"--auto-approve"},
			prepare: func(t *testing.T, d *desk) {
				unlock, err := local.Lock(d.state, "apply")
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(unlock)
			},
			want: []string{"s.tfstate is locked by process"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &desk{t: t, provider: d.provider, binary: d.binary, dir: t.TempDir()}
			d.manifest, d.state = filepath.Join(d.dir, "m.yaml"), filepath.Join(d.dir, "s.tfstate")
			d.write(test.documents...)
			if test.prepare != nil {
				test.prepare(t, d)
			}
			if test.command == "" {
				test.command = "plan"
			}
			p := d.run(test.command, test.args...)
			if p.code != 1 {
				t.Errorf("exit code %d", p.code)
			}
			d.has(p.err, test.want...)
			if strings.Contains(p.out, "Plan:") {
				t.Errorf("printed %s", p.out)
			}
		})
	}
	t.Run("in JSON", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, "random")
		d.write(`Pet p {forProvider: {}}`, `Password p {forProvider: {length: 0}}`)
		p := d.run("plan", "-o", "json")
		doc := d.document(p)
		if p.code != 1 || !doc.Errored || doc.Applyable || len(doc.ResourceChanges) != 0 || len(doc.Diagnostics) != 1 {
			t.Fatalf("got %+v", doc)
		}
		if m := doc.Diagnostics[0]; m.Address != "random_password.p" || m.Path != "spec.forProvider.length" {
			t.Errorf("got %+v", m)
		}
		// What could be planned is shown, where it is not the configuration that is wrong.
		d.write(`Pet p {forProvider: {}}`, `Pet q {forProvider: {}, import: {id: q}}`)
		p = d.run("plan", "-o", "json")
		if doc = d.document(p); p.code != 1 || !doc.Errored || doc.Applyable || len(doc.ResourceChanges) != 1 || len(doc.Diagnostics) != 1 {
			t.Fatalf("got %+v", doc)
		}
	})
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"yes\n": true, " yes \r\n": true, "y\n": false, "": false, "YES\n": false} {
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		cmd.SetIn(strings.NewReader(in))
		cmd.SetOut(io.Discard)
		if got, err := confirm(cmd, local.Normal); got != want || (err == nil) != want {
			t.Errorf("%q: got %v, %v", in, got, err)
		}
	}
}

func TestSourceOf(t *testing.T) {
	t.Parallel()
	mirror := providertest.Mirror(t, "random")
	for binary, want := range map[string]string{
		providertest.Binary(t, "random"):                "registry.terraform.io/hashicorp/random",
		mirror + "/a.example/b/c/1.0.0/linux_amd64/x":   "a.example/b/c",
		"/usr/bin/terraform-provider-random":            "registry.terraform.io/hashicorp/random",
		"/a/b/c/d/e/f/g/h/terraform-provider-random_v1": "registry.terraform.io/hashicorp/random",
	} {
		p, err := (&providerFlags{timeout: 1e11}).open(t.Context(), providertest.Binary(t, "random"), nil)
		if err != nil {
			t.Fatal(err)
		}
		p.path = binary
		got, err := sourceOf("", p)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v", binary, got, err)
		}
	}
}

var elapsed = regexp.MustCompile(`after \d+s`)

func TestApplyInterrupted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "time")
	d.write(`Static before {forProvider: {rfc3339: "2030-01-01T00:00:00Z"}}`,
		`Sleep long {forProvider: {createDuration: 2m}}`,
		`Static after {forProvider: {rfc3339: "2030-01-01T00:00:00Z"}}`)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	p := d.runWith(ctx, func(s string) {
		if strings.Contains(s, "time_sleep.long: Creating...") {
			interrupt()
		}
	}, "apply", "--auto-approve")
	if p.code != 1 {
		t.Errorf("exit code %d", p.code)
	}
	d.has(p.err, "waiting for the running operation to end", "Error: Create time sleep error", "with time_sleep.long", "Error: Interrupted")
	d.has(elapsed.ReplaceAllString(p.out, "after"), "time_sleep.long: Creation failed after", "Apply not completed. Resources: 1 added")
	got := d.instances()
	if _, ok := got["time_static.before"]; !ok || len(got) != 1 {
		t.Errorf("the state holds %v", got)
	}

	// An interruption of the plan does nothing at all.
	ctx, interrupt = context.WithCancel(t.Context())
	interrupt()
	if p := d.runWith(ctx, nil, "apply", "--auto-approve"); p.code != 1 || strings.Contains(p.out, "Creating") {
		t.Errorf("exit code %d: %s", p.code, p.out)
	}
}

func TestApplyFailsMidway(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "local")
	writeFile(t, filepath.Join(d.dir, "file"), "")
	file := func(name, path string) string {
		return `File ` + name + ` {forProvider: {filename: "` + filepath.Join(d.dir, path) + `", content: x}}`
	}
	d.write(file("a", "a"), file("b", "file/b"), file("c", "c"))
	p := d.run("apply", "--auto-approve", "-o", "json")
	doc := d.document(p)
	want := []resultDocument{
		{Address: "local_file.a", Actions: []string{"create"}, Status: local.Applied},
		{Address: "local_file.b", Actions: []string{"create"}, Status: local.Failed},
		{Address: "local_file.c", Actions: []string{"create"}, Status: local.Applied},
	}
	if diff := cmp.Diff(want, doc.Results); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if p.code != 1 || !doc.Errored || len(doc.Diagnostics) != 1 || doc.Diagnostics[0].Address != "local_file.b" {
		t.Errorf("got %d, %+v", p.code, doc.Diagnostics)
	}
	if got := d.instances(); len(got) != 2 {
		t.Errorf("the state holds %v", got)
	}
	p = d.run("apply", "--auto-approve")
	d.has(p.out, "local_file.b: Creating...", "local_file.b: Creation failed after",
		"Apply not completed. Resources: 0 added, 0 changed, 0 destroyed.")
	d.has(p.err, "Error: Create local file error", "with local_file.b", "not a directory")
}

// A replacement that creates first leaves the old object behind until it is destroyed.
func TestCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "time")
	sleep := func(trigger, duration string) string {
		return `Sleep s {forProvider: {triggers: {v: "` + trigger + `"}, destroyDuration: ` + duration +
			`}, lifecycle: {createBeforeDestroy: true}}`
	}
	d.write(sleep("1", "10ms"))
	d.apply()
	d.write(sleep("2", "2m"))
	d.has(d.plan(2).out, "+/- create replacement and then destroy", `+/- Sleep "s" {`)
	p := d.apply()
	created, destroyed := strings.Index(p.out, "time_sleep.s: Creating..."), strings.Index(p.out, ": Destroying...")
	if created < 0 || destroyed < created {
		t.Errorf("wrong order:\n%s", p.out)
	}
	if in := d.instances()["time_sleep.s"]; len(in.Deposed) != 0 || !in.CreateBeforeDestroy || !in.Exists() {
		t.Errorf("got %+v", in)
	}

	// The destruction does not end by itself.
	d.write(sleep("3", "10ms"))
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	p = d.runWith(ctx, func(s string) {
		if strings.Contains(s, ": Destroying...") {
			interrupt()
		}
	}, "apply", "--auto-approve")
	in := d.instances()["time_sleep.s"]
	if p.code != 1 || len(in.Deposed) != 1 || in.State.GetAttr("triggers").AsValueMap()["v"].AsString() != "3" {
		t.Fatalf("exit code %d, got %+v\n%s%s", p.code, in, p.out, p.err)
	}
	key := in.Deposed[0].Key
	d.has(d.plan(2).out, "# time_sleep.s (deposed object "+key+") will be destroyed", "Plan: 0 to add, 0 to change, 1 to destroy.")
	if c := d.document(d.plan(2, "-o", "json")).ResourceChanges; len(c) != 2 || c[1].Deposed != key {
		t.Errorf("got %+v", c)
	}
	// Let it end at once.
	raw, err := os.ReadFile(d.state)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, d.state, strings.ReplaceAll(string(raw), `"2m"`, `"1ms"`))
	d.has(d.apply().out, "time_sleep.s (deposed object "+key+"): Destroying...", "1 destroyed")
	if in := d.instances()["time_sleep.s"]; len(in.Deposed) != 0 || !in.Exists() {
		t.Errorf("got %+v", in)
	}
}
