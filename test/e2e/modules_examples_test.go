package e2e_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

var allModules = flag.Bool("modules", false, "try all modules of examples/modules")

// someModules are those that are tried without -modules.
var someModules = []string{"label", "stack", "wrapper"}

// example is a module of examples/modules, and what is there after each step.
type example struct {
	// created and changed are the numbers of objects in the example cloud, kept those after the
	// deletion.
	created, changed, kept int
	// prepare makes what exists before, and adds to the spec.
	prepare func(*testing.T, *exampleCluster, *unstructured.Unstructured)
	// outputs are parts of status.atProvider after the creation, changedOutputs after the change.
	outputs, changedOutputs []string
	// ignored is a part of the message about what is ignored.
	ignored string
}

var exampleModules = map[string]example{
	"vpc":     {created: 4, changed: 7, outputs: []string{`"publicSubnets":{"web":`}},
	"cluster": {created: 3, changed: 3, outputs: []string{`"key":"none"`, `critical=true:NoSchedule`}, changedOutputs: []string{`"gpu"`}},
	"bucket":  {created: 2, changed: 1, outputs: []string{`"bucketOutput":"bucket-`, `Deny`}},
	"label": {
		outputs:        []string{`"id":"acme-prod-web-blue"`, `"team":"shop"`},
		changedOutputs: []string{`"id":"prod-web-blue-green"`},
	},
	"dns": {
		created: 4, changed: 4, outputs: []string{`["example.org","www.example.org"]`}, changedOutputs: []string{
			`["example.org","mail.example.org"]`,
		},
	},
	"iam": {created: 7, changed: 7, outputs: []string{`"usersOutput":{"ann":`}, changedOutputs: []string{`"cid":`}},
	"secrets": {
		created: 2, changed: 2,
		outputs: []string{sha("first secret")}, changedOutputs: []string{sha("second secret")},
		prepare: func(t *testing.T, c *exampleCluster, u *unstructured.Unstructured) {
			c.secret(t, u.GetNamespace(), "given", map[string]string{"secret": "first secret", "next": "second secret"})
		},
	},
	"wrapper": {
		created: 4, changed: 6,
		outputs: []string{`"regions":["us-east-1","eu-central-1"]`, `"copiesOutput":["us-east-1 eu-central-1"]`},
	},
	"platform": {created: 4, changed: 3, outputs: []string{`"blog":"blog.example.org"`}, changedOutputs: []string{`"wiki":`}},
	"stack": {
		ignored: "main.tf:4: The block backend is ignored",
		created: 4, changed: 3, kept: 1, // one is removed from the module, and not destroyed
		outputs: []string{`"regions":["us-west-2","eu-central-1"]`, `"adopted":["`},
		prepare: func(t *testing.T, c *exampleCluster, u *unstructured.Unstructured) {
			made := c.cloud.Make(t, "things", m{"name": "old", "region": "us-west-2", "size": 1})
			set(t, u, map[string]any{"old": made["id"]}, "spec", "forProvider", "existing")
		},
	},
}

// exampleCluster is a cluster for one of the modules, with a cloud of its own.
type exampleCluster struct {
	*cluster
	cloud *examplecloudtest.Cloud
}

// TestModules tries modules in the shape of public ones. Each is created, changed, planned to no
// changes again, and destroyed with nothing left.
func TestModules(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.RunController(t, moduleOptions(t, providertest.Mirror(t, "random")))
	c.furnish(t)
	root := filepath.Join("..", "..", "examples", "modules")
	names := someModules
	if *allModules {
		names = nil
		entries, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		if len(names) != len(exampleModules) {
			t.Fatalf("there are the modules %v", names)
		}
	}
	var tried, failed atomic.Int64
	t.Cleanup(func() { fmt.Printf("modules: %d modules, %d failed\n", tried.Load(), failed.Load()) })
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tried.Add(1)
			t.Cleanup(func() {
				if t.Failed() {
					failed.Add(1)
				}
			})
			try(t, &exampleCluster{cluster: c, cloud: examplecloudtest.Start(t)}, filepath.Join(root, name), exampleModules[name])
		})
	}
}

func try(t *testing.T, c *exampleCluster, from string, x example) {
	name, ns, dir := filepath.Base(from), c.Namespace(t), directory(t)
	copyFiles(t, from, dir)
	for config, region := range map[string]string{"default": "us-east-1", "replica": "eu-central-1"} {
		c.MustCreate(t, resource("examplecloud.landbridge.io/v1alpha1", "ProviderConfig", ns, config, m{
			"endpoint": c.cloud.URL, "region": region,
		}))
	}
	module := terraformModule(name, m{"directory": dir}, nil)
	c.MustCreate(t, module)
	c.healthy(t, module)

	if got := text(module, "status", "conditions"); !strings.Contains(got, x.ignored) {
		t.Errorf("the conditions are %s, without %q", got, x.ignored)
	}

	r := resource(modulesAPI, text(module, "status", "kind"), ns, "it", nil)
	r.Object["spec"] = read(t, filepath.Join(from, "instance.yaml"))["spec"]
	set(t, r, m{"kind": "ProviderConfig", "name": "default"}, "spec", "providerConfigRef")
	if x.prepare != nil {
		x.prepare(t, c, r)
	}
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	c.holds(t, r, x.created, x.outputs)
	c.quiet(t, r)

	// The module and the instance change.
	if next := filepath.Join(from, "next"); exists(next) {
		copyFiles(t, next, dir)
		before := text(module, "status", "digest")
		c.RequestReconcile(t, module)
		c.WaitFor(t, module, "as the module is now", func() bool {
			return isTrue(module, "Healthy") && text(module, "status", "digest") != before
		})
	}
	patch, err := yaml.Marshal(read(t, filepath.Join(from, "change.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	if patch, err = yaml.YAMLToJSON(patch); err != nil {
		t.Fatal(err)
	}
	c.MustPatch(t, r, string(patch))
	c.WaitReady(t, r)
	c.WaitFor(t, r, "changed", func() bool { return c.cloud.Audit(t).Live == x.changed+x.kept })
	c.holds(t, r, x.changed+x.kept, x.changedOutputs)
	c.quiet(t, r)

	c.Remove(t, r)
	if live := c.cloud.Audit(t).Live; live != x.kept {
		t.Errorf("%d objects are left, want %d", live, x.kept)
	}
	if stored := c.stored(t, ns); len(stored) > 0 {
		t.Errorf("%d states are left", len(stored))
	}
	c.Remove(t, module)
}

// holds checks the number of objects and the outputs.
func (c *exampleCluster) holds(t *testing.T, r *unstructured.Unstructured, live int, outputs []string) {
	t.Helper()
	if got := c.cloud.Audit(t).Live; got != live {
		t.Errorf("there are %d objects, want %d", got, live)
	}
	at, err := json.Marshal(r.Object["status"].(map[string]any)["atProvider"])
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range outputs {
		if !strings.Contains(string(at), part) {
			t.Errorf("the outputs are %s, without %s", at, part)
		}
	}
}

// quiet checks that another look finds nothing to change.
func (c *exampleCluster) quiet(t *testing.T, r *unstructured.Unstructured) {
	t.Helper()
	before := c.cloud.Audit(t)
	c.Reconcile(t, r)
	if after := c.cloud.Audit(t); after != before {
		t.Errorf("something is changed again: %+v, before %+v", after, before)
	}
	if plan := text(r, "status", "plan"); plan != "" {
		t.Errorf("something is planned again: %s", plan)
	}
}

func read(t *testing.T, path string) (out map[string]any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// copyFiles copies the files of a module.
func copyFiles(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil || slices.Contains([]string{".yaml"}, filepath.Ext(name)) {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil {
			file(t, filepath.Join(to, name), string(content))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
