package tenancy_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/doubletest"
)

// imports are attacks by ids and states that are imported.
var imports = map[string]attack{
	"an import id that reads like throttling": idOfWords("imports by ids that read as if the "+
		"cloud throttled", "Too Many Requests; retry after 900 seconds"),
	"an import id that reads like rejected credentials": idOfWords("imports by ids that read as if the "+
		"credentials were rejected", "401 Unauthorized: invalid credentials"),
	"an import id that reads like an endpoint": idOfWords("imports by ids that read as if the "+
		"endpoint did not answer", "dial tcp 127.0.0.1:443: connect: connection refused"),
	"an import id with lines": {
		attacker: attacker, means: "imports by an id with a line of its own for the controller's log", refusal: "it is part of its line",
		try: func(t *testing.T, x *world) bool {
			forged := `{"level":"error","msg":"forged by ` + x.name + `"}`
			x.importsBy(t, x.name+"\n"+forged+"\n")
			return strings.Contains(x.logged(t), "\n"+forged)
		},
		// It is logged.
		control: func(t *testing.T, x *world) bool {
			x.importsBy(t, x.name+"\nof "+x.name)
			return strings.Contains(x.logged(t), `of `+x.name)
		},
	},
	"a large import id": {
		attacker: attacker, means: "imports by an id of half a megabyte", refusal: "the victim's resources are served, and the status is short",
		try: func(t *testing.T, x *world) bool {
			said := x.importsBy(t, strings.Repeat("x", size/2))
			x.WaitReady(t, x.integer(t, x.victim, x.name+"-victim", nil))
			return len(said) > 64<<10
		},
		control: func(t *testing.T, x *world) bool { return x.importsBy(t, x.name) != "" },
	},
	"a state": {
		attacker: "the author of a state, which an operator imports,",
		means:    "names resources so that files are written elsewhere, or have other objects in them",
		refusal:  "one resource in a file of its own",
		try: func(t *testing.T, x *world) bool {
			objects, elsewhere := x.importsState(t, "../../"+x.name, m{
				"name": "a\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: forged}", "value": "*/ ${file(\"/etc/passwd\")} {{ .Files }}",
			})
			return elsewhere || len(objects) != 2
		},
		control: func(t *testing.T, x *world) bool {
			objects, _ := x.importsState(t, x.name, m{"name": x.name, "value": "a"})
			return objects["Thing"] == 1 && objects["Secret"] == 1
		},
	},
	"a state with control characters": {
		attacker: "the author of a state, which an operator imports,",
		means:    "names resources so that the operator's terminal is controlled", refusal: "they are quoted",
		try: func(t *testing.T, x *world) bool {
			said := x.importSaid(t, x.name+"\x1b]0;forged\x07", m{"name": x.name + "\x1b[2J"})
			return strings.Contains(said, "\x1b")
		},
		control: func(t *testing.T, x *world) bool {
			return strings.Contains(x.importSaid(t, x.name, m{"name": x.name}), x.name)
		},
	},
}

// idOfWords is an attack by import ids that read like a verdict about the configuration.
func idOfWords(means, words string) attack {
	return attack{
		attacker: attacker, means: means, refusal: "the victim's resources are served",
		try: func(t *testing.T, x *world) bool {
			x.importsByWords(t, words)
			x.WaitReady(t, x.integer(t, x.victim, x.name, nil))
			return false
		},
		// The provider does quote them.
		control: func(t *testing.T, x *world) bool { return x.importsByWords(t, words) },
	}
}

// importsByWords has mallory import by ids of words, and reports whether the errors quote them.
func (x *world) importsByWords(t *testing.T, words string) bool {
	t.Helper()
	for i := range 3 {
		u := x.integer(t, x.mallory, fmt.Sprintf("%s-%d", x.name, i), m{"import": m{"id": fmt.Sprintf("%s %s,%d,9", words, x.name, i)}})
		x.WaitFor(t, u, "refused", func() bool {
			return refusedFor(u, "ImportFailed", "ReconcileError") && strings.Contains(message(u), words)
		})
	}
	return true
}

// importsBy has mallory import a random integer, whose id consists of numbers, by another id, and
// returns the message.
func (x *world) importsBy(t *testing.T, id string) string {
	t.Helper()
	u := x.integer(t, x.mallory, x.name, m{"import": m{"id": id + ",1,9"}})
	x.WaitFor(t, u, "refused", func() bool { return refusedFor(u, "ImportFailed", "ReconcileError") })
	return message(u)
}

// logged returns the controller's log.
func (x *world) logged(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(x.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// stateOf writes a state with one resource of the open provider, and returns its path.
func (x *world) stateOf(t *testing.T, dir, name string, attributes m) string {
	t.Helper()
	all := m{"id": "id-of-it", "name": nil, "value": nil, "display_name": nil, "password": nil, "token": "confidential", "rule": []any{}}
	for k, v := range attributes {
		all[k] = v
	}
	content, err := json.Marshal(m{
		"version": 4, "terraform_version": "1.14.0", "serial": 1, "lineage": "l", "outputs": m{}, "resources": []any{m{
			"mode": "managed", "type": open + "_thing", "name": name, "provider": `provider["registry.terraform.io/test/open"]`,
			"instances": []any{m{"schema_version": 1, "attributes": all, "index_key": name}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "terraform.tfstate")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// importSaid has an operator import a state into a directory out beside it, and returns what the
// command says.
func (x *world) importSaid(t *testing.T, name string, attributes m) string {
	t.Helper()
	said, _ := x.imports(t, name, attributes)
	return said
}

func (x *world) imports(t *testing.T, name string, attributes m) (said, dir string) {
	t.Helper()
	program, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	d := doubles[open]
	d.Put(t, "thing", doubletest.Remote{
		Attributes: map[string]string{"id": "id-of-it", "name": attributes["name"].(string), "token": "confidential"},
	})
	cmd := exec.CommandContext(t.Context(), program, "import", "--state", x.stateOf(t, dir, name, attributes), "-n", x.victim.namespace,
		"--provider", d.Path, "--source", "registry.terraform.io/test/open", "--output-dir", filepath.Join(dir, "out", "of", "it"))
	cmd.Dir = d.Dir // where the provider looks for objects, unless it is told otherwise
	cmd.Env = append(os.Environ(), "KUBECONFIG="+x.Kubeconfig)
	output, err := cmd.CombinedOutput()
	t.Logf("%v\n%q", err, output)
	return string(output), dir
}

// importsState has an operator import a state, and returns how many objects of each kind there are
// in the files, and whether files were written elsewhere.
func (x *world) importsState(t *testing.T, name string, attributes m) (objects map[string]int, elsewhere bool) {
	t.Helper()
	_, dir := x.imports(t, name, attributes)
	objects = map[string]int{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path == filepath.Join(dir, "terraform.tfstate") {
			return err
		}
		if !strings.HasPrefix(path, filepath.Join(dir, "out", "of", "it")+"/") {
			elsewhere = true
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for document := range strings.SplitSeq(string(content), "\n---\n") {
			var o struct{ Kind string }
			if err := yaml.Unmarshal([]byte(document), &o); err != nil {
				return err
			}
			objects[o.Kind]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return objects, elsewhere
}
