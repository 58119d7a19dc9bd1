package module_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

func TestAdopt(t *testing.T) {
	t.Parallel()
	const random = `provider["registry.terraform.io/hashicorp/random"]`
	one := func(in, name, provider, instances string) string {
		return `{"module":"` + in + `","mode":"managed","type":"random_pet","name":"` + name + `","provider":` +
			quoted(provider) + `,"instances":[` + instances + `]}`
	}
	object := func(more string) string {
		return `{"schema_version":0,"attributes":{"id":"x","length":2}` + more + `}`
	}
	state := func(resources ...string) string {
		return `{"version":4,"terraform_version":"1.99.0","serial":7,"lineage":"l","outputs":{"a":{"value":"x","type":"string"}},"resources":[` +
			strings.Join(resources, ",") + `],"check_results":[{"object_kind":"var","config_addr":"var.x","status":"pass","objects":null}]}`
	}
	type resource struct {
		Module, Name, Provider string
		Dependencies, Deposed  []string
	}
	for name, test := range map[string]struct {
		state, address string
		want           []resource
		err            string
	}{
		"a module": {
			state: state(
				one("module.net", "a", random,
					object(
						`,"dependencies":["module.net.random_pet.b","module.net.module.sub.random_pet.c","random_pet.root"]`,
					)), one("", "root", random, object("")),
			),
			address: "module.net",
			want: []resource{{
				Module: "module.this", Name: "a", Provider: random,
				Dependencies: []string{"module.this.random_pet.b", "module.this.module.sub.random_pet.c"},
			}},
		},
		"with index keys": {
			state: state(
				one(`module.net[\"eu\"]`, "a", random, object(`,"dependencies":["module.net.random_pet.b"]`)),
				one(`module.net[\"eu\"].module.sub[0]`, "c", random, object("")), one(`module.net[\"us\"]`, "a", random, object("")),
			),
			address: `module.net["eu"]`,
			want: []resource{
				{Module: "module.this", Name: "a", Provider: random, Dependencies: []string{"module.this.random_pet.b"}},
				{Module: "module.this.module.sub[0]", Name: "c", Provider: random},
			},
		},
		"the root module": {
			state: state(one("", "a", random, object(`,"dependencies":["module.sub.random_pet.c"]`)), one("module.sub", "c", random, object(""))),
			want: []resource{
				{Module: "module.this", Name: "a", Provider: random, Dependencies: []string{"module.this.module.sub.random_pet.c"}},
				{Module: "module.this.module.sub", Name: "c", Provider: random},
			},
		},
		"providers": {
			state: state(
				one("module.net", "aliased", random+".west", object("")),
				one("module.net", "own", "module.net."+random+".west", object("")),
				one("module.net.module.sub", "nested", "module.net.module.sub."+random, object("")),
				one("module.net", "opentofu", `provider["registry.opentofu.org/hashicorp/random"]`, object("")),
				one("module.net", "private", `provider["example.org/a/random"].x`, object("")),
			),
			address: "module.net",
			want: []resource{
				{Module: "module.this", Name: "aliased", Provider: random},
				{Module: "module.this", Name: "own", Provider: "module.this." + random + ".west"},
				{Module: "module.this.module.sub", Name: "nested", Provider: "module.this.module.sub." + random},
				{Module: "module.this", Name: "opentofu", Provider: random},
				{Module: "module.this", Name: "private", Provider: `provider["example.org/a/random"]`},
			},
		},
		"deposed objects": {
			state: state(one("module.net", "a", random,
				object("")+","+object(`,"deposed":"00000001","dependencies":["module.net.random_pet.b"]`))),
			address: "module.net",
			want:    []resource{{Module: "module.this", Name: "a", Provider: random, Deposed: []string{"module.this.random_pet.b"}}},
		},
		"a name that begins alike": {
			state: state(one("module.network", "a", random, object(""))), address: "module.net",
			err: "the state has no managed resources in module.net. It has some in module.network",
		},
		"nothing": {state: state(), err: "the state has no managed resources"},
		"no such module": {
			state: state(one("", "a", random, object(""))), address: "module.net",
			err: "the state has no managed resources in module.net, nor in any other module",
		},
		"a newer format": {state: `{"version":5}`, err: "the state file has format version 5, where only 4 can be read"},
		"no state":       {state: `x`, err: "not a state file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := module.Adopt([]byte(test.state), test.address)
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Errorf("got %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			file, err := module.State(in)
			if err != nil {
				t.Fatal(err)
			}
			s, err := tfstate.Read(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []resource
			for r, x := range s.All() {
				found := resource{Module: r.Module, Name: r.Name, Provider: r.Provider, Dependencies: x.Dependencies}
				for _, k := range x.KeptDeposed {
					found.Deposed = k.Dependencies
				}
				got = append(got, found)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if s.TerraformVersion != "1.0.0" || string(s.Extra["outputs"]) != "" && string(s.Extra["outputs"]) != "{}" {
				t.Errorf("the file is %s", file)
			}
		})
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
