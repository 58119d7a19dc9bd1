package generate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/generate"
	"github.com/landbridge-io/landbridge/schema"
)

// repository returns a directory with the recorded schema of a provider with one resource type.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	record(t, dir, cty.Number)
	return dir
}

func record(t *testing.T, dir string, size cty.Type) {
	t.Helper()
	raw, err := (&schema.Record{Provider: "cloud", Version: "1.2.0", Schema: &schema.Provider{
		Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
			"cloud_volume": {
				Type: "cloud_volume", Block: &schema.Block{
					Attributes: map[string]*schema.Attribute{"size": {Type: size, Optional: true}},
				},
			},
		},
	}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "config", "schema.json"), raw)
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestProgramGenerates(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	p := generate.Program{Name: "cloud", Module: "example.org/provider-cloud", Config: config.Provider{Group: "cloud.example.org"}}
	run := func(allowBreaking bool) (stdout, stderr string, err error) {
		var out, notes bytes.Buffer
		err = generate.Run(p, dir, allowBreaking, &out, &notes)
		return out.String(), notes.String(), err
	}
	steps := []struct {
		name          string
		size          cty.Type
		allowBreaking bool
		stdout        string
		stderr, err   string // contained
	}{
		{name: "first", size: cty.Number, stdout: "1 kinds; 12 files written, 0 removed, 0 unchanged\n"},
		{name: "again", size: cty.Number, stdout: "1 kinds; 0 files written, 0 removed, 12 unchanged\n"},
		{name: "a breaking change", size: cty.Bool, err: "If what changes is not used: make generate ALLOW_BREAKING=1"},
		{
			name: "it is allowed", size: cty.Bool, allowBreaking: true,
			stdout: "1 kinds; 4 files written, 0 removed, 8 unchanged\n", stderr: "spec.forProvider.size: type changed, number -> boolean",
		},
	}
	for _, step := range steps {
		record(t, dir, step.size)
		stdout, stderr, err := run(step.allowBreaking)
		if diff := cmp.Diff(step.stdout, stdout); diff != "" {
			t.Errorf("%s: standard output: -want, +got:\n%s", step.name, diff)
		}
		if !strings.Contains(stderr, step.stderr) || step.stderr == "" && stderr != "" {
			t.Errorf("%s: standard error is %q, want %q", step.name, stderr, step.stderr)
		}
		switch {
		case step.err == "" && err != nil:
			t.Errorf("%s: %v", step.name, err)
		case step.err != "" && (err == nil || !strings.Contains(err.Error(), step.err)):
			t.Errorf("%s: got error %v, want %s", step.name, err, step.err)
		}
	}
}

func TestProgramNamesConfigurationFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		references bool
		want       string
	}{
		"without references": {want: "config/provider.go: resources.cloud_disk: "},
		"with references":    {references: true, want: "config/provider.go, config/references.yaml: resources.cloud_disk: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			if test.references {
				write(t, filepath.Join(dir, "config", "references.yaml"), nil)
			}
			p := generate.Program{Name: "cloud", Module: "example.org/provider-cloud", Config: config.Provider{
				Resources: map[string]config.Resource{"cloud_disk": {}},
			}}
			err := generate.Run(p, dir, false, &bytes.Buffer{}, &bytes.Buffer{})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got error %v, want %s…", err, test.want)
			}
		})
	}
}

func TestProgramRefusesOtherSchema(t *testing.T) {
	t.Parallel()
	err := generate.Run(generate.Program{Name: "sky", Module: "example.org/provider-sky"}, repository(t), false,
		&bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "is the schema of the provider cloud, and not of sky") {
		t.Errorf("got error %v", err)
	}
}

// Kinds that were generated keep their names when the provider adds types, and the program is told
// of names that differ from those that a new repository would have.
func TestProgramKeepsNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := generate.Program{Name: "cloud", Module: "example.org/provider-cloud", Config: config.Provider{Group: "cloud.example.org"}}
	generated := func(types ...string) {
		t.Helper()
		s := &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
		for _, r := range types {
			s.Resources[r] = &schema.Resource{
				Type: r, Block: &schema.Block{
					Attributes: map[string]*schema.Attribute{"size": {Type: cty.Number, Optional: true}},
				},
			}
		}
		raw, err := (&schema.Record{Provider: "cloud", Version: "1.2.0", Schema: s}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "config", "schema.json"), raw)
		if err := generate.Run(p, dir, false, new(bytes.Buffer), new(bytes.Buffer)); err != nil {
			t.Fatal(err)
		}
	}
	names := filepath.Join(dir, "config", "zz_names.go")
	generated("cloud_allow")
	if _, err := os.Stat(names); !os.IsNotExist(err) {
		t.Errorf("names of a new repository are recorded: %v", err)
	}
	generated("cloud_allow", "cloud_allow_list")
	raw, err := os.ReadFile(names)
	if err != nil {
		t.Fatal(err)
	}
	want := `	config.Assign("cloud", map[string]config.Names{
		"cloud_allow_list": {Kind: "CloudAllowList", ListKind: "CloudAllowListList", Plural: "cloudallowlists", Singular: "cloudallowlist"},
	})
`
	if !strings.Contains(string(raw), want) {
		t.Errorf("got:\n%s", raw)
	}
	// If only a list kind collides, it alone has another name, in the CRD and in Go.
	generated("cloud_allow", "cloud_allow_list", "cloud_allow_list_list", "cloud_rule_list")
	generated("cloud_allow", "cloud_allow_list", "cloud_allow_list_list", "cloud_rule_list", "cloud_rule")
	for file, want := range map[string]string{
		"package/crds/cloud.example.org_rules.yaml":           "listKind: CloudRuleList",
		"package/crds/cloud.example.org_rulelists.yaml":       "kind: RuleList\n",
		"apis/cloud/v1alpha1/zz_groupversion_info.go":         "&Rule{}, &CloudRuleList{},",
		"apis/cloud/v1alpha1/zz_rule_types.go":                "type CloudRuleList struct",
		"package/crds/cloud.example.org_cloudallowlists.yaml": "kind: CloudAllowList\n",
		"package/crds/cloud.example.org_allowlistlists.yaml":  "kind: AllowListList\n",
	} {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s: %v, without %s", file, err, want)
		}
	}
}

// The configuration, as a file for landbridge's commands, has the names of the kinds.
func TestProgramPrintsConfiguration(t *testing.T) {
	t.Parallel()
	p := generate.Program{Name: "cloud", Module: "example.org/provider-cloud", Config: config.Provider{
		Group: "cloud.example.org", Resources: map[string]config.Resource{"cloud_volume": {Kind: "Disk", ShortNames: []string{"dk"}}},
	}}
	dir := repository(t)
	var out bytes.Buffer
	if err := generate.PrintConfig(p, dir, &out); err != nil {
		t.Fatal(err)
	}
	got, err := config.Read("config.yaml", out.Bytes())
	if err != nil {
		t.Fatalf("%v:\n%s", err, &out)
	}
	if diff := cmp.Diff(p.Config, got.Provider, cmpopts.IgnoreFields(config.Provider{}, "Names")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if err := generate.Run(p, dir, false, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	// A name that was assigned is kept when the configuration does not set it any more.
	p.Config.Resources = nil
	out.Reset()
	if err := generate.PrintConfig(p, dir, &out); err != nil {
		t.Fatal(err)
	}
	if got, err = config.Read("config.yaml", out.Bytes()); err != nil || got.Names["cloud_volume"].Kind != "Disk" {
		t.Errorf("%v, %v:\n%s", got, err, &out)
	}
}
