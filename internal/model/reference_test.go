package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

func everything(references map[string]config.Reference) (*model.Provider, error) {
	return model.NewProvider("everything", schematest.Everything(), config.Provider{Resources: map[string]config.Resource{
		"everything_thing": {References: references},
		"everything_plain": {Kind: "Simple"},
	}})
}

func TestReferences(t *testing.T) {
	t.Parallel()
	plain := []config.Target{{Type: "everything_plain"}}
	p, err := everything(map[string]config.Reference{
		"name":  {Targets: plain},
		"zones": {Targets: []config.Target{{Type: "everything_thing", Attribute: "singleton_list.seen_at"}}},
		"vpc_id": {
			Targets: []config.Target{
				{Type: "everything_thing", FieldPath: "status.atProvider.result"}, {
					APIVersion: "example.org/v1", Kind: "VPC", FieldPath: "status.vpc[0]",
				},
			},
		},
		"list_block.deep.label": {
			Targets:  []config.Target{{Type: "everything_plain", Extract: func(map[string]any) any { return "x" }}},
			RefField: "labelled", SelectorField: "byLabel",
		},
		"named_endpoints.port":    {Targets: plain},
		"set_attribute.label":     {None: true},
		"map_attribute.label":     {Targets: plain},
		"some_block.max_age_days": {Targets: plain},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range p.Resources["everything_thing"].References() {
		var path, targets []string
		for _, f := range r.Path {
			path = append(path, f.JSONName)
		}
		for _, x := range r.Targets {
			from := x.FieldPath
			if x.Extract != nil {
				from = "a function"
			}
			targets = append(targets, fmt.Sprintf("%s %s", x.GroupVersionKind, from))
		}
		got = append(got, fmt.Sprintf("%s: %s %s %t %s: %s", strings.Join(path, "."), r.Ref, r.Selector, r.Many,
			r.Value().Kind, strings.Join(targets, ", ")))
	}
	const simple = "everything.landbridge.io/v1alpha1, Kind=Simple "
	want := []string{
		"listBlock.deep.label: labelled byLabel false string: " + simple + "a function",
		"mapAttribute.label: labelRef labelSelector false string: " + simple + model.ExternalNamePath,
		"name: nameRef nameSelector false string: " + simple + model.ExternalNamePath,
		"namedEndpoints.port: portRef portSelector false number: " + simple + model.ExternalNamePath,
		"someBlock.maxAgeDays: maxAgeDaysRef maxAgeDaysSelector false number: " + simple + model.ExternalNamePath,
		"vpc_id: vpc_idRef vpc_idSelector false string: everything.landbridge.io/v1alpha1, Kind=Thing " +
			"status.atProvider.result, example.org/v1, Kind=VPC status.vpc[0]",
		"zones: zoneRefs zoneSelector true string: everything.landbridge.io/v1alpha1, Kind=Thing status.atProvider.singletonList.seenAt",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	root := p.Resources["everything_thing"].Root().Object
	if f := root.ByTerraform("zones"); f.Reference == nil || root.ByReference("zoneRefs") != f.Reference || root.ByReference("zones") != nil {
		t.Error("the field zones and its reference do not know each other")
	}
}

func TestReferenceErrors(t *testing.T) {
	t.Parallel()
	plain := []config.Target{{Type: "everything_plain"}}
	target := func(t config.Target) config.Reference { return config.Reference{Targets: []config.Target{t}} }
	tests := map[string]struct {
		at   string
		c    config.Reference
		want string // after resources.everything_thing.references.
	}{
		"no attribute":    {"vpc.id", config.Reference{Targets: plain}, "vpc.id: there is no attribute vpc.id"},
		"inside a string": {"name.id", config.Reference{Targets: plain}, "name.id: there is no attribute name.id"},
		"computed":        {"result", config.Reference{Targets: plain}, "result: it cannot be set"},
		"sensitive":       {"password", config.Reference{Targets: plain}, "password: it is sensitive, and comes from a Secret"},
		"in what is so": {
			"secret_attribute.label", config.Reference{Targets: plain},
			"secret_attribute.label: it is sensitive, and comes from a Secret",
		},
		"map of strings": {
			"tags", config.Reference{Targets: plain},
			"tags: it is of type map of string, where a string, number or boolean, or a list or set of such, can " +
				"come from other resources",
		},
		"map of objects": {"map_attribute", config.Reference{Targets: plain}, "map_attribute: it is of type map of object, where"},
		"object":         {"singleton_set", config.Reference{Targets: plain}, "singleton_set: it is of type object, where"},
		"any type":       {"anything", config.Reference{Targets: plain}, "anything: it is of type dynamic, where"},
		"no targets":     {"name", config.Reference{}, "name.targets: name at least one"},
		"no such type": {
			"name", target(config.Target{Type: "everything_vpc"}),
			"name.targets[0].type: the provider has no resource type everything_vpc",
		},
		"two of a kind": {
			"name", config.Reference{Targets: append(plain, config.Target{APIVersion: "a.b/v1", Kind: "Simple"})},
			"name.targets[1]: there is another target of kind Simple",
		},
		"nothing": {"name", target(config.Target{}), "name.targets[0]: give either type, or apiVersion and kind"},
		"type and kind": {
			"name", target(config.Target{Type: "everything_plain", Kind: "Simple"}),
			"name.targets[0]: give either type, or apiVersion and kind",
		},
		"no group": {
			"name", target(config.Target{APIVersion: "v1", Kind: "Secret"}),
			`name.targets[0].apiVersion: "v1" is not of the form group/version`,
		},
		"attribute of kind": {
			"name", target(config.Target{APIVersion: "a.b/v1", Kind: "X", Attribute: "id"}),
			"name.targets[0].attribute: it is for a type of this provider; give fieldPath",
		},
		"two values": {
			"name",
			target(config.Target{Type: "everything_plain", Attribute: "id", FieldPath: "status.atProvider.id"}),
			"name.targets[0]: give at most one of attribute, fieldPath and an extractor",
		},
		"unknown attribute": {
			"name", target(config.Target{Type: "everything_thing", Attribute: "arn"}),
			"name.targets[0].attribute: everything_thing has no attribute arn",
		},
		"sensitive value": {
			"name", target(config.Target{Type: "everything_thing", Attribute: "generated"}),
			"name.targets[0].attribute: generated of everything_thing is sensitive or omitted",
		},
		"many values": {
			"name", target(config.Target{Type: "everything_thing", Attribute: "zones"}),
			"name.targets[0].attribute: zones of everything_thing is not one string, number or boolean",
		},
		"one of many": {
			"name", target(config.Target{Type: "everything_thing", Attribute: "list_block.seen_at"}),
			"name.targets[0].attribute: list_block.seen_at of everything_thing is not one string, number or boolean",
		},
		"unknown field": {
			"name", target(config.Target{Type: "everything_thing", FieldPath: "status.atProvider.arn"}),
			`name.targets[0].fieldPath: status.atProvider: "arn": there is no field arn`,
		},
		"no field path": {
			"name", target(config.Target{Type: "everything_thing", FieldPath: "arn"}),
			`name.targets[0].fieldPath: "arn" is not a path in a custom resource, such as status.atProvider.arn`,
		},
		"broken field path": {"name", target(config.Target{Type: "everything_thing", FieldPath: "status.[0"}), "name.targets[0].fieldPath: "},
		"transform": {
			"name", target(config.Target{Type: "everything_plain", Transform: "self.cut('/')"}),
			"name.targets[0].transform: ERROR: <input>:1:9: undeclared reference to 'cut'",
		},
		"transformed list": {
			"name", target(config.Target{Type: "everything_plain", Transform: "self.split('/')"}),
			"name.targets[0].transform: the result is of type list(string), where a string is required",
		},
		"transformed type": {
			"named_endpoints.port", target(config.Target{Type: "everything_plain", Transform: "self == 'x'"}),
			"named_endpoints.port.targets[0].transform: the result is of type bool, where a number is required",
		},
		"transform of type": {
			"name", target(config.Target{Type: "everything_plain", Transform: "self + 1"}),
			"name.targets[0].transform: ERROR: <input>:1:6: found no matching overload for '_+_' applied to " +
				"'(string, int)'",
		},
		"two makers": {
			"name",
			target(config.Target{
				Type: "everything_plain", Transform: "self", Extract: func(map[string]any) any { return "x" },
			}), "name.targets[0].transform: it cannot be used with an extractor",
		},
		"taken": {
			"name", config.Reference{Targets: plain, RefField: "size"},
			"name: the name size is taken by another field: give it another one with refField",
		},
		"twice the same": {
			"name", config.Reference{Targets: plain, RefField: "from", SelectorField: "from"},
			"name: the name from is taken by another field: give it another one with selectorField",
		},
		"no name of a field": {
			"name", config.Reference{Targets: plain, SelectorField: "by-label"},
			`name.selectorField: "by-label" is not a valid field name, such as nameSelector`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := everything(map[string]config.Reference{test.at: test.c})
			if want := "resources.everything_thing.references." + test.want; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestSingular(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"subnetIds": "subnetId", "securityPolicies": "securityPolicy", "addresses": "address", "boxes": "box", "branches": "branch",
		"status": "status", "access": "access", "analysis": "analysis", "SubnetIDs": "SubnetID", "s": "s", "network": "network",
	} {
		if got := model.Singular(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
