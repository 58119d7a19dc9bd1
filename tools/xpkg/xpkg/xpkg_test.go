package xpkg_test

import (
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/landbridge-io/landbridge/tools/xpkg/image"
	"github.com/landbridge-io/landbridge/tools/xpkg/xpkg"
)

const provider = `apiVersion: meta.pkg.crossplane.io/v1
kind: Provider
metadata:
  name: provider-random
spec:
  crossplane:
    version: ">=v2.0.0-0"
  capabilities:
    - safe-start
`

func crd(plural string) string {
	return strings.ReplaceAll(`---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: PLURAL.random.example.org
spec:
  group: random.example.org
  names: {kind: Pet, plural: PLURAL}
  scope: Namespaced
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object}}
`, "PLURAL", plural)
}

// valid are the files of a valid package.
func valid() map[string]string {
	return map[string]string{
		"crossplane.yaml": provider, "crds/pets.yaml": crd("pets"), "crds/strings.yaml": crd("strings"),
		"crds/notes.txt": "no manifest",
	}
}

// directory writes files to a new directory.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for file, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// program returns an image with a file as its program.
func program(t *testing.T, arch, file string) v1.Image {
	t.Helper()
	zones, err := image.TimeZones(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := image.Image(image.Options{
		Version: "v0.1.0", Created: time.Unix(0, 0), TimeZones: zones, Entrypoint: "provider-random", User: 2000,
		Platforms: []image.Platform{{OS: "linux", Architecture: arch, Programs: map[string]string{"provider-random": file}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t *testing.T) string {
	t.Helper()
	return filepath.Join(directory(t, map[string]string{"program": "a program"}), "program")
}

// built returns a package that was written to a file and read again.
func built(t *testing.T, arch string) (v1.Image, *xpkg.Summary, []byte) {
	t.Helper()
	image, _, err := xpkg.Build(directory(t, valid()), program(t, arch, text(t)))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "package.xpkg")
	if err := xpkg.Write(image, file); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	read, summary, err := xpkg.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return read, summary, content
}

// base returns the package's objects as Crossplane looks for them: in the layer with the
// annotation.
func base(t *testing.T, image v1.Image) string {
	t.Helper()
	manifest, err := image.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range manifest.Layers {
		if l.Annotations["io.crossplane.xpkg"] == "base" {
			layer, err := image.LayerByDigest(l.Digest)
			if err != nil {
				t.Fatal(err)
			}
			in, err := layer.Uncompressed()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			content, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			return string(content)
		}
	}
	t.Fatal("no layer is annotated")
	return ""
}

// A package survives its file: objects, annotations, and the image.
func TestPackage(t *testing.T) {
	t.Parallel()
	read, summary, content := built(t, "arm64")
	want := &xpkg.Summary{
		Name: "provider-random", CRDs: []string{"pets.random.example.org", "strings.random.example.org"},
		Platform: "linux/arm64",
	}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := base(t, read); !strings.Contains(got, "package.yaml") || !strings.Contains(got, provider) ||
		strings.Contains(got, "no manifest") {
		t.Errorf("the layer has:\n%s", got)
	}
	config, err := read.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "2000:2000" || config.Config.Entrypoint[0] != "/usr/local/bin/provider-random" {
		t.Errorf("the configuration is %+v", config.Config)
	}
	if _, _, again := built(t, "arm64"); !bytes.Equal(content, again) {
		t.Error("two builds from the same files differ")
	}
}

// Registries get packages with annotations, those for several platforms as an index.
func TestPush(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	amd64, _, _ := built(t, "amd64")
	arm64, _, _ := built(t, "arm64")
	for tag, images := range map[string][]v1.Image{"one": {arm64}, "both": {amd64, arm64}} {
		ref := host + "/acme/provider-random:" + tag
		if err := xpkg.Push(ref, images...); err != nil {
			t.Fatal(err)
		}
		parsed, err := name.ParseReference(ref)
		if err != nil {
			t.Fatal(err)
		}
		pulled, err := remote.Image(parsed, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: "arm64"}))
		if err != nil {
			t.Fatal(err)
		}
		if base(t, pulled) == "" {
			t.Errorf("%s: the package is empty", tag)
		}
		if summary, err := xpkg.Check(pulled); err != nil || summary.Platform != "linux/arm64" {
			t.Errorf("%s: %+v, %v", tag, summary, err)
		}
	}
	for what, x := range map[string]struct {
		tag    string
		images []v1.Image
		want   string
	}{
		"the same platform twice": {host + "/acme/provider-random:twice", []v1.Image{amd64, amd64}, "there are two packages for linux/amd64"},
		"no registry":             {"provider-random:v1", []v1.Image{amd64}, "give it as registry.example/NAME:TAG"},
	} {
		if err := xpkg.Push(x.tag, x.images...); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %q", what, err, x.want)
		}
	}
}

// What Crossplane's package manager would refuse is refused when a package is built.
func TestRefused(t *testing.T) {
	t.Parallel()
	for what, x := range map[string]struct {
		file, content string
		want          string
	}{
		"no metadata":    {"crossplane.yaml", "", "there are 0 objects with the package's metadata"},
		"metadata twice": {"crds/again.yaml", provider, "there are 2 objects with the package's metadata"},
		"not a provider": {
			"crossplane.yaml", strings.ReplaceAll(provider, "kind: Provider", "kind: Configuration"),
			"the metadata is a Configuration",
		},
		"no name": {
			"crossplane.yaml", strings.ReplaceAll(provider, "name: provider-random", "labels: {}"),
			"metadata.name is missing",
		},
		"a wrong constraint":   {"crossplane.yaml", strings.ReplaceAll(provider, ">=v2.0.0-0", "two"), `spec.crossplane.version "two"`},
		"an object of another": {"crds/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "ConfigMap"},
		"a CRD twice":          {"crds/again.yaml", crd("pets"), "the CRD pets.random.example.org is there twice"},
		"not YAML":             {"crds/broken.yaml", "a: b: c\n", "package.yaml"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			files := valid()
			files[x.file] = x.content
			_, _, err := xpkg.Build(directory(t, files), program(t, "amd64", text(t)))
			if err == nil || !strings.Contains(err.Error(), x.want) {
				t.Errorf("error %v, want %q", err, x.want)
			}
		})
	}
	t.Run("no CRDs", func(t *testing.T) {
		t.Parallel()
		if _, _, err := xpkg.Build(directory(t, map[string]string{"crossplane.yaml": provider}),
			program(t, "amd64", text(t))); err == nil || !strings.Contains(err.Error(), "there are no CRDs") {
			t.Errorf("error %v", err)
		}
	})
}

// Images that are no packages, and those that Crossplane cannot run.
func TestCheck(t *testing.T) {
	t.Parallel()
	good, _, _ := built(t, "amd64")
	changed := func(change func(*v1.ConfigFile)) v1.Image {
		config, err := good.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		config = config.DeepCopy()
		change(config)
		out, err := mutate.ConfigFile(good, config)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for what, x := range map[string]struct {
		image v1.Image
		want  string
	}{
		"no package":     {program(t, "amd64", text(t)), "0 layers have the annotation io.crossplane.xpkg: base"},
		"another system": {changed(func(c *v1.ConfigFile) { c.OS = "windows" }), "the image is for windows"},
		"no entrypoint":  {changed(func(c *v1.ConfigFile) { c.Config.Entrypoint = nil }), "the image has no entrypoint"},
	} {
		if _, err := xpkg.Check(x.image); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %q", what, err, x.want)
		}
	}
	file := filepath.Join(directory(t, map[string]string{"x.xpkg": "no archive"}), "x.xpkg")
	if _, _, err := xpkg.Read(file); err == nil {
		t.Error("a file that is no archive is read")
	}
}
