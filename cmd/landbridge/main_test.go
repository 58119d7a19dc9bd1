package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// run is what the command line prints, and its error.
func run(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errOut)
	err = root.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func script(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "terraform-provider-broken")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+content+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestProviderInspect(t *testing.T) {
	t.Parallel()
	hcloud := providertest.Binary(t, "hcloud")
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		out, _, err := run(t, "provider", "inspect", hcloud)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"Protocol:      6", "API group:     hcloud.landbridge.io", "Resources:     29",
			"hcloud_ssh_key                 SSHKey                0        no    -",
			"hcloud_zone_record             ZoneRecord            0        no    name, type, value, zone",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in:\n%s", want, out)
			}
		}
	})
	t.Run("cost", func(t *testing.T) {
		t.Parallel()
		cost := func(args ...string) crd.Cost {
			t.Helper()
			out, _, err := run(t, append([]string{"provider", "inspect", hcloud, "--cost", "-o", "json"}, args...)...)
			if err != nil {
				t.Fatal(err)
			}
			var got inspection
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatal(err)
			}
			return *got.Cost
		}
		all, one := cost(), cost("hcloud_zone_record")
		configurations := one.CRDs - 1
		if configurations < 2 || all.CRDs != 29+configurations || all.Bytes <= one.Bytes || all.Memory <= all.Bytes ||
			all.OpenAPI <= one.OpenAPI {
			t.Errorf("all: %+v, one: %+v", all, one)
		}
		// The size is that of the CRDs that the command crds prints.
		out, _, err := run(t, "crds", hcloud, "hcloud_zone_record")
		if err != nil {
			t.Fatal(err)
		}
		want, documents := 0, strings.Split(strings.TrimPrefix(out, "---\n"), "\n---\n")
		for _, d := range documents {
			raw, err := yaml.YAMLToJSON([]byte(d))
			if err != nil {
				t.Fatal(err)
			}
			want += len(raw)
		}
		if len(documents) != one.CRDs || one.Bytes < want || one.Bytes > want+want/10 {
			t.Errorf("%d documents of %d bytes, the cost says %+v", len(documents), want, one)
		}
		out, _, err = run(t, "provider", "inspect", hcloud, "--cost")
		if err != nil || !strings.Contains(out, fmt.Sprintf("CRDs:          %d, ", all.CRDs)) || !strings.Contains(out, "API server:    about ") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	for _, format := range []string{"json", "yaml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, "provider", "inspect", hcloud, "hcloud_zone_record", "-o", format)
			if err != nil {
				t.Fatal(err)
			}
			if format == "yaml" {
				raw, err := yaml.YAMLToJSON([]byte(out))
				if err != nil {
					t.Fatal(err)
				}
				out = string(raw)
			}
			var got inspection
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatal(err)
			}
			if got.Protocol != 6 || got.Name != "hcloud" || got.Binary != hcloud || !got.Capabilities.PlanDestroy ||
				len(got.DataSources) != 42 || len(got.Actions) != 4 {
				t.Errorf("got %+v", got)
			}
			required := func(name string) inspectedArgument {
				return inspectedArgument{Name: name, Type: "string", RequiredForImport: true}
			}
			want := []inspectedResource{{
				Type: "hcloud_zone_record", APIVersion: "hcloud.landbridge.io/v1alpha1", Kind: "ZoneRecord", Plural: "zonerecords",
				Identity: &inspectedIdentity{Attributes: []inspectedArgument{required("name"), required("type"), required("value"), required("zone")}},
			}}
			for i := range got.Resources {
				for j := range got.Resources[i].Identity.Attributes {
					got.Resources[i].Identity.Attributes[j].Description = ""
				}
			}
			if diff := cmp.Diff(want, got.Resources); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestCRDs(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "random")
	settings := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(settings,
		[]byte("group: chance.example.org\nresources:\n  random_pet: {kind: Animal, shortNames: [ani]}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	configs := []string{"providerconfigs.random.landbridge.io", "clusterproviderconfigs.random.landbridge.io"}
	tests := map[string]struct {
		args []string
		want []string
	}{
		"all": {
			want: append(configs[:2:2], "bytes", "ids", "integers", "passwords", "pets", "shuffles", "strings",
				"uuids", "uuid4s", "uuid7s"),
		},
		"patterns":  {args: []string{"*_p*", "random_id"}, want: append(configs[:2:2], "ids", "passwords", "pets")},
		"alone":     {args: []string{"random_id", "--provider-config=false"}, want: []string{"ids"}},
		"directory": {args: []string{"random_id", "--provider-config=false"}, want: []string{"ids"}},
		"configured": {
			args: []string{"random_pet", "--provider-config=false", "--config", settings},
			want: []string{"animals.chance.example.org"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where := binary
			if name == "directory" {
				where = filepath.Dir(binary)
			}
			out, errOut, err := run(t, append([]string{"crds", where}, test.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			if errOut != "" {
				t.Errorf("printed to standard error: %s", errOut)
			}
			var got []string
			for i, document := range strings.Split(out, "---\n") {
				if i == 0 {
					continue
				}
				var d apiextensionsv1.CustomResourceDefinition
				if err := yaml.UnmarshalStrict([]byte(document), &d); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(document, "\nstatus:") {
					t.Errorf("%s has a status", d.Name)
				}
				got = append(got, strings.TrimSuffix(d.Name, ".random.landbridge.io"))
			}
			var want []string
			for _, w := range test.want {
				want = append(want, strings.TrimSuffix(w, ".random.landbridge.io"))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestMistakesAreExplained(t *testing.T) {
	t.Parallel()
	random := providertest.Binary(t, "random")
	empty := t.TempDir()
	wrong := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(wrong, []byte("resources:\n  random_pet: {knd: Animal}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		args []string
		want string
	}{
		"no argument":           {args: []string{"crds"}, want: "PROVIDER is missing; the usage is: landbridge crds PROVIDER [PATTERN...]"},
		"no such file":          {args: []string{"crds", "/does/not/exist"}, want: "no such file"},
		"no provider in there":  {args: []string{"provider", "inspect", empty}, want: "there is no terraform-provider-… in this directory"},
		"no such type":          {args: []string{"crds", random, "random_nothing"}, want: "the provider has no resource type random_nothing"},
		"no such output":        {args: []string{"provider", "inspect", random, "-o", "xml"}, want: "must be one of table, json, yaml"},
		"wrong configuration":   {args: []string{"crds", random, "--config", wrong}, want: "knd"},
		"not a provider":        {args: []string{"crds", script(t, "echo hello")}, want: "not a Terraform provider"},
		"dies":                  {args: []string{"crds", script(t, "exit 3")}, want: "terraform-provider-broken"},
		"secrets not asked for": {args: []string{"state", "export"}, want: "give --show-sensitive to export them"},
		"nothing to move":       {args: []string{"move", "--to-kubeconfig", wrong}, want: "or --all for all resources of the namespace"},
		"all and some to move": {
			args: []string{"move", "thing", "--all", "--to-kubeconfig", wrong},
			want: "or --all for all resources of the namespace",
		},
		"nowhere to move": {args: []string{"move", "--all"}, want: "--to-kubeconfig is missing; the usage is: landbridge move "},
		"unknown command": {
			args: []string{"crd"},
			want: `unknown command "crd" for "landbridge". Did you mean crds? landbridge --help lists the commands`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, test.args...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
			if out != "" {
				t.Errorf("printed %q", out)
			}
		})
	}
}

func TestHelpAndCompletion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"help":              {args: []string{"--help"}, want: "Landbridge serves a released Terraform provider as a Kubernetes API"},
		"version":           {args: []string{"--version"}, want: "landbridge "},
		"completion":        {args: []string{"completion", "bash"}, want: "__start_landbridge"},
		"output completion": {args: []string{"__complete", "provider", "inspect", "-o", ""}, want: "yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, test.args...)
			if err != nil || !strings.Contains(out, test.want) {
				t.Errorf("%v: %q is not in %s", err, test.want, out)
			}
		})
	}
}
