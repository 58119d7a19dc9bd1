package install_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// overwrite changes a file in place, as whoever may write it can, and hides that.
func overwrite(t *testing.T, path, content string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod(path, 0o755)
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// TestPrivatePrograms checks that what was checked is what runs, although mirror and cache can be
// written.
func TestPrivatePrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpacked := write(t, filepath.Join(dir, "registry.terraform.io/acme/dir/1.0.0", platform, "terraform-provider-dir_v1.0.0"), "good")
	write(t, filepath.Join(filepath.Dir(unpacked), "LICENSE"), "MPL")
	packed := pack(t, filepath.Join(dir, "registry.terraform.io/acme/zip/terraform-provider-zip_1.0.0_"+platform+".zip"), map[string]string{
		"terraform-provider-zip_v1.0.0": "good", "LICENSE": "MPL", "docs/README": "x",
	})
	path := write(t, filepath.Join(t.TempDir(), "terraform-provider-path"), "good")
	h1Dir, err := dirhash.HashDir(filepath.Dir(unpacked), "", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	h1Zip, err := dirhash.HashZip(packed, dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	zh, err := checksum.Of(packed)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		source string
		want   []string
		// attack changes the file in the mirror.
		attack func()
	}{
		"unpacked": {"acme/dir", []string{h1Dir}, func() { overwrite(t, unpacked, "evil") }},
		"packed":   {"acme/zip", []string{h1Zip, "zh:" + zh}, func() { overwrite(t, packed, strings.Repeat("x", 10)) }},
		"a path":   {path, nil, func() { overwrite(t, path, "evil") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cache := t.TempDir()
			find := func(i *install.Installer) install.Binary {
				t.Helper()
				b, err := i.Install(t.Context(), test.source, "")
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			i := &install.Installer{CacheDir: cache, Mirrors: []string{dir}, Private: true}
			b := find(i)
			if !slices.Equal(b.Checksums, test.want) {
				t.Errorf("got %q, want %q", b.Checksums, test.want)
			}
			for _, pin := range append(slices.Clone(test.want), "sha256:"+b.SHA256) {
				if !b.Matches([]string{"zh:0", pin}) {
					t.Errorf("%s does not match", pin)
				}
			}
			if b.Matches([]string{"zh:" + b.SHA256, "sha256:", "h1:"}) || b.Matches(nil) {
				t.Error("it matches what it is not")
			}
			if !strings.HasPrefix(b.Path, cache) || read(t, b.Path) != "good" {
				t.Errorf("%s is not a private copy", b.Path)
			}
			info, err := os.Stat(b.Path)
			if err != nil {
				t.Fatal(err)
			}
			if above, err := os.Stat(filepath.Dir(b.Path)); err != nil || above.Mode().Perm() != 0o700 || info.Mode().Perm() != 0o500 {
				t.Errorf("others can write it: %s, %s", info.Mode(), above.Mode())
			}

			// Neither this process nor the next one uses a copy that was changed.
			overwrite(t, b.Path, "evil")
			for _, i := range []*install.Installer{i, {CacheDir: cache, Mirrors: []string{dir}, Private: true}} {
				if again := find(i); read(t, again.Path) != "good" || again.SHA256 != b.SHA256 {
					t.Errorf("%s is %q", again.Path, read(t, again.Path))
				}
				overwrite(t, b.Path, "evil")
			}
			b = find(i)
			waittest.Eventually(t, "the program is so old that its checksum is remembered", func(context.Context) bool {
				info, err := os.Stat(b.Path)
				return err == nil && time.Since(info.ModTime()) > 150*time.Millisecond
			})
			b = find(i)

			// A change in the mirror does not change what was installed, and has another checksum.
			test.attack()
			if read(t, b.Path) != "good" {
				t.Error("the installed program has changed")
			}
			if now, err := i.Install(t.Context(), test.source, ""); err == nil && (now.SHA256 == b.SHA256 || now.Path == b.Path) {
				t.Errorf("the change is not noticed: %+v", now)
			}
		})
	}
}
