package cluster_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// Providers are found where the controller finds them, unless the user names sources.
func TestRecordedSources(t *testing.T) {
	t.Parallel()
	server := playgroundtest.New(t, playgroundtest.Options{})
	mirror := t.TempDir()
	program := filepath.Join(mirror, "registry.terraform.io", "landbridge-io", "examplecloud", "3.0.0",
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-examplecloud")
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examplecloudtest.Provider(t, examplecloudtest.Framework6), program); err != nil {
		t.Fatal(err)
	}
	folder := func(path string) v1alpha1.ProviderSource {
		return v1alpha1.ProviderSource{Type: registry.FilesystemMirror, Path: path, Hosts: []string{"registry.terraform.io"}}
	}
	missing := filepath.Join(mirror, "missing")
	const way = "Name a directory that has its program with --provider-mirror, or a registry with --provider-registry"
	for name, test := range map[string]struct {
		sources []v1alpha1.ProviderSource
		named   bool   // the user names the mirror
		want    string // in the error; empty: none
	}{
		"a mirror":          {sources: []v1alpha1.ProviderSource{folder(mirror)}},
		"the second mirror": {sources: []v1alpha1.ProviderSource{folder(missing), folder(mirror)}},
		"a mirror of another host": {
			sources: []v1alpha1.ProviderSource{folder(missing)},
			want: "the controller has the provider in the directory " + missing +
				", which does not exist on this machine. " + way,
		},
		"named by the user":         {sources: []v1alpha1.ProviderSource{folder(missing)}, named: true},
		"named, nothing recorded":   {named: true},
		"nothing is recorded":       {want: "no provider mirror is configured"},
		"a source that is not read": {sources: []v1alpha1.ProviderSource{{Type: "Future"}}, want: "use a program of the controller's version"},
	} {
		t.Run(name, func(t *testing.T) {
			x := &cluster.Reader{Client: connect(t, server), Installer: &install.Installer{CacheDir: t.TempDir()}}
			if test.named {
				x.Installer.Mirrors = []string{mirror}
			} else {
				x.Recorded = &cluster.Recorded{CacheDir: t.TempDir(), Credentials: &registry.Client{Registry: registry.Default}}
			}
			p := &v1alpha1.TerraformProvider{
				ObjectMeta: metav1.ObjectMeta{Name: "cloud"},
				Spec:       v1alpha1.TerraformProviderSpec{Source: "landbridge-io/examplecloud", Version: "3.0.0"},
				Status:     v1alpha1.TerraformProviderStatus{Sources: test.sources},
			}
			opened, err := x.Open(t.Context(), p)
			switch {
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v does not say %q", err, test.want)
			case test.want == "" && (err != nil || opened.Model.Name != "examplecloud"):
				t.Errorf("%+v, %v", opened, err)
			}
		})
	}
}

// The groups of a provider's kinds are known before it is started.
func TestGroups(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec      v1alpha1.TerraformProviderSpec
		installed string
		want      []string
	}{
		"the default": {spec: v1alpha1.TerraformProviderSpec{Source: "hashicorp/google-beta"}, want: []string{"google-beta.landbridge.io"}},
		"of a program": {
			spec: v1alpha1.TerraformProviderSpec{Source: "/opt/terraform-provider-cloud_v1.2.3"},
			want: []string{"cloud.landbridge.io"},
		},
		"of another name": {spec: v1alpha1.TerraformProviderSpec{Source: "/opt/cloud"}},
		"configured": {
			spec: v1alpha1.TerraformProviderSpec{Source: "/opt/cloud", Group: "cloud.example.org"},
			want: []string{"cloud.example.org"},
		},
		"of a resource": {
			spec: v1alpha1.TerraformProviderSpec{
				Source: "acme/cloud", Resources: map[string]config.Resource{"cloud_net": {Group: "net.example.org"}},
			}, want: []string{"cloud.landbridge.io", "net.example.org"},
		},
		"of an override": {
			spec: v1alpha1.TerraformProviderSpec{
				Source: "acme/cloud", Overrides: []config.Override{{
					Resource: config.Resource{Group: "net.example.org"},
				}},
			}, want: []string{"cloud.landbridge.io", "net.example.org"},
		},
		"until it is empty": {
			spec:      v1alpha1.TerraformProviderSpec{Source: "acme/cloud", Group: "new.example.org"},
			installed: `{"group":"old.example.org"}`, want: []string{"new.example.org", "old.example.org"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &v1alpha1.TerraformProvider{Spec: test.spec}
			if test.installed != "" {
				p.Status.Installed = &v1alpha1.InstalledProvider{Configuration: &kruntime.RawExtension{Raw: []byte(test.installed)}}
			}
			if diff := cmp.Diff(test.want, cluster.Groups(p)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
