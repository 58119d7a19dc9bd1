package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/config"
)

const file = `# A configuration.
group: cloud.example.org
overrides:
  - having: [tags]
    defaultTags: &tags
      tags: {stage: test}
resources:
  cloud_thing:
    kind: Machine
    fields:
      rule.max_age:
        name: maximumAge
    defaultTags: *tags
    timeouts:
      create: 1h30m
`

func TestRead(t *testing.T) {
	t.Parallel()
	tags := &config.DefaultTags{Tags: map[string]config.Template{"stage": "test"}}
	f, err := config.Read("config.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Provider{
		Group:     "cloud.example.org",
		Overrides: []config.Override{{Having: []string{"tags"}, Resource: config.Resource{DefaultTags: tags}}},
		Resources: map[string]config.Resource{"cloud_thing": {
			Kind: "Machine", Fields: map[string]config.Field{"rule.max_age": {Name: "maximumAge"}}, DefaultTags: tags,
			Timeouts: &config.Timeouts{Create: &metav1.Duration{Duration: 90 * time.Minute}},
		}},
	}
	if diff := cmp.Diff(want, f.Provider); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for want, path := range map[string][]string{
		"config.yaml:2: group: x":                                           {"group"},
		"config.yaml:4: overrides[0].having[0]: x":                          {"overrides", "0", "having", "0"},
		"config.yaml:12: resources.cloud_thing.fields.rule.max_age.name: x": {"resources", "cloud_thing", "fields", "rule.max_age", "name"},
		"config.yaml:6: resources.cloud_thing.defaultTags.tags.stage: x":    {"resources", "cloud_thing", "defaultTags", "tags", "stage"},
		"config.yaml:8: resources.cloud_thing.plural: x":                    {"resources", "cloud_thing", "plural"},
		"config.yaml:11: resources.cloud_thing.fields.rule.max_age.value.y: x": {
			"resources", "cloud_thing", "fields", "rule.max_age", "value", "y",
		},
	} {
		if got := f.Locate(config.At(errors.New("x"), path...)).Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if err := errors.New("x"); f.Locate(err) != err { //nolint:errorlint // it is returned as it is, not wrapped
		t.Error("an error that is not of the configuration is located")
	}
	if f, err := config.Read("empty.yaml", nil); err != nil || f.Group != "" {
		t.Errorf("nothing is %+v, %v", f, err)
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"no YAML":       {"group: a\nresources: [\n", "config.yaml:2: did not find expected node content"},
		"a key twice":   {"group: a\nresources:\n  a: {}\ngroup: b\n", `config.yaml:4: mapping key "group" already defined at line 1`},
		"two documents": {"group: a\n---\ngroup: b\n", "config.yaml: the file must have one document, but has several"},
		"no such key":   {"group: a\nresource:\n  a: {}\n", "config.yaml:2: resource: there is no such setting"},
		"no such key inside": {
			"resources:\n  a_b:\n    fields:\n      rule.max_age:\n        nme: x\n    kinds: x\n",
			"config.yaml:5: resources.a_b.fields.rule.max_age.nme: there is no such setting\nconfig.yaml:6: " +
				"resources.a_b.kinds: there is no such setting",
		},
		"in an override": {"overrides:\n- match: [\"*\"]\n- mtch: [\"*\"]\n", "config.yaml:3: overrides[1].mtch: there is no such setting"},
		"a list":         {"resources:\n  a:\n    omit: b\n", "config.yaml:3: resources.a.omit: it must be a list, not text"},
		"text":           {"resources:\n  a:\n    kind: 1\n", "config.yaml:3: resources.a.kind: it must be text, not a number"},
		"an object":      {"resources:\n- a\n", "config.yaml:1: resources: it must be an object, not a list"},
		"all of it":      {"- a\n", "config.yaml:1: it must be an object, not a list"},
		"a boolean": {
			"resources:\n  a:\n    fields:\n      b.c:\n        sensitive: maybe\n",
			"config.yaml:5: resources.a.fields.b.c.sensitive: it must be true or false, not text",
		},
		"a duration": {"resources:\n  a:\n    timeouts: {create: soon}\n", `config.yaml:3: time: invalid duration "soon"`},
		"keys":       {"resources:\n  a:\n    fields:\n      1: {}\n      ? [x]\n      : {}\n", "config.yaml: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Read("config.yaml", []byte(test.file))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte("resources: {a: &x {omit: [b], kind: 1}, b: *x}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := config.Read("f", raw)
		if err == nil {
			_ = c.Locate(config.At(errors.New("x"), "resources", "a", "omit", "0"))
		} else if !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%v does not name the file", err)
		}
	})
}
