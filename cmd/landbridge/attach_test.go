package main

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// A provider in a debugger is used instead of what its address names: here there is nothing else.
func TestAttached(t *testing.T) {
	d := newDesk(t, "random")
	process := providertest.Debug(t, d.binary, []string{"-debug"})
	t.Setenv("TF_REATTACH_PROVIDERS", process.Attach)
	t.Setenv("LANDBRIDGE_PROVIDER_MIRROR", t.TempDir())
	t.Setenv("LANDBRIDGE_PROVIDER_REGISTRY", "")
	d.binary = "hashicorp/random@99.0.0"
	d.write("Pet p {forProvider: {length: 3}}")

	p := d.plan(2)
	d.has(p.out, "# random_pet.p will be created", "Plan: 1 to add")
	d.has(p.err, "Note: registry.terraform.io/hashicorp/random is process ", "as TF_REATTACH_PROVIDERS says")
	d.apply()
	if id := d.instances()["random_pet.p"].State.GetAttr("id").AsString(); strings.Count(id, "-") != 2 {
		t.Errorf("the object is %q", id)
	}
	d.has(d.plan(0).out, "No changes.")
	if out, _, err := run(t, "provider", "inspect", "hashicorp/random"); err != nil {
		t.Error(err)
	} else {
		d.has(out, "random_pet", "random.landbridge.io")
	}
	if !process.Runs() {
		t.Fatal("the process has ended")
	}
	process.End()
	d.has(d.plan(1).err, "registry.terraform.io/hashicorp/random: it is attached as process ",
		"start the provider again, and set TF_REATTACH_PROVIDERS to what it prints")

	for name, test := range map[string]struct{ value, want string }{
		"not JSON": {"/tmp/plugin1", "Error: TF_REATTACH_PROVIDERS: it is not a JSON object of providers"},
		"another transport": {
			`{"random":{"Protocol":"netrpc"}}`,
			`Error: TF_REATTACH_PROVIDERS: random: its Protocol is "netrpc", and only grpc can be attached`,
		},
		"another provider": {
			strings.ReplaceAll(process.Attach, "hashicorp/random", "acme/cloud"),
			"Error: provider hashicorp/random 99.0.0: ",
		},
		"no provider at all ": {"", "Error: provider hashicorp/random 99.0.0: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TF_REATTACH_PROVIDERS", test.value)
			d.has(d.plan(1).err, test.want)
		})
	}
}
