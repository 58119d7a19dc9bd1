package behaviour_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
	"github.com/landbridge-io/landbridge/generate"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/schema"
)

var immutableField = regexp.MustCompile(`message: '?(\S+) cannot be changed: a change would`)

// A generator that links a provider on the legacy SDK learns from its schemas which arguments force
// a new object: of a server of the SDK, of a mux, and of one that was lifted to protocol 6.
func TestForceNew(t *testing.T) {
	muxed := func() (tfprotov5.ProviderServer, error) { return sdkv2.Server(t.Context(), release.Latest) }
	launcher := &inprocess.Launcher{Name: "examplecloud", Protocol5: muxed}
	_, server := examplecloudtest.OpenLauncher(t, launcher, examplecloudtest.Start(t))
	s, diags := server.Schema(t.Context())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	raw, err := (&schema.Record{Provider: "examplecloud", Version: "1.0.0", Schema: s}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, linked := range map[string]generate.Program{
		"plain": {Protocol5: func() (tfprotov5.ProviderServer, error) { return sdkv2.PlainServer(release.Latest), nil }},
		"muxed": {Protocol5: muxed},
		"lifted": {Protocol6: func() (tfprotov6.ProviderServer, error) {
			return tf5to6server.UpgradeServer(t.Context(), func() tfprotov5.ProviderServer { return sdkv2.PlainServer(release.Latest) })
		}},
	} {
		t.Run(name, func(t *testing.T) { forcesNew(t, linked, raw) })
	}
}

// forcesNew generates kinds with a linked provider.
func forcesNew(t *testing.T, linked generate.Program, record []byte) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("config", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("config", "schema.json"), record, 0o644); err != nil {
		t.Fatal(err)
	}
	arguments := os.Args
	defer func() { os.Args = arguments }()
	os.Args = []string{"generator"}
	no := false
	linked.Name, linked.Module = "examplecloud", "example.org/provider-examplecloud"
	linked.Config = config.Provider{Group: "example.org", Resources: map[string]config.Resource{
		"examplecloud_thing":     {InferImmutable: true},
		"examplecloud_datastore": {InferImmutable: true, Fields: map[string]config.Field{"name": {Immutable: &no}}},
	}}
	linked.Main()

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
