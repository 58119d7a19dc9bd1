package image_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/landbridge-io/landbridge/tools/xpkg/image"
)

// options returns the options of an image with a text as its program.
func options(t *testing.T, content string) image.Options {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	zones, err := image.TimeZones(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"landbridge": program, "tofu": program}
	return image.Options{
		Version: "v0.5.0", Revision: "0123abc", Created: time.Unix(1e9, 0), Title: "Landbridge",
		TimeZones: zones,
		Platforms: []image.Platform{
			{OS: "linux", Architecture: "amd64", Programs: programs}, {OS: "linux", Architecture: "arm64", Programs: programs},
		},
	}
}

func index(t *testing.T, o image.Options) v1.ImageIndex {
	t.Helper()
	index, err := image.Index(o)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// write returns the checksum of everything that Write writes.
func write(t *testing.T, o image.Options) (dir, archive string, sum [32]byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "layout")
	archive = dir + ".tar"
	if err := image.Write(index(t, o), "registry.example/landbridge:v0.5.0", dir, archive); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	return dir, archive, sha256.Sum256(content)
}

func TestSameInputSameBits(t *testing.T) {
	t.Parallel()
	_, _, first := write(t, options(t, "program"))
	_, _, again := write(t, options(t, "program"))
	if first != again {
		t.Error("two builds from the same program differ")
	}
	if _, _, other := write(t, options(t, "another program")); other == first {
		t.Error("builds from two programs are the same")
	}
	smaller := options(t, "program")
	smaller.Zstd = true
	_, _, first = write(t, smaller)
	if _, _, again := write(t, smaller); again != first {
		t.Error("two builds compressed by zstd differ")
	}
}

func TestArchiveIsTheLayout(t *testing.T) {
	t.Parallel()
	dir, archive, _ := write(t, options(t, "program"))
	in, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	inArchive, inDir := map[string]string{}, map[string]string{}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		inArchive[h.Name] = string(content)
	}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		inDir[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if inDir["index.json"] == "" || inDir["oci-layout"] == "" {
		t.Error("the layout is not complete")
	}
	if diff := cmp.Diff(inDir, inArchive); diff != "" {
		t.Errorf("the archive differs from the layout (-layout +archive):\n%s", diff)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	for name, zstd := range map[string]bool{"gzip": false, "zstd": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "program")
			o.Zstd = zstd
			checkContent(t, o)
		})
	}
}

func checkContent(t *testing.T, o image.Options) {
	t.Helper()
	dir, _, _ := write(t, o)
	path, err := layout.FromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := path.ImageIndex()
	if err != nil {
		t.Fatal(err)
	}
	top, err := outer.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	inner, err := outer.ImageIndex(top.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := inner.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var platforms []string
	for _, m := range manifest.Manifests {
		platforms = append(platforms, m.Platform.String())
	}
	if diff := cmp.Diff([]string{"linux/amd64", "linux/arm64"}, platforms); diff != "" {
		t.Errorf("platforms (-want +got):\n%s", diff)
	}
	one, err := inner.Image(manifest.Manifests[1].Digest)
	if err != nil {
		t.Fatal(err)
	}
	config, err := one.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Architecture != "arm64" || config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/usr/local/bin/landbridge" {
		t.Errorf("the configuration is %+v", config)
	}
	files := contents(t, one)
	for name, want := range map[string]tar.Header{
		"usr/local/bin/landbridge":         {Mode: 0o755},
		"usr/local/bin/tofu":               {Mode: 0o755},
		"tmp/":                             {Mode: 0o1777},
		"var/cache/landbridge/":            {Mode: 0o700, Uid: image.User, Gid: image.User},
		"usr/share/zoneinfo/Europe/Berlin": {Mode: 0o644},
	} {
		got, ok := files[name]
		if !ok || got.header.Mode != want.Mode || got.header.Uid != want.Uid || got.header.Gid != want.Gid {
			t.Errorf("%s: exists %t, has %+v", name, ok, got.header)
		}
	}
	if got := string(files["usr/local/bin/landbridge"].content); got != "program" {
		t.Errorf("the program is %q", got)
	}
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"].content) {
		t.Error("there are no certificates")
	}
	if n := bytes.Count(files["etc/ssl/certs/ca-certificates.crt"].content, []byte("BEGIN CERTIFICATE")); n < 100 {
		t.Errorf("there are only %d certificates", n)
	}
	location, err := time.LoadLocationFromTZData("Europe/Berlin", files["usr/share/zoneinfo/Europe/Berlin"].content)
	if err != nil {
		t.Fatal(err)
	}
	if _, offset := time.Date(2026, 7, 1, 0, 0, 0, 0, location).Zone(); offset != 7200 {
		t.Errorf("Berlin has the offset %d in summer", offset)
	}
}

type entry struct {
	header  tar.Header
	content []byte
}

// contents returns all files and directories of an image.
func contents(t *testing.T, one v1.Image) map[string]entry {
	t.Helper()
	files := map[string]entry{}
	in := mutate.Extract(one)
	defer in.Close()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := h.Name
		if h.Typeflag == tar.TypeDir && !strings.HasSuffix(name, "/") {
			name += "/"
		}
		files[name] = entry{*h, content}
	}
}
