package main

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// References are resolved among the resources of a manifest: what is known only after another one
// was applied is so in the plan.
func TestPlanReferences(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	second := `Pet second {references: [{to: forProvider.prefix, from: {kind: Pet, name: first, fieldPath: status.atProvider.id, transform: "self.upperAscii()"}}], forProvider: {length: 1}}`
	first := func(length string) string { return "Pet first {forProvider: {length: " + length + "}}" }
	pet := func(name string) (id string) {
		t.Helper()
		in, ok := d.instances()["random_pet."+name]
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		return in.State.GetAttr("id").AsString()
	}
	follows := func() {
		t.Helper()
		if want := strings.ToUpper(pet("first")) + "-"; !strings.HasPrefix(pet("second"), want) {
			t.Errorf("second is %s, where the prefix is %s", pet("second"), want)
		}
	}

	d.write(second, first("2"))
	p := d.plan(2)
	d.has(p.out, "prefix = (known after apply)", "Plan: 2 to add, 0 to change, 0 to destroy.")
	if strings.Index(p.out, "random_pet.first") > strings.Index(p.out, "random_pet.second") {
		t.Errorf("wrong order:\n%s", p.out)
	}
	d.apply()
	follows()
	d.plan(0)

	// A reference follows its target.
	d.write(second, first("3"))
	d.has(d.plan(2).out, "prefix", "(known after apply)", "# forces replacement", "Plan: 2 to add, 0 to change, 2 to destroy.")
	d.apply()
	follows()
	d.plan(0)

	// What refers to another object is destroyed first.
	p = d.apply("--destroy")
	if a, b := strings.Index(p.out, "random_pet.second: Destroying"), strings.Index(p.out, "random_pet.first: Destroying"); a < 0 || b < a {
		t.Errorf("wrong order:\n%s", p.out)
	}
}

func TestPlanReferenceFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		documents []string
		command   string
		want      []string
	}{
		"to nothing": {
			documents: []string{"Pet second {references: [{to: forProvider.prefix, from: {kind: Pet, name: first}}], forProvider: {}}"},
			want: []string{
				"Error: Reference not resolved", "there is no Pet", "first", "among the resources of the manifest",
				"with random_pet.second",
			},
		},
		"to another provider's kind": {
			documents: []string{
				"Pet second {references: [{to: forProvider.prefix, from: {apiVersion: x.example.org/v1, kind: " +
					"Thing, name: first}}], forProvider: {}}",
			},
			want: []string{"Error: Reference not resolved", "no kind Thing of x.example.org/v1"},
		},
		"of a field that does not exist": {
			documents: []string{
				"Pet first {forProvider: {}}",
				"Pet second {references: [{to: forProvider.prefx, from: {kind: Pet, name: first}}], forProvider: {}}",
			},
			want: []string{"Error: Invalid reference", "prefx"},
		},
		"to what could not be made": {
			documents: []string{
				"Integer first {forProvider: {min: 3, max: 2}}",
				"Pet second {references: [{to: forProvider.prefix, from: {kind: Integer, name: first}}], " +
					"forProvider: {}}",
			},
			command: "apply",
			want: []string{
				"with random_integer.first", "Error: Reference not resolved", "Integer default/first has no",
				"with random_pet.second",
			},
		},
		"in a circle": {
			documents: []string{
				"Pet first {references: [{to: forProvider.prefix, from: {kind: Pet, name: second}}], forProvider: {}}",
				"Pet second {references: [{to: forProvider.prefix, from: {kind: Pet, name: first}}], forProvider: {}}",
			},
			want: []string{"Error: Reference not resolved", "Pet default/first has no metadata.annotations[crossplane.io/external-name] yet"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "random")
			d.write(test.documents...)
			command, args := "plan", []string(nil)
			if test.command != "" {
				command, args = test.command, []string{"--auto-approve"}
			}
			p := d.run(command, args...)
			if p.code == 0 {
				t.Errorf("it succeeds:\n%s", p.out)
			}
			d.has(p.out+p.err, test.want...)
		})
	}
}

// A transform calls a function of the provider, in plan and in apply.
func TestPlanReferenceFunctions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "time")
	d.write(
		"Static first {forProvider: {rfc3339: '2031-02-03T04:05:06Z'}}",
		"Static second {references: [{to: forProvider.triggers.year, from: {kind: Static, name: first, fieldPath: spec.forProvider.rfc3339, "+
			"transform: string(provider.rfc3339_parse(self).year)}}], forProvider: {}}",
	)
	d.has(d.plan(2).out, `"year" = "2031"`, "Plan: 2 to add, 0 to change, 0 to destroy.")
	d.apply()
	if in := d.instances()["time_static.second"]; in.State.GetAttr("triggers").Index(cty.StringVal("year")).AsString() != "2031" {
		t.Errorf("the state is %#v", in.State)
	}
	d.plan(0)

	d.write("Static first {forProvider: {rfc3339: '2031-02-03T04:05:06Z'}}",
		"Static second {references: [{to: forProvider.triggers.year, from: {kind: Static, name: first, fieldPath: metadata.name, "+
			"transform: string(provider.rfc3339_parse(self).year)}}], forProvider: {}}")
	p := d.run("plan")
	d.has(p.out+p.err, "Error: Invalid reference", `provider.rfc3339_parse: Error in function call: Call to function "rfc3339_parse" failed: Argument 1 (timestamp): Error parsing RFC3339 timestamp`)
}
