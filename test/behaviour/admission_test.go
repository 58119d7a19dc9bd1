package behaviour_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// update reports whether to rewrite golden files; the flag is defined by doctest.
func update() bool { return flag.Lookup("update").Value.String() == "true" }

// TestAdmission compares the output of kubectl apply for valid and invalid spec.import with
// testdata/admission.txt.
func TestAdmission(t *testing.T) {
	t.Parallel()
	c := shared(t).open(t, behaviour.Column{Form: provider.Framework6, Way: behaviour.InProcess}, admission, release.Latest,
		"thing", "datastore", "id_import", "shapes", "volume")
	kubectl, err := testbin.Build(t.Context(), testbin.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	thing, datastore := m{"name": "x"}, datastoreSpec("x")
	right := m{"identity": m{"id": "x", "region": "us-east-1"}}
	cases := []struct {
		name, kind string
		spec       m
		// imports are the values of spec.import, applied one after the other; nil is none.
		imports []m
		flags   []string
	}{
		{name: "by id", kind: "Thing", spec: thing, imports: []m{{"id": "x"}}},
		{name: "by identity", kind: "Thing", spec: thing, imports: []m{right}},
		{name: "by a partial identity", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": "x"}}}},
		{name: "an optional attribute is null", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": "x", "region": nil}}}},

		{name: "both of id and identity", kind: "Thing", spec: thing, imports: []m{{"id": "x", "identity": m{"id": "x"}}}},
		{name: "neither of id and identity", kind: "Thing", spec: thing, imports: []m{{}}},
		{name: "the id is empty", kind: "Thing", spec: thing, imports: []m{{"id": ""}}},
		{name: "the id is null", kind: "Thing", spec: thing, imports: []m{{"id": nil}}},
		{name: "the identity is null", kind: "Thing", spec: thing, imports: []m{{"identity": nil}}},
		{name: "the identity is empty", kind: "Thing", spec: thing, imports: []m{{"identity": m{}}}},
		{name: "a required attribute is left out", kind: "Thing", spec: thing, imports: []m{{"identity": m{"region": "us-east-1"}}}},
		{name: "a required attribute is null", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": nil}}}},
		{name: "several required attributes are left out", kind: "Datastore", spec: datastore, imports: []m{{"identity": m{"name": "x"}}}},
		{name: "an unknown attribute", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": "x", "zone": "a"}}}},
		{name: "an attribute in Terraform's spelling", kind: "Datastore", spec: datastore,
			imports: []m{{"identity": m{"hci_cluster_uuid": "u-1", "clusterInfoId": "c-1", "name": "x"}}}},
		{
			name: "an unknown attribute, without validation", kind: "Thing", spec: thing,
			imports: []m{{"identity": m{"id": "x", "zone": "a"}}}, flags: []string{"--validate=ignore"},
		},
		{
			name: "an unknown attribute, by server-side apply", kind: "Thing", spec: thing,
			imports: []m{{"identity": m{"id": "x", "zone": "a"}}}, flags: []string{"--server-side"},
		},
		{name: "an unknown way to import", kind: "Thing", spec: thing, imports: []m{{"name": "x"}}},

		{name: "a number for a string", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": 5}}}},
		{name: "a list for a string", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": "x", "region": []any{"us-east-1"}}}}},
		{name: "a string for a number", kind: "Shapes", spec: thing, imports: []m{{"identity": m{"id": "x", "weight": "1.5"}}}},
		{name: "a string for a boolean", kind: "Shapes", spec: thing, imports: []m{{"identity": m{"id": "x", "active": "true"}}}},
		{name: "a string for a list", kind: "Shapes", spec: thing, imports: []m{{"identity": m{"id": "x", "zones": "a"}}}},
		{name: "a number in a list of strings", kind: "Shapes", spec: thing, imports: []m{{"identity": m{"id": "x", "zones": []any{"a", 5}}}}},
		{name: "a string for the identity", kind: "Thing", spec: thing, imports: []m{{"identity": "x"}}},
		{name: "a number for the id", kind: "Thing", spec: thing, imports: []m{{"id": 5}}},
		{name: "by identity, where there is none", kind: "IDImport", spec: thing, imports: []m{{"identity": m{"id": "x"}}}},

		{name: "another value", kind: "Thing", spec: thing, imports: []m{right, {"identity": m{"id": "y", "region": "us-east-1"}}}},
		{name: "another id", kind: "Thing", spec: thing, imports: []m{{"id": "x"}, {"id": "y"}}},
		{name: "one attribute more", kind: "Thing", spec: thing, imports: []m{{"identity": m{"id": "x"}}, right}},
		{name: "one attribute less", kind: "Thing", spec: thing, imports: []m{right, {"identity": m{"id": "x"}}}},
		{name: "id instead of identity", kind: "Thing", spec: thing, imports: []m{right, {"id": "x"}}},
		{name: "taken away", kind: "Thing", spec: thing, imports: []m{right, nil}},
		// Values of an older version of the identity may have other types, which CEL cannot
		// compare.
		{
			name: "another value, identity with older versions", kind: "Volume", spec: thing, imports: []m{
				{"identity": m{"volumeId": "x"}}, {"identity": m{"volumeId": "y"}},
			},
		},
		{
			name: "id instead of identity, with older versions", kind: "Volume", spec: thing, imports: []m{
				{"identity": m{"volumeId": "x"}}, {"id": "x"},
			},
		},

		{name: "added later", kind: "Thing", spec: thing, imports: []m{nil, right}},
		{name: "added later, and wrong", kind: "Thing", spec: thing, imports: []m{nil, {"identity": m{"region": "us-east-1"}}}},
	}
	printed := make([]string, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, x := range cases {
			t.Run(x.name, func(t *testing.T) {
				t.Parallel()
				var b strings.Builder
				fmt.Fprintf(&b, "# %s\n", x.name)
				for _, imported := range x.imports {
					// Accepted resources must have no effect.
					spec := m{"forProvider": x.spec, "managementPolicies": []any{}}
					if imported != nil {
						spec["import"] = imported
					}
					u := c.object(x.kind, strings.NewReplacer(" ", "-", ",", "", "'", "").Replace(strings.ToLower(x.name)), spec)
					manifest, err := yaml.Marshal(u.Object)
					if err != nil {
						t.Fatal(err)
					}
					cmd := exec.Command(kubectl, append([]string{"--kubeconfig", c.Kubeconfig, "apply", "-f", "-"}, x.flags...)...)
					cmd.Stdin = strings.NewReader(string(manifest))
					out, err := cmd.CombinedOutput()
					var exit *exec.ExitError
					if err != nil && !errors.As(err, &exit) {
						t.Fatal(err)
					}
					fmt.Fprintf(&b, "%s\n$ kubectl apply%s\n%s", importLines(t, imported),
						strings.Join(append([]string{""}, x.flags...), " "), clientLog.ReplaceAll(out, nil))
				}
				printed[i] = b.String()
			})
		}
	})
	if t.Failed() {
		return
	}
	got := strings.NewReplacer(c.group, "examplecloud.landbridge.io", c.name, "team-a").Replace(strings.Join(printed, "\n"))
	golden := filepath.Join("testdata", "admission.txt")
	if update() {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-update writes it):\n%s", golden, diff)
	}
}

// clientLog matches lines of kubectl's log, which it writes when discovery is slow.
var clientLog = regexp.MustCompile(`(?m)^[IWEF]\d{4} .*\n`)

// importLines returns a spec.import as YAML.
func importLines(t *testing.T, imported m) string {
	t.Helper()
	if imported == nil {
		return "spec: {}"
	}
	text, err := yaml.Marshal(m{"import": imported})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}
