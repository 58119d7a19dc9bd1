package install_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider/install"
)

const month = 30 * 24 * time.Hour

// age makes everything in a directory a time older.
func age(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		return os.Chtimes(path, info.ModTime().Add(-by), info.ModTime().Add(-by))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// files returns the files in a directory.
func files(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(dir, path)
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The cache keeps what is used, whatever its age, and what other programs have put into the
// directory.
func TestClean(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	dir := t.TempDir()
	byPath := write(t, filepath.Join(dir, "my-provider"), thing("by path"))
	find := func(r install.Request) install.Binary {
		t.Helper()
		b, err := w.Find(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	old := find(install.Request{Source: "acme/thing", Constraint: "1.0.0"})
	now := find(install.Request{Source: "acme/thing", Constraint: "1.1.0"})
	given := find(install.Request{Source: byPath})
	foreign := write(t, filepath.Join(w.CacheDir,
		"registry.example.com/acme/thing/1.0.0/plan9_mips/notes/terraform-provider-thing_v1.0.0"), "mine")
	beside := write(t, filepath.Join(filepath.Dir(old.Path), "notes"), "mine")
	leftOver := write(t, filepath.Join(filepath.Dir(old.Package), ".download-123"), "half")
	all := files(t, w.CacheDir)

	clean := func() []string {
		t.Helper()
		removed, err := w.Clean(month)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(removed)
		return removed
	}
	age(t, w.CacheDir, 20*24*time.Hour)
	if removed := clean(); len(removed) > 0 {
		t.Errorf("removed too early: %q", removed)
	}
	// Two of three are used again.
	if again := find(install.Request{Source: "acme/thing", Constraint: "1.1.0"}); again.Path != now.Path {
		t.Errorf("found again: %+v", again)
	}
	find(install.Request{Source: byPath})
	age(t, w.CacheDir, 20*24*time.Hour)

	want := []string{old.Path, old.Package, leftOver}
	slices.Sort(want)
	if diff := cmp.Diff(want, clean()); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	left := files(t, w.CacheDir)
	if len(left) != len(all)-len(want) {
		t.Errorf("left: %q", left)
	}
	for _, path := range []string{now.Path, now.Package, given.Path, foreign, beside} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	// What was removed is downloaded again when it is needed.
	if again := find(install.Request{Source: "acme/thing", Constraint: "1.0.0"}); again.Path != old.Path {
		t.Errorf("found again: %+v", again)
	}

	age(t, w.CacheDir, 40*24*time.Hour)
	clean()
	if left := files(t, w.CacheDir); len(left) != 2 {
		t.Errorf("of what is not used, this is left: %q", left)
	}
	if _, err := os.Stat(filepath.Dir(filepath.Dir(now.Path))); err == nil {
		t.Error("the directory of the platform is left")
	}
}

// What was used within two days is kept, whatever is configured.
func TestCleanKeepsWhatIsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	if _, err := w.Find(t.Context(), install.Request{Source: "acme/thing"}); err != nil {
		t.Fatal(err)
	}
	age(t, w.CacheDir, 47*time.Hour)
	if removed, err := w.Clean(time.Second); err != nil || len(removed) > 0 {
		t.Errorf("removed %q, %v", removed, err)
	}
	none := &install.Installer{}
	if removed, err := none.Clean(month); err != nil || len(removed) > 0 {
		t.Errorf("without a cache: %q, %v", removed, err)
	}
}
