package local_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/model"
)

const source = "registry.terraform.io/acme/everything"

func open(t *testing.T, p *model.Provider, path string) *local.State {
	t.Helper()
	s, err := local.OpenState(path, source, p.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func object(id string) instance.Instance {
	return instance.Instance{State: cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id)}), Status: instance.Full, Private: []byte("p")}
}

func put(s *local.State, r *local.ManifestResource, in instance.Instance) error {
	return s.Put(map[*local.ManifestResource]instance.Instance{r: in})
}

// foreign is a state file of another program, with what Landbridge does not know.
const foreign = `{
  "version": 4, "terraform_version": "1.14.0", "serial": 7, "lineage": "l-1",
  "outputs": {"o": {"value": "x", "type": "string"}},
  "resources": [
    {"mode": "data", "type": "everything_plain", "name": "a", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "data"}}]},
    {"module": "module.m", "mode": "managed", "type": "everything_plain", "name": "a", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "in-module"}}]},
    {"mode": "managed", "type": "everything_plain", "name": "a", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "old"}, "private": "cA==", "dependencies": ["other_thing.x"]}]},
    {"mode": "managed", "type": "everything_plain", "name": "b", "provider": "provider[\"registry.terraform.io/acme/everything\"]", "instances": [{"index_key": 0, "schema_version": 0, "attributes": {"id": "b"}}]},
    {"mode": "managed", "type": "everything_plain", "name": "c", "provider": "provider[\"registry.terraform.io/other/everything\"]", "instances": [{"schema_version": 0, "attributes": {"id": "c"}}]},
    {"mode": "managed", "type": "other_thing", "name": "x", "provider": "provider[\"registry.terraform.io/acme/other\"]", "instances": [{"schema_version": 9, "attributes": {"what": 1}}]}
  ],
  "check_results": null
}`

func TestState(t *testing.T) {
	t.Parallel()
	p := everything(t)
	a := &local.ManifestResource{Model: p.Resources["everything_plain"], Name: "a"}
	b := &local.ManifestResource{Model: a.Model, Name: "b"}
	c := &local.ManifestResource{Model: a.Model, Name: "c"}
	d := &local.ManifestResource{Model: a.Model, Name: "d"}

	t.Run("created when there is something to store", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "s.tfstate")
		s := open(t, p, path)
		if err := put(s, a, instance.Instance{}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("a file was written for nothing: %v", err)
		}
		if err := put(s, a, object("x")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("got %v, %v", info.Mode(), err)
		}
		in, err := open(t, p, path).Instance(a)
		if err != nil || in.State.GetAttr("id").AsString() != "x" || string(in.Private) != "p" {
			t.Fatalf("got %+v, %v", in, err)
		}
		if err := put(s, a, instance.Instance{}); err != nil {
			t.Fatal(err)
		}
		state := read(t, path)
		if len(state.Resources) != 0 || state.Serial != 2 || state.Lineage == "" {
			t.Errorf("got %+v", state)
		}
	})
	t.Run("foreign", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "s.tfstate")
		if err := os.WriteFile(path, []byte(foreign), 0o640); err != nil {
			t.Fatal(err)
		}
		link := path + ".link"
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		s := open(t, p, link)
		if got := strings.Join(s.Others([]*local.ManifestResource{a}), " "); got != "everything_plain.b" {
			t.Errorf("others: %s", got)
		}
		if _, err := s.Instance(b); err == nil || !strings.Contains(err.Error(), "count or for_each") {
			t.Errorf("got error %v", err)
		}
		if _, err := s.Instance(c); err == nil || !strings.Contains(err.Error(), "--source") {
			t.Errorf("got error %v", err)
		}
		in, err := s.Instance(a)
		if err != nil || in.State.GetAttr("id").AsString() != "old" {
			t.Fatalf("got %+v, %v", in, err)
		}
		if err := put(s, a, in); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); string(b) != foreign {
			t.Errorf("it was written although nothing changed:\n%s", b)
		}
		// Two writes, one backup: of what was there at the beginning.
		if err := s.Put(map[*local.ManifestResource]instance.Instance{a: {}, d: object("d")}); err != nil {
			t.Fatal(err)
		}
		if err := put(s, a, object("new")); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path + ".backup"); err != nil || string(b) != foreign {
			t.Errorf("backup: %v\n%s", err, b)
		}
		state := read(t, path)
		if state.Serial != 9 || state.Lineage != "l-1" || state.TerraformVersion != "1.14.0" || len(state.Extra["outputs"]) < 10 {
			t.Errorf("got %+v", state)
		}
		var names []string
		for _, r := range state.Resources {
			names = append(names, strings.TrimPrefix(r.Module+"."+r.Mode+"."+r.Type+"."+r.Name, "."))
		}
		if got := strings.Join(names, " "); got != "data.everything_plain.a module.m.managed.everything_plain.a "+
			"managed.everything_plain.b managed.everything_plain.c managed.other_thing.x managed.everything_plain.d "+
			"managed.everything_plain.a" {
			t.Errorf("got %s", got)
		}
		if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
			t.Error("the link was replaced")
		}
		if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
			t.Errorf("mode %v", info.Mode())
		}
	})
	t.Run("changed by another process", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "s.tfstate")
		s := open(t, p, path)
		if err := os.WriteFile(path, []byte(foreign), 0o600); err != nil {
			t.Fatal(err)
		}
		err := put(s, d, object("only-here"))
		if err == nil || !strings.Contains(err.Error(), "has been changed by another program") {
			t.Fatalf("got error %v", err)
		}
		if b, _ := os.ReadFile(path); string(b) != foreign {
			t.Error("it was overwritten")
		}
		rescued, globErr := filepath.Glob(filepath.Join(filepath.Dir(path), "errored-*.tfstate"))
		if globErr != nil || len(rescued) != 1 || !strings.Contains(err.Error(), rescued[0]) {
			t.Fatalf("%v: %v: %v", rescued, globErr, err)
		}
		if b, _ := os.ReadFile(rescued[0]); !bytes.Contains(b, []byte("only-here")) {
			t.Errorf("got %s", b)
		}
	})
	for name, content := range map[string]string{
		"not JSON": "hello", "another format": `{"version": 3}`, "empty": "", "a list": "[]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.tfstate")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := local.OpenState(path, source, p.Schema); err == nil || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("got error %v", err)
			}
		})
	}
	t.Run("a directory", func(t *testing.T) {
		t.Parallel()
		if _, err := local.OpenState(t.TempDir(), source, p.Schema); err == nil {
			t.Error("no error")
		}
	})
}

func read(t *testing.T, path string) tfstate.State {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatalf("%s", b)
	}
	s, err := tfstate.Read(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.tfstate")
	unlock, err := local.Lock(path, "apply")
	if err != nil {
		t.Fatal(err)
	}
	_, err = local.Lock(path, "apply")
	var locked *local.LockedError
	if !errors.As(err, &locked) || locked.Holder.Process != os.Getpid() || locked.Holder.Operation != "apply" {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(err.Error(), "is locked by process") {
		t.Errorf("got %v", err)
	}
	unlock()
	if unlock, err = local.Lock(path, "apply"); err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := local.Lock(filepath.Join(path, "no", "such"), "apply"); err == nil {
		t.Error("no error")
	}
}
