package behaviour_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
	"github.com/landbridge-io/landbridge/generate"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/schema"
)

var immutableField = regexp.MustCompile(`message: '?(\S+) cannot be changed: a change would`)

// TestForceNew has a generator that links a provider on the legacy SDK, whose schemas tell which
// arguments force a new object.
func TestForceNew(t *testing.T) {
	launcher := &inprocess.Launcher{Name: "examplecloud", Protocol5: func() (tfprotov5.ProviderServer, error) {
		return sdkv2.Server(t.Context(), release.Latest)
	}}
	_, server := examplecloudtest.OpenLauncher(t, launcher, examplecloudtest.Start(t))
	s, diags := server.Schema(t.Context())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	raw, err := (&schema.Record{Provider: "examplecloud", Version: "1.0.0", Schema: s}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("config", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("config", "schema.json"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	arguments := os.Args
	defer func() { os.Args = arguments }()
	os.Args = []string{"generator"}
	no := false
	generate.Program{
		Name: "examplecloud", Module: "example.org/provider-examplecloud", SDKv2: []any{sdkv2.New(release.Latest)},
		Config: config.Provider{Group: "example.org", Resources: map[string]config.Resource{
			"examplecloud_thing":     {InferImmutable: true},
			"examplecloud_datastore": {InferImmutable: true, Fields: map[string]config.Field{"name": {Immutable: &no}}},
		}},
	}.Main()

	for file, want := range map[string][]string{
		"things.yaml":     {"region"},
		"datastores.yaml": {"hciClusterUuid", "id"}, // that of clusterInfo
		"shapes.yaml":     nil,                      // its configuration does not permit to infer it
	} {
		raw, err := os.ReadFile(filepath.Join("package", "crds", "example.org_"+file))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range immutableField.FindAllSubmatch(raw, -1) {
			if name := string(m[1]); !slices.Contains(got, name) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: immutable fields (-want +got):\n%s", file, diff)
		}
	}
}
