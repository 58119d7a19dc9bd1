package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestGenerate(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "time")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/provider-time\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	output := filepath.Join(dir, "generated")
	generated := func(args ...string) string {
		t.Helper()
		out, _, err := run(t, append([]string{"generate", "--provider", binary, "--output-dir", output}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimPrefix(out, output+": ")
	}
	if diff := cmp.Diff("4 kinds; 19 files written, 0 removed, 0 unchanged\n", generated()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for file, want := range map[string]string{
		"apis/zz_register.go":                        `timev1alpha1 "example.org/provider-time/generated/apis/time/v1alpha1"`,
		"apis/time/v1alpha1/zz_groupversion_info.go": `CRDGroup   = "time.landbridge.io"`,
		"apis/time/v1alpha1/zz_rotating_types.go": "RotationDays *managed.Number " +
			"`json:\"rotationDays,omitempty\" tf:\"rotation_days,omitempty\"`",
		"package/crds/time.landbridge.io_sleeps.yaml":          "name: sleeps.time.landbridge.io",
		"package/crds/time.landbridge.io_providerconfigs.yaml": "kind: ProviderConfig",
		"docs/kinds/time/sleep.md":                             "# Sleep\n",
		"docs/kinds/README.md":                                 "| [Sleep](time/sleep.md) | `time_sleep` |",
	} {
		raw, err := os.ReadFile(filepath.Join(output, file))
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(strings.Join(strings.Fields(string(raw)), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("%s does not have %s:\n%s", file, want, raw)
		}
	}
	if diff := cmp.Diff("4 kinds; 0 files written, 0 removed, 19 unchanged\n", generated()); diff != "" {
		t.Errorf("again: -want, +got:\n%s", diff)
	}
	// Another group is another package: the other one is removed.
	if _, _, err := run(t, "generate", "--provider", binary, "--output-dir", output, "--group", "clock.example.org"); err == nil ||
		!strings.Contains(err.Error(), "~ kind changed, Sleep.time.landbridge.io sleeps -> "+
			"Sleep.clock.example.org sleeps") || !strings.HasSuffix(err.Error(), "give --allow-breaking") {
		t.Errorf("another group is not refused: %v", err)
	}
	if diff := cmp.Diff("4 kinds; 0 files written, 0 removed, 19 unchanged\n", generated()); diff != "" {
		t.Errorf("refused, and again: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff("4 kinds; 19 files written, 17 removed, 0 unchanged\n",
		generated("--group", "clock.example.org", "--allow-breaking")); diff != "" {
		t.Errorf("another group: -want, +got:\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(output, "apis/time")); !os.IsNotExist(err) {
		t.Errorf("apis/time: %v", err)
	}
}

func TestGenerateFromDocumentation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"docs/resources/offset.md": "# Offset\n```terraform\nresource \"time_offset\" \"a\" {\n  base_rfc3339 = " +
			"time_static.a.rfc3339\n}\nresource \"time_sleep\" \"a\" {\n  create_duration = " +
			"time_offset.a.rfc3339\n}\n```\n",
		"config.yaml": "resources: {time_sleep: {references: {create_duration: {none: true}}}}",
	}
	for file, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	output := filepath.Join(dir, "out")
	_, notes, err := run(t, "generate", "--provider", providertest.Binary(t, "time"), "--output-dir", output,
		"--module", "example.org/provider-time",
		"--documentation", dir, "--config", filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := "Inferred: time_offset.base_rfc3339 comes from time_static.rfc3339 (docs/resources/offset.md)\n" +
		"Inferred: time_sleep.create_duration comes from time_offset.rfc3339 (docs/resources/offset.md), but was " +
		"left out: the configuration says otherwise\n"
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	printed, notes, err := run(t, "provider", "references", providertest.Binary(t, "time"), "--documentation", dir,
		"--config", filepath.Join(dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("resources:\n  time_offset:\n    references:\n      base_rfc3339:\n        "+
		"targets:\n        - attribute: rfc3339\n          type: time_static\n", printed); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if want := "Note: time_sleep.create_duration comes from time_offset.rfc3339 (docs/resources/offset.md), but was " +
		"left out: the configuration says otherwise\n"; notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	source, err := os.ReadFile(filepath.Join(output, "apis/time/v1alpha1/zz_offset_types.go"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "BaseRfc3339Selector *xpv2.NamespacedSelector " +
		"`json:\"baseRfc3339Selector,omitempty\""; !strings.Contains(string(source), want) {
		t.Errorf("there is no %s in:\n%s", want, source)
	}
}

func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "time")
	tests := map[string]struct {
		args []string
		// files are there before; config.yaml is the configuration.
		files map[string]string
		want  string
	}{
		"no flags": {
			args: []string{"generate"},
			want: "--output-dir and --provider are missing; the usage is: landbridge generate --provider PROVIDER " +
				"--output-dir DIR",
		},
		"no provider": {
			args: []string{"--provider", "/nowhere/terraform-provider-time"},
			want: "/nowhere/terraform-provider-time: no such file or directory; name the provider's program by its " +
				"path, or the provider by its address, such as hashicorp/random",
		},
		"no module":    {args: []string{"--module="}, want: "is not in a Go module: run go mod init there, or give --module"},
		"a bad module": {args: []string{"--module", "a b"}, want: `module: malformed import path "a b": invalid char ' '`},
		"a bad group": {
			args: []string{"--group", "clock"},
			want: `group: "clock": it must be a domain name with a dot, such as cloud.landbridge.io`,
		},
		"unknown type": {
			files: map[string]string{"config.yaml": "resources:\n  time_zone: {kind: Zone}"},
			want:  "config.yaml:2: resources.time_zone: the provider has no resource type time_zone",
		},
		"unknown setting": {
			files: map[string]string{"config.yaml": "resources:\n  time_sleep:\n    knd: Zone"},
			want:  "config.yaml:3: resources.time_sleep.knd: there is no such setting",
		},
		"a kind twice": {
			files: map[string]string{
				"config.yaml": "resources:\n  time_sleep: {kind: Nap}\n  time_static:\n    kind: Nap",
			}, want: "config.yaml:4: resources.time_static.kind: Nap is taken",
		},
		"a name twice": {
			files: map[string]string{
				"config.yaml": "overrides:\n- having: [rfc3339]\n  fields:\n    rfc3339: {name: id}",
			}, want: "config.yaml:4: overrides[0].fields.rfc3339.name: id is the name of id",
		},
		"an unknown target": {
			files: map[string]string{"config.yaml": "resources: {time_offset: {references: {base_rfc3339: {targets: [{type: time_clock}]}}}}"},
			want:  "resources.time_offset.references.base_rfc3339.targets[0].type: the provider has no resource type time_clock",
		},
		"no documentation": {args: []string{"--documentation", "/nowhere"}, want: "--documentation: open /nowhere: no such file or directory"},
		"nothing in it": {
			args: []string{"--documentation", "."},
			want: "the documentation has no examples in HCL: give the folder that has the provider's docs, " +
				"website/docs or examples",
		},
		"file of another program": {
			files: map[string]string{"out/apis/zz_register.go": "package apis\n"},
			want:  "out/apis/zz_register.go was not generated, and would be overwritten: move it away, or generate into another directory",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			output := filepath.Join(dir, "out")
			args := append([]string{"generate", "--provider", binary, "--output-dir", output, "--module", "example.org/provider-time"}, test.args...)
			if name == "no flags" {
				args = test.args
			}
			for file, content := range test.files {
				if file == "config.yaml" {
					args = append(args, "--config", filepath.Join(dir, file))
				}
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			_, _, err := run(t, args...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			var after []string
			err = filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					name, _ := filepath.Rel(dir, file)
					after = append(after, name)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(after) != len(test.files) {
				t.Errorf("there are the files %q", after)
			}
		})
	}
}

// CRDs that are near a limit are told of, with what to omit.
func TestLargeCRDsAreToldOf(t *testing.T) {
	t.Parallel()
	rules := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	for i := range 1000 {
		rules.Attributes[fmt.Sprintf("a_rather_long_name_%d", i)] = &schema.Attribute{Type: cty.Map(cty.String), Optional: true}
	}
	raw, err := json.Marshal(&schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_firewall": {
			Type: "cloud_firewall", Block: &schema.Block{
				Blocks: map[string]*schema.NestedBlock{"rule": {Nesting: schema.NestingList, Block: rules}},
			},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "cloud.json")
	if err := os.WriteFile(file, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"crds", file}, {
			"generate", "--provider", file, "--output-dir", filepath.Join(dir, "out"), "--module", "example.org/cloud",
		},
	} {
		_, stderr, err := run(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(stderr, "Note: cloud_firewall: the CRD firewalls.cloud.landbridge.io has ") ||
			!strings.Contains(stderr, "The largest fields that can be omitted: rule.a_rather_long_name_") {
			t.Errorf("%v: %s", args, stderr)
		}
	}
}
