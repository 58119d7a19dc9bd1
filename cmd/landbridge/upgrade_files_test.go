package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// A preview without a cluster is of the resources of a manifest, stored or new. What comes from a
// resource that does not exist yet is unknown, and what a state has of one is known.
func TestPreviewOfFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "random")
	second := `Pet second {references: [{to: forProvider.prefix, from: {kind: Pet, name: first, fieldPath: status.atProvider.id}}], forProvider: {length: 1}}`
	first := func(length string) string { return "Pet first {forProvider: {length: " + length + "}}" }
	of := func(args ...string) (report upgrade.Report, errOut string, code int) {
		t.Helper()
		var out, stderr bytes.Buffer
		root := newRootCommand()
		root.SetArgs(append([]string{"upgrade", "preview", "--state", d.state, "-o", "json"}, args...))
		root.SetOut(&out)
		root.SetErr(&stderr)
		if err := root.ExecuteContext(t.Context()); err != nil {
			code, _ = exitCode(err)
			stderr.WriteString(err.Error())
		}
		if out.Len() > 0 {
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				t.Fatalf("%v:\n%s", err, &out)
			}
		}
		return report, stderr.String(), code
	}
	files := []string{"-f", d.manifest, "--from", d.binary, "--to", d.binary}
	counts := func(want map[upgrade.Outcome]int) {
		t.Helper()
		report, stderr, _ := of(files...)
		got := map[upgrade.Outcome]int{}
		if !report.WithoutCluster {
			t.Error("the report is of a cluster")
		}
		for _, row := range report.Rows {
			got[row.Outcome] += row.Count
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want, +got:\n%s\n%s", diff, stderr)
		}
	}

	d.write(second, first("2"))
	counts(map[upgrade.Outcome]int{upgrade.Unchanged: 2})
	d.apply()
	counts(map[upgrade.Outcome]int{upgrade.Unchanged: 2})
	d.write(second, first("3")) // a change that waits, whatever the version
	counts(map[upgrade.Outcome]int{upgrade.AsInstalled: 1, upgrade.Unchanged: 1})
	d.write(strings.Replace(second, "name: first", "name: third", 1), first("2"))
	counts(map[upgrade.Outcome]int{upgrade.NotPreviewed: 1, upgrade.Unchanged: 1})

	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"both":           {append([]string{"random"}, files...), "random is a TerraformProvider of a cluster"},
		"neither":        {nil, "name a TerraformProvider, or a manifest with --filename"},
		"nothing to try": {files[:4], "name the new version with --to"},
		"no manifest":    {[]string{"-f", d.dir + "/nothing.yaml", "--from", d.binary, "--to", d.binary}, "nothing.yaml"},
		"no program":     {[]string{"-f", d.manifest, "--from", d.dir + "/nothing", "--to", d.binary}, "--from: "},
		"of a cluster":   {append([]string{"-n", "default"}, files...), "--filename (-f) and --namespace (-n) cannot be given together"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, stderr, code := of(test.args...); code == 0 || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, and %q is not in %q", code, test.want, stderr)
			}
		})
	}
	d.write("Pet first {forProvider: {lenght: 2}}")
	if _, stderr, code := of(files...); code != 2 ||
		!strings.Contains(stderr, "the manifest does not fit the installed version") || !strings.Contains(stderr, "lenght") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
