package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestProviderCompare(t *testing.T) {
	t.Parallel()
	one, two := examplecloudtest.Release(t, examplecloudtest.Framework6, 1), examplecloudtest.Release(t, examplecloudtest.Framework6, 2)
	want := evolution.Change{
		ResourceType: "examplecloud_volume", Kind: "Volume", Change: evolution.TypeChanged, Path: "spec.forProvider.public",
		Old: "boolean", New: "string", Verdict: evolution.NewVersion, Note: `true becomes "true"`,
	}
	for _, format := range []string{"json", "yaml"} {
		out, stderr, err := run(t, "provider", "compare", one, two, "-o", format)
		if code, _ := exitCode(err); err == nil || code != 1 {
			t.Fatalf("%v: %s", err, stderr)
		}
		raw, err := yaml.YAMLToJSON([]byte(out))
		if err != nil {
			t.Fatal(err)
		}
		var got evolution.Report
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range got.Changes {
			if c.ResourceType == want.ResourceType && c.Path == want.Path {
				found = true
				if diff := cmp.Diff(want, c); diff != "" {
					t.Errorf("%s: -want, +got:\n%s", format, diff)
				}
			}
		}
		if !found {
			t.Errorf("%s: %s is not in %+v", format, want.Path, got)
		}
	}
	// The same, as text; and a configuration of a resource type that only one of them has is no
	// mistake.
	settings := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(settings, []byte("resources: {random_uuid7: {kind: Seven}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	random := providertest.Binary(t, "random")
	s := schematest.Provider(t, "random")
	delete(s.Resources, "random_uuid7")
	out, _, err := run(t, "provider", "compare", written(t, s), "hashicorp/random@3.9.0", "--provider-mirror",
		providertest.Mirror(t, "random"), "--config", settings)
	wantText := "random_uuid7 (Seven)\n  works as it is:\n    + resource type added\nIn place: 1. New API version: 0. By hand: 0.\n"
	if err != nil || out != wantText {
		t.Errorf("%v, got:\n%s", err, out)
	}
	// A type that is added gives way to one that has its name.
	s = schematest.Provider(t, "random")
	added := s.Resources["random_pet"]
	pet := *added
	pet.Type = "zoo_pet"
	s.Resources["zoo_pet"] = &pet
	delete(s.Resources, "random_pet")
	without := written(t, s)
	s.Resources["random_pet"] = added
	out, stderr, err := run(t, "provider", "compare", without, written(t, s), "--name", "random")
	wantText = "random_pet (RandomPet)\n  works as it is:\n    + resource type added (the name Pet is taken, RandomPet is used instead)\n" +
		"In place: 1. New API version: 0. By hand: 0.\n"
	if err != nil || out != wantText {
		t.Errorf("%v: %s, got:\n%s", err, stderr, out)
	}
	out, _, err = run(t, "provider", "compare", random, random)
	if err != nil || out != "Nothing changed.\n" {
		t.Errorf("%v, got:\n%s", err, out)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no mirror": {
			args: []string{"hashicorp/random@1.0.0", random, "--provider-mirror=", "--provider-registry="},
			want: "provider hashicorp/random 1.0.0: no provider mirror is configured; name one with " +
				"--provider-mirror, or a registry",
		},
		"no version":    {args: []string{"hashicorp/random@9.0.0", random, "--provider-mirror", providertest.Mirror(t, "random")}, want: "9.0.0"},
		"no schema":     {args: []string{settings[:len(settings)-4] + "json", random}, want: "no such file"},
		"output":        {args: []string{random, random, "-o", "xml"}, want: `unknown output "xml": must be one of text, json, yaml`},
		"unknown types": {args: []string{random, random, "--config", settings, "--old-config", "/nowhere"}, want: "/nowhere"},
	} {
		_, stderr, err := run(t, append([]string{"provider", "compare"}, test.args...)...)
		if code, _ := exitCode(err); code != 2 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: got %v, %s, want %s", name, err, stderr, test.want)
		}
	}
}

// written returns the name of a new JSON file with a schema.
func written(t *testing.T, s *schema.Provider) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
