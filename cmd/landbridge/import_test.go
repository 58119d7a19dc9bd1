package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// aCloud is a cloud with two things and an alias, and the flags to look at it without a cluster.
func aCloud(t *testing.T) (cloud *examplecloudtest.Cloud, flags []string) {
	t.Helper()
	cloud = examplecloudtest.Start(t)
	cloud.Make(t, "things", map[string]any{"name": "one", "region": "us-east-1"})
	cloud.Make(t, "things", map[string]any{"name": "two", "region": "eu-central-1"})
	cloud.Make(t, "aliases", map[string]any{"name": "al", "target": "x"})
	config := file(t, "config.yaml", `
apiVersion: examplecloud.landbridge.io/v1alpha1
kind: ClusterProviderConfig
metadata: {name: default}
spec: {endpoint: `+cloud.URL+`, tokenSecretRef: {name: s, namespace: x, key: k}}
---
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: x}
stringData: {k: a-token-never-shown}
`)
	return cloud, []string{"--provider", examplecloudtest.Provider(t, examplecloudtest.Framework6), "--configuration", config}
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

var objectID = regexp.MustCompile(`-[0-9a-f]{16}`)

func code(err error) int {
	if err == nil {
		return 0
	}
	c, _ := exitCode(err)
	return c
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	_, flags := aCloud(t)
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		out, said, err := run(t, append(flags, "discover", "examplecloud_t*", "examplecloud_alias", "examplecloud_shapes")...)
		if err != nil {
			t.Fatal(err)
		}
		want := `TYPE                 NAME   IDENTITY                      MANAGED BY
examplecloud_alias   al     name=al                       -
examplecloud_thing   one    id=t-ID,region=us-east-1      -
examplecloud_thing   two    id=t-ID,region=eu-central-1   -
`
		spaces := regexp.MustCompile(` {2,}`)
		if diff := cmp.Diff(spaces.ReplaceAllString(want, "  "),
			spaces.ReplaceAllString(objectID.ReplaceAllString(out, "-ID"), "  ")); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		want = "Note: examplecloud_shapes cannot be listed: the provider has no list resource for it. Objects that " +
			"you know are imported one by one: landbridge import examplecloud_shapes --identity id=…\n"
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})
	t.Run("arguments from a file, and a limit", func(t *testing.T) {
		t.Parallel()
		list := file(t, "list.yaml", "examplecloud_thing: {region: eu-central-1}\nexamplecloud_alias: {name: al}\n")
		out, said, err := run(t, append(flags, "discover", "examplecloud_thing", "examplecloud_alias", "-f", list,
			"--limit", "1", "-o", "json")...)
		if err != nil {
			t.Fatal(err)
		}
		var d discovery.Document
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatal(err)
		}
		if len(d.Objects) != 2 || d.Objects[1].DisplayName != "two" ||
			cmp.Diff([]string{"examplecloud_alias", "examplecloud_thing"}, d.Incomplete) != "" {
			t.Errorf("%+v", d)
		}
		if !strings.Contains(said, "Note: examplecloud_thing: there may be more than 1 objects; raise --limit to see them.") {
			t.Error(said)
		}
	})
	t.Run("a state says who manages", func(t *testing.T) {
		t.Parallel()
		out, _, err := run(t, append(flags, "discover", "examplecloud_alias",
			"--state", file(t, "terraform.tfstate", `{"version": 4, "resources": [
			{"mode": "managed", "type": "examplecloud_alias", "name": "mine", "provider": "provider[\"registry.opentofu.org/hashicorp/examplecloud\"]",
			 "instances": [{"schema_version": 0, "attributes": {"id": "x", "name": "al"}, "identity_schema_version": 0, "identity": {"name": "al"}}]}]}`))...)
		if err != nil || !strings.Contains(out, "examplecloud_alias.mine") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("of a provider that cannot list", func(t *testing.T) {
		t.Parallel()
		_, _, err := run(t, "discover", "random_pet", "--provider", providertest.Binary(t, "random"))
		if err == nil || !strings.HasPrefix(err.Error(), "random_pet cannot be listed: the provider has no list "+
			"resource for it. Objects that you know are imported one by one: landbridge import random_pet --id ID") {
			t.Error(err)
		}
	})
}

// What is wrong is said before anything is done, with a way out.
func TestDiscoverAndImportErrors(t *testing.T) {
	t.Parallel()
	cloud, flags := aCloud(t)
	empty := file(t, "kubeconfig", "")
	tests := map[string]struct {
		args []string
		bare bool // without the flags
		want string
	}{
		"an unknown type": {
			args: []string{"discover", "examplecloud_nothing"},
			want: "no provider has a resource type examplecloud_nothing; landbridge provider inspect " +
				"lists those it has",
		},
		"not a pattern": {args: []string{"discover", "["}, want: `pattern "[": syntax error in pattern`},
		"an unknown argument": {
			args: []string{"discover", "examplecloud_alias", "--set", "region=x"},
			want: "examplecloud_alias.region: Unsupported argument: There is no such field. The arguments to list " +
				"examplecloud_alias are: name",
		},
		"not an argument": {args: []string{"discover", "--set", "region"}, want: "--set region: must be NAME=VALUE"},
		"arguments of what is not listed": {
			args: []string{"discover", "examplecloud_alias", "-f", file(t, "l.yaml", "examplecloud_thing: {}")},
			want: "l.yaml has arguments for examplecloud_thing, which is not listed",
		},
		"no limit": {args: []string{"discover", "--limit", "0"}, want: "--limit must be at least 1"},
		"unmanaged, says who": {
			args: []string{"discover", "--unmanaged"},
			want: "--unmanaged needs a cluster or --state to know which objects are managed",
		},
		"an unknown output": {
			args: []string{"discover", "-o", "xml"}, want: `unknown output "xml": must be one of table, json, yaml`,
		},
		"another configuration": {
			args: []string{"discover", "--provider-config", "ClusterProviderConfig/west"},
			want: "there is no ClusterProviderConfig west of examplecloud.landbridge.io in the files",
		},
		"not a configuration": {
			args: []string{"discover", "--provider-config", "west"},
			want: "--provider-config west: must be ClusterProviderConfig/NAME or ProviderConfig/NAME",
		},
		"no cluster": {
			args: []string{"discover", "--kubeconfig", empty}, bare: true,
			want: "to work without one, name a provider with --provider",
		},
		"nothing to import": {
			args: []string{"import"},
			want: "--id or --identity or --objects or --unmanaged or --query or --state is missing; the usage is: " +
				"landbridge import ",
		},
		"two ways to import": {
			args: []string{"import", "--unmanaged", "--state", "x"},
			want: "--state and --unmanaged cannot be given together",
		},
		"an id of no type": {args: []string{"import", "--id", "x"}, want: "--id and --identity need exactly one resource type"},
		"an id of several types": {
			args: []string{"import", "examplecloud_*", "--id", "x"},
			want: "--id and --identity need exactly one resource type",
		},
		"an id of an unknown type": {
			args: []string{"import", "examplecloud_nothing", "--id", "x"},
			want: "no provider has a resource type examplecloud_nothing",
		},
		"an identity that is none": {
			args: []string{"import", "examplecloud_thing", "--identity", "region=x"},
			want: "--identity region=x: id: Invalid import identity argument: The attribute is required " +
				"to import Thing.",
		},
		"a name for two": {
			args: []string{"import", "examplecloud_thing", "--id", "x", "--id", "y", "--as", "z"},
			want: "--as requires a single object, given by --id or --identity",
		},
		"a name that is none": {args: []string{"import", "examplecloud_thing", "--id", "x", "--as", "A_b"}, want: "--as A_b: "},
		"types and objects": {
			args: []string{"import", "examplecloud_thing", "--objects", "-"},
			want: "--objects and resource types cannot be combined",
		},
		"unmanaged without a cluster": {
			args: []string{"import", "--unmanaged"},
			want: "--unmanaged needs a cluster to know which objects are managed; without one, pass the output of " +
				"landbridge discover to --objects",
		},
		"refresh of what": {
			args: []string{"import", "examplecloud_thing", "--id", "x", "--refresh=false"},
			want: "--refresh=false requires --state",
		},
		"not an alias": {
			args: []string{"import", "--state", file(t, "s", `{"version": 4}`), "--alias", "west"},
			want: "--alias west: must be ALIAS=ClusterProviderConfig/NAME or ALIAS=ProviderConfig/NAME",
		},
		"no state": {args: []string{"import", "--state", file(t, "s", `hello`)}, want: "not a state file: malformed JSON"},
		"a state without what is asked": {
			args: []string{"import", "--state", file(t, "s", `{"version": 4, "resources": []}`), "module.x.*"},
			want: "has no resource that matches module.x.*",
		},
		"an encrypted state": {
			args: []string{
				"import", "--state",
				file(t, "s", `{"serial": 1, "meta": {}, "encrypted_data": "x", "encryption_version": "v0"}`),
			}, want: "the state is encrypted by OpenTofu. Give the output of tofu state pull",
		},
		"a state of a newer format": {
			args: []string{"import", "--state", file(t, "s", `{"version": 5}`)},
			want: "format version 5, where only 4 can be read. A newer version of Terraform or OpenTofu wrote it",
		},
		"objects that are none": {
			args: []string{
				"import", "--objects", file(t, "o", `{"objects": [{"type": "examplecloud_thing", "identity": {}}]}`),
			}, want: "objects[0]: id: Invalid import identity argument",
		},
		"a configuration that is wrong": {
			args: []string{
				"discover", "--provider", examplecloudtest.Provider(t, examplecloudtest.SDKv2), "--configuration",
				file(t, "c.yaml", "apiVersion: examplecloud.landbridge.io/v1alpha1\nkind: "+
					"ClusterProviderConfig\nmetadata: {name: default}\nspec: {endpoint: 'ftp://x'}\n"),
			},
			bare: true, want: `provider examplecloud, ClusterProviderConfig/default: endpoint "ftp://x" is not an http or https URL`,
		},
	}
	before := cloud.Audit(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			args := test.args
			if !test.bare {
				args = append(append([]string{}, flags...), args...)
			}
			out, said, err := run(t, args...)
			if err == nil || !strings.Contains(err.Error(), test.want) || code(err) != 1 {
				t.Errorf("got %v, want %s\n%s%s", err, test.want, out, said)
			}
			if out != "" {
				t.Errorf("printed %s", out)
			}
		})
	}
	if diff := cmp.Diff(before, cloud.Audit(t)); diff != "" {
		t.Error(diff)
	}
}

// What landbridge import writes, landbridge plan imports, and has nothing to change.
func TestImportThenPlan(t *testing.T) {
	t.Parallel()
	cloud, flags := aCloud(t)
	before := cloud.Audit(t)
	found, _, err := run(t, append(flags, "discover", "-o", "yaml")...)
	if err != nil {
		t.Fatal(err)
	}
	manifests, said, err := run(t, append(flags, "import", "--objects", file(t, "found.yaml", found))...)
	if err != nil || !strings.Contains(said, "3 resources written.") {
		t.Fatalf("%v\n%s", err, said)
	}
	if strings.Contains(manifests+said, "a-token-never-shown") {
		t.Error("the token is shown")
	}
	config, err := os.ReadFile(flags[3])
	if err != nil {
		t.Fatal(err)
	}
	out, said, err := run(t, "plan", "--provider", flags[1], "-f",
		file(t, "m.yaml", manifests+"---\n"+string(config)), "--detailed-exitcode", "--no-color", "--state",
		filepath.Join(t.TempDir(), "s"))
	if code(err) != 2 || !strings.Contains(out, "Plan: 3 to import, 0 to add, 0 to change, 0 to destroy.") {
		t.Errorf("%v\n%s\n%s", err, out, said)
	}
	if diff := cmp.Diff(before, cloud.Audit(t)); diff != "" {
		t.Error(diff)
	}
}

// The exit code tells whether all is written, some, or nothing.
func TestImportExitCodes(t *testing.T) {
	t.Parallel()
	cloud, flags := aCloud(t)
	state := func(resources ...string) string {
		return file(t, "terraform.tfstate", `{"version": 4, "resources": [`+strings.Join(resources, ",")+`]}`)
	}
	note := cloud.Make(t, "id_imports", map[string]any{"name": "n", "text": "t"})
	one := `{"mode": "managed", "type": "examplecloud_id_import", "name": "n", "provider": "provider[\"registry.terraform.io/hashicorp/examplecloud\"]", "instances": [{"schema_version": 0, "attributes": {"id": "` + note["id"].(string) + `", "name": "n", "text": "t"}}]}`
	gone := strings.ReplaceAll(strings.ReplaceAll(one, note["id"].(string), "i-none"), `"name": "n", "provider"`, `"name": "gone", "provider"`)
	unknown := `{"mode": "managed", "type": "aws_vpc", "name": "x", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [{"schema_version": 0, "attributes": {}}]}`
	outputs := file(t, "outputs.tfstate",
		`{"version": 4, "outputs": {"url": {"value": "x"}, "key": {"value": "y", "sensitive": true}}, "resources": [`+
			one+`]}`)
	data := `{"mode": "data", "type": "aws_vpc", "name": "x", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]", "instances": [{"schema_version": 0, "attributes": {}}]}`
	tests := map[string]struct {
		args []string
		code int
		said string
		out  bool
	}{
		"all": {
			args: []string{"import", "--state", state(one, data)},
			said: "1 resource written.\nData source aws_vpc.x skipped: there is no provider " +
				"registry.terraform.io/hashicorp/aws; name its binary with --provider, or install it with a " +
				"TerraformProvider.\n",
			out: true,
		},
		"some": {
			args: []string{"import", "--state", state(one, gone, unknown)}, code: 2, out: true,
			said: "1 resource written.\nLeft out:\n  aws_vpc.x: there is no provider " +
				"registry.terraform.io/hashicorp/aws; name its binary with --provider, or install it with a " +
				"TerraformProvider.\n  examplecloud_id_import.gone: it does not exist any more.\n",
		},
		"nothing": {
			args: []string{"import", "--state", state(gone)}, code: 1,
			said: "0 resources written.\nLeft out:\n  examplecloud_id_import.gone: it does not exist any more.\n",
		},
		"empty":   {args: []string{"import", "--state", state()}, said: "0 resources written.\n"},
		"by type": {args: []string{"import", "--state", state(one, unknown), "examplecloud_*"}, said: "1 resource written.\n", out: true},
		"trusted": {args: []string{"import", "--refresh=false", "--state", state(one, gone)}, said: "2 resources written.\n", out: true},
		"outputs": {
			args: []string{"import", "--state", outputs},
			said: "1 resource written.\n2 outputs skipped: key, url. What reads them can read the status or the " +
				"connection Secret of a resource.\n",
			out: true,
		},
		"not there": {
			args: []string{"import", "examplecloud_thing", "--identity", "id=t-none"}, code: 1,
			said: "Cannot import non-existent remote object",
		},
		"into files": {
			args: []string{"import", "--state", state(one), "--output-dir", filepath.Join(t.TempDir(), "out")},
			said: "examplecloud_id_import.n → IDImport default/n\n1 resource written to ",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, said, err := run(t, append(append([]string{}, flags...), test.args...)...)
			var e exit
			if code(err) != test.code || err != nil && !errors.As(err, &e) {
				t.Errorf("exit code %d, want %d: %v", code(err), test.code, err)
			}
			if !strings.Contains(said, test.said) {
				t.Errorf("said %q, want %q", said, test.said)
			}
			if (out != "") != test.out {
				t.Errorf("printed %q", out)
			}
		})
	}
}
