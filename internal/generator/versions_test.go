package generator_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/generate/generatetest"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// repository is a directory of generated kinds, a volume with some attributes and a disk.
type repository struct{ dir string }

func (r repository) generate(t *testing.T, volume map[string]cty.Type, c config.Provider) (*generator.Changes, error) {
	t.Helper()
	attributes := map[string]*schema.Attribute{"name": {Type: cty.String, Required: true}}
	for name, typ := range volume {
		attributes[name] = &schema.Attribute{Type: typ, Optional: true}
	}
	p := provide(t, "cloud", &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_volume": {Type: "cloud_volume", Block: &schema.Block{Attributes: attributes}},
		"cloud_disk": {
			Type: "cloud_disk", Block: &schema.Block{
				Attributes: map[string]*schema.Attribute{"size": {Type: cty.Number, Optional: true}},
			},
		},
	}}, c)
	out, err := generator.Provider(p, generator.Options{Module: "example.org/provider-cloud", Dir: r.dir, Examples: true})
	if err != nil {
		return nil, err
	}
	changes, err := generator.Compare(r.dir, out.Files)
	if err != nil {
		return nil, err
	}
	if err := generator.Refuse(changes, "say please"); err != nil {
		return nil, err
	}
	return generator.Write(r.dir, out.Files)
}

func (r repository) must(t *testing.T, volume map[string]cty.Type, c config.Provider) *generator.Changes {
	t.Helper()
	changes, err := r.generate(t, volume, c)
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func (r repository) read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (r repository) crd(t *testing.T, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(r.read(t, "package/crds/"+name)), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// served returns the versions of a definition, the stored one marked.
func served(d *apiextensionsv1.CustomResourceDefinition) []string {
	var out []string
	for _, v := range d.Spec.Versions {
		name := v.Name
		if v.Storage {
			name += "*"
		}
		if v.Served {
			out = append(out, name)
		}
	}
	return out
}

func volume(r config.Resource) config.Provider {
	return config.Provider{Resources: map[string]config.Resource{"cloud_volume": r}}
}

const volumes = "cloud.landbridge.io_volumes.yaml"

// A kind that is given another version keeps those that it had, until they are dropped; the others
// stay what they are.
func TestVersions(t *testing.T) {
	t.Parallel()
	r := repository{t.TempDir()}
	first := map[string]cty.Type{"size": cty.Number, "public": cty.Bool, "note": cty.String}
	r.must(t, first, config.Provider{})
	before := r.read(t, "apis/cloud/v1alpha1/zz_volume_types.go")

	second := map[string]cty.Type{"size": cty.Number, "public": cty.String}
	if _, err := r.generate(t, second, config.Provider{}); err == nil ||
		!strings.Contains(err.Error(), "version gives a kind another API version") {
		t.Fatalf("without another version: %v", err)
	}
	changes := r.must(t, second, volume(config.Resource{Version: "v1alpha2"}))
	want := []string{
		"apis/cloud/v1alpha1/zz_volume_types.go", "apis/cloud/v1alpha2/zz_groupversion_info.go", "apis/cloud/v1alpha2/zz_volume_types.go",
		"apis/zz_conversion_test.go", "apis/zz_register.go", "docs/kinds/README.md", "docs/kinds/cloud/volume.md",
		"examples/cloud/volume.yaml", "examples/cloud/volume_v1alpha1.yaml", "package/crds/" + volumes,
	}
	if diff := cmp.Diff(want, changes.Written); diff != "" || len(changes.Removed) > 0 {
		t.Errorf("-want, +got:\n%s\nremoved: %v", diff, changes.Removed)
	}
	// Of the Go types there was nothing is another, but that another version is stored.
	stored := strings.NewReplacer("\t// +kubebuilder:storageversion\n", "",
		"\t// +kubebuilder:selectablefield:JSONPath=\".status.state\"\n", "",
		"\t// +kubebuilder:selectablefield:JSONPath=\".status.externalName\"\n", "")
	if diff := cmp.Diff(stored.Replace(before), r.read(t, "apis/cloud/v1alpha1/zz_volume_types.go")); diff != "" {
		t.Errorf("-before, +after:\n%s", diff)
	}
	for file, has := range map[string]string{
		"apis/cloud/v1alpha1/zz_groupversion_info.go": "&Volume{}, &VolumeList{},",
		"apis/zz_register.go":                         "cloudv1alpha1.AddToScheme,\n\tcloudv1alpha2.AddToScheme,",
		"docs/kinds/cloud/volume.md":                  "Objects can be written and read as `v1alpha1` as well",
		"examples/cloud/volume_v1alpha1.yaml":         "apiVersion: cloud.landbridge.io/v1alpha1\nkind: Volume",
		"examples/cloud/volume.yaml":                  "apiVersion: cloud.landbridge.io/v1alpha2\nkind: Volume",
	} {
		if !strings.Contains(r.read(t, file), has) {
			t.Errorf("%s does not have %q:\n%s", file, has, r.read(t, file))
		}
	}
	d := r.crd(t, volumes)
	if diff := cmp.Diff([]string{"v1alpha2*", "v1alpha1"}, served(d)); diff != "" {
		t.Error(diff)
	}
	if w := d.Spec.Conversion; w.Strategy != apiextensionsv1.WebhookConverter ||
		w.Webhook.ClientConfig.Service.Name != "provider-cloud" || *w.Webhook.ClientConfig.Service.Port != 9443 {
		t.Errorf("the webhook: %v", w)
	}
	if diff := cmp.Diff([]string{"v1alpha1*"}, served(r.crd(t, "cloud.landbridge.io_disks.yaml"))); diff != "" {
		t.Error(diff)
	}
	if changes := r.must(t, second, volume(config.Resource{Version: "v1alpha2"})); len(changes.Written)+len(changes.Removed) > 0 {
		t.Errorf("generated again: %v, %v", changes.Written, changes.Removed)
	}
	// What is added in the new version does not reach the old one.
	second["zone"] = cty.String
	r.must(t, second, volume(config.Resource{Version: "v1alpha2"}))
	delete(second, "public")
	if _, err := r.generate(t, second, volume(config.Resource{Version: "v1alpha2"})); err == nil ||
		!strings.Contains(err.Error(), "spec.forProvider.public: field removed") {
		t.Errorf("a change of the new version: %v", err)
	}

	// A third one, for all kinds, in which a field is called otherwise.
	third := config.Provider{
		Version: "v1beta1", Resources: map[string]config.Resource{
			"cloud_volume": {Fields: map[string]config.Field{"size": {Name: "gigabytes"}}},
		},
	}
	r.must(t, second, third)
	d = r.crd(t, volumes)
	if diff := cmp.Diff([]string{"v1beta1*", "v1alpha2", "v1alpha1"}, served(d)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{
		"cloud.landbridge.io_disks.yaml", "cloud.landbridge.io_providerconfigs.yaml",
		"cloud.landbridge.io_clusterproviderconfigs.yaml",
	} {
		if diff := cmp.Diff([]string{"v1beta1*", "v1alpha1"}, served(r.crd(t, name))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	generatetest.Conversions(t, filepath.Join(r.dir, "package/crds"))
	generatetest.Examples(t, filepath.Join(r.dir, "package/crds"), filepath.Join(r.dir, "examples"))
	c, err := evolution.NewConverter(d)
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{
		"apiVersion": "cloud.landbridge.io/v1alpha1", "kind": "Volume", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"forProvider": map[string]any{"name": "x", "size": int64(1), "public": true, "note": "n"}},
	}
	shown, err := c.Convert(object, "v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"name": "x", "gigabytes": int64(1)}, shown["spec"].(map[string]any)["forProvider"]); diff != "" {
		t.Error(diff)
	}

	// Versions are dropped, but not the one that objects are stored in.
	dropped := third
	dropped.DroppedVersions = []string{"v1alpha1"}
	r.must(t, second, dropped)
	if diff := cmp.Diff([]string{"v1beta1*", "v1alpha2"}, served(r.crd(t, volumes))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"v1beta1*"}, served(r.crd(t, "cloud.landbridge.io_disks.yaml"))); diff != "" ||
		r.crd(t, "cloud.landbridge.io_disks.yaml").Spec.Conversion != nil {
		t.Error(diff)
	}
	if left, err := filepath.Glob(filepath.Join(r.dir, "apis/cloud/v1alpha1/*")); err != nil || len(left) > 0 {
		t.Errorf("left of the version that was dropped: %v, %v", left, err)
	}
	fourth := config.Provider{Version: "v1", DroppedVersions: []string{"v1alpha1", "v1beta1"}, Resources: third.Resources}
	if _, err := r.generate(t, second, fourth); err == nil ||
		!strings.Contains(err.Error(), "droppedVersions: objects of the version v1beta1 of the kind ProviderConfig "+
			"may be stored: publish the kind with both versions first") {
		t.Errorf("the stored version dropped: %v", err)
	}
	// The Go types of a version are nowhere else.
	if err := os.Remove(filepath.Join(r.dir, "apis/cloud/v1alpha2/zz_volume_types.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.generate(t, second, dropped); err == nil ||
		!strings.Contains(err.Error(), "apis/cloud/v1alpha2/zz_volume_types.go is missing") {
		t.Errorf("without the Go types: %v", err)
	}
}

// A mistake in versions says where it is.
func TestVersionMistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config config.Provider
		want   string
	}{
		"no version": {config.Provider{Version: "1"}, `version: "1" is not an API version, such as v1alpha2, v1beta1 or v1`},
		"no version of a kind": {
			volume(config.Resource{Version: "v2gamma1"}),
			`resources.cloud_volume.version: "v2gamma1" is not an API version`,
		},
		"the one dropped": {
			config.Provider{DroppedVersions: []string{"v1alpha1"}},
			"droppedVersions[0]: v1alpha1 is the version that objects are stored in",
		},
		"the one of a kind": {
			volume(config.Resource{Version: "v1", DroppedVersions: []string{"v1alpha1", "v1"}}),
			"resources.cloud_volume.droppedVersions[1]: v1 is the version",
		},
		"nothing to be dropped": {
			volume(config.Resource{DroppedVersions: []string{"x"}}),
			`resources.cloud_volume.droppedVersions[0]: "x" is not an API version`,
		},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		t.Run(name, func(t *testing.T) {
			_, err := model.NewProvider("cloud", &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
				"cloud_volume": {Type: "cloud_volume", Block: &schema.Block{}},
			}}, tests[name].config)
			if err == nil || !strings.Contains(err.Error(), tests[name].want) {
				t.Errorf("got %v, want %s", err, tests[name].want)
			}
		})
	}
}
