package install_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider/install"
)

const platform = runtime.GOOS + "_" + runtime.GOARCH

// write writes an executable file, and creates the directories above it.
func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// pack writes a package with files.
func pack(t testing.TB, path string, files map[string]string) string {
	t.Helper()
	var b strings.Builder
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, path, b.String())
}

// mirror returns a mirror with several providers.
func mirror(t testing.TB) string {
	dir := t.TempDir()
	random := filepath.Join(dir, "registry.terraform.io/hashicorp/random")
	for _, v := range []string{"3.7.2", "3.10.0", "3.9.1", "2.3.0"} {
		write(t, filepath.Join(random, v, platform, "terraform-provider-random_v"+v+"_x5"), "random "+v)
	}
	write(t, filepath.Join(random, "4.0.0-beta1", platform, "terraform-provider-random_v4.0.0-beta1"), "random 4.0.0-beta1")
	write(t, filepath.Join(random, "9.0.0", "plan9_mips", "terraform-provider-random_v9.0.0"), "another machine")
	write(t, filepath.Join(random, "README.md"), "not a version")
	write(t, filepath.Join(random, "5.0.0"), "a file where a directory should be")
	pack(t, filepath.Join(random, "terraform-provider-random_3.8.0_"+platform+".zip"), map[string]string{
		"LICENSE.txt": "MPL", "terraform-provider-random_v3.8.0_x5": "random 3.8.0, packed",
	})
	pack(t, filepath.Join(random, "terraform-provider-random_8.0.0_plan9_mips.zip"), map[string]string{"terraform-provider-random": "x"})
	write(t, filepath.Join(dir, "registry.opentofu.org/acme/cloud/1.2.3", platform, "terraform-provider-cloud"), "cloud")
	write(t, filepath.Join(dir, "registry.terraform.io/acme/elsewhere/1.0.0/plan9_mips/terraform-provider-elsewhere"), "x")
	write(t, filepath.Join(dir, "registry.terraform.io/acme/empty/1.0.0", platform, "README"), "x")
	write(t, filepath.Join(dir, "registry.terraform.io/acme/bad/terraform-provider-bad_1.0.0_"+platform+".zip"), "this is no zip")
	pack(t, filepath.Join(dir, "registry.terraform.io/acme/slip/terraform-provider-slip_1.0.0_"+platform+".zip"), map[string]string{
		"../terraform-provider-slip": "evil", "terraform-provider-slip_/../../../evil": "evil",
	})
	return dir
}

func TestInstall(t *testing.T) {
	dir := mirror(t)
	plain := write(t, filepath.Join(t.TempDir(), "terraform-provider-thing_v1.2.3"), "thing")
	odd := write(t, filepath.Join(t.TempDir(), "my-provider"), "odd")
	for name, c := range map[string]struct {
		source, constraint string
		want               install.Binary // without Path and SHA256
		content            string
	}{
		"newest": {
			"hashicorp/random", "",
			install.Binary{Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.10.0"},
			"random 3.10.0",
		},
		"type only": {
			"random", "", install.Binary{
				Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.10.0",
			}, "random 3.10.0",
		},
		"full address": {
			"registry.terraform.io/hashicorp/random", "< 3",
			install.Binary{
				Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "2.3.0",
			}, "random 2.3.0",
		},
		"upper case": {
			"HashiCorp/Random", "",
			install.Binary{Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.10.0"},
			"random 3.10.0",
		},
		"exact": {
			"hashicorp/random", "3.7.2",
			install.Binary{
				Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.7.2",
			}, "random 3.7.2",
		},
		"~> 3.7": {
			"hashicorp/random", "~> 3.7",
			install.Binary{Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.10.0"},
			"random 3.10.0",
		},
		"~> 3.7.0": {
			"hashicorp/random", "~> 3.7.0",
			install.Binary{
				Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.7.2",
			}, "random 3.7.2",
		},
		"several": {
			"hashicorp/random", ">= 3.8.0, < 3.10, != 3.9.1",
			install.Binary{
				Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "3.8.0",
				Package: filepath.Join(dir, "registry.terraform.io/hashicorp/random",
					"terraform-provider-random_3.8.0_"+platform+".zip"),
			}, "random 3.8.0, packed",
		},
		"before release": {
			"hashicorp/random", "4.0.0-beta1",
			install.Binary{Source: "registry.terraform.io/hashicorp/random", Type: "random", Version: "4.0.0-beta1"},
			"random 4.0.0-beta1",
		},
		"other registry": {
			"acme/cloud", "~> 1.0",
			install.Binary{Source: "registry.terraform.io/acme/cloud", Type: "cloud", Version: "1.2.3"}, "cloud",
		},
		"path":          {plain, "", install.Binary{Source: plain, Type: "thing", Version: "1.2.3"}, "thing"},
		"path, version": {plain, "~> 1.2", install.Binary{Source: plain, Type: "thing", Version: "1.2.3"}, "thing"},
		"odd path":      {odd, "", install.Binary{Source: odd}, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			i := &install.Installer{CacheDir: t.TempDir(), Mirrors: []string{dir}, Hosts: []string{"registry.opentofu.org"}}
			for range 2 {
				b, err := i.Install(t.Context(), c.source, c.constraint)
				if err != nil {
					t.Fatal(err)
				}
				content, err := os.ReadFile(b.Path)
				if err != nil || string(content) != c.content {
					t.Errorf("%s holds %q %v, want %q", b.Path, content, err, c.content)
				}
				sum := sha256.Sum256([]byte(c.content))
				c.want.SHA256, c.want.Path = hex.EncodeToString(sum[:]), b.Path
				if diff := cmp.Diff(c.want, b); diff != "" {
					t.Error(diff)
				}
				if !filepath.IsAbs(b.Path) || b.Name() != c.want.Type {
					t.Errorf("path %s, name %s", b.Path, b.Name())
				}
			}
		})
	}
}

func TestInstallErrors(t *testing.T) {
	dir := mirror(t)
	file := write(t, filepath.Join(t.TempDir(), "provider"), "x")
	notExecutable := filepath.Join(t.TempDir(), "terraform-provider-x")
	if err := os.WriteFile(notExecutable, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		source, constraint string
		reason             install.Reason
		says               []string
	}{
		"empty":         {"", "", install.InvalidSource, nil},
		"nonsense":      {"a/b/c/d", "", install.InvalidSource, []string{"a/b/c/d"}},
		"climbing":      {"hashicorp/..", "", install.InvalidSource, nil},
		"prefix":        {"hashicorp/terraform-provider-random", "", install.InvalidSource, []string{"hashicorp/random"}},
		"no constraint": {"hashicorp/random", "newest", install.InvalidConstraint, []string{"newest", "~> 3.7"}},
		"URL":           {"https://example.com/x", "", install.Unsupported, nil},
		"no such provider": {
			"acme/nothing", "", install.NotFound,
			[]string{"registry.terraform.io/acme/nothing", "registry.opentofu.org/acme/nothing"},
		},
		"no such version": {
			"hashicorp/random", "~> 7.0", install.NoMatchingVersion, []string{
				"~> 7.0", "4.0.0-beta1, 3.10.0, 3.9.1, 3.8.0, 3.7.2, 2.3.0",
			},
		},
		"only beta":      {"hashicorp/random", ">= 4.0", install.NoMatchingVersion, []string{"4.0.0-beta1"}},
		"other machine":  {"acme/elsewhere", "", install.NotFound, []string{platform, "plan9_mips"}},
		"no program":     {"acme/empty", "", install.InvalidPackage, []string{"terraform-provider-empty"}},
		"no zip":         {"acme/bad", "", install.InvalidPackage, []string{"terraform-provider-bad_1.0.0"}},
		"slip":           {"acme/slip", "", install.InvalidPackage, []string{"no terraform-provider-slip"}},
		"built in":       {"terraform.io/builtin/terraform", "", install.Unsupported, nil},
		"no file":        {"/nowhere/provider", "", install.NotFound, []string{"/nowhere/provider"}},
		"a directory":    {dir, "", install.InvalidPackage, []string{"not a file"}},
		"not executable": {notExecutable, "", install.InvalidPackage, []string{"chmod +x"}},
		"path, version":  {file, "1.0", install.NoMatchingVersion, []string{"omit the version"}},
	} {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			i := &install.Installer{CacheDir: cache, Mirrors: []string{dir}, Hosts: []string{"registry.opentofu.org"}}
			_, err := i.Install(t.Context(), c.source, c.constraint)
			var e *install.Error
			if !errors.As(err, &e) || e.Reason != c.reason {
				t.Fatalf("got %v, want reason %s", err, c.reason)
			}
			for _, text := range append(c.says, c.source) {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%q does not contain %q", err, text)
				}
			}
			_ = filepath.Walk(filepath.Dir(cache), func(path string, info os.FileInfo, _ error) error {
				if info != nil && info.Mode().IsRegular() {
					t.Errorf("there is a file %s", path)
				}
				return nil
			})
		})
	}
}

func TestNoMirror(t *testing.T) {
	var e *install.Error
	if _, err := new(install.Installer).Install(context.Background(), "hashicorp/random", ""); !errors.As(err, &e) ||
		e.Reason != install.Unsupported {
		t.Errorf("got %v", err)
	}
	i := &install.Installer{Mirrors: []string{"/nowhere"}}
	if _, err := i.Install(context.Background(), "hashicorp/random", ""); !errors.As(err, &e) ||
		e.Reason != install.NotFound || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("got %v", err)
	}
}

// TestChangedPackage checks that a changed package is unpacked again, beside the old program.
func TestChangedPackage(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "registry.terraform.io/acme/x/terraform-provider-x_1.0.0_"+platform+".zip")
	pack(t, archive, map[string]string{"terraform-provider-x_v1.0.0": "one"})
	i := &install.Installer{CacheDir: t.TempDir(), Mirrors: []string{dir}}
	first, err := i.Install(t.Context(), "acme/x", "")
	if err != nil {
		t.Fatal(err)
	}
	pack(t, archive, map[string]string{"terraform-provider-x_v1.0.0": "another"})
	second, err := i.Install(t.Context(), "acme/x", "")
	if err != nil {
		t.Fatal(err)
	}
	if first.Path == second.Path || first.SHA256 == second.SHA256 {
		t.Errorf("got %v, then %v", first, second)
	}
	if content, err := os.ReadFile(first.Path); err != nil || string(content) != "one" {
		t.Errorf("the first program has changed while it may be running: %q %v", content, err)
	}
}

func BenchmarkInstall(b *testing.B) {
	i := &install.Installer{CacheDir: b.TempDir(), Mirrors: []string{mirror(b)}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := i.Install(context.Background(), "hashicorp/random", "~> 3.7"); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"random", "hashicorp/random", "registry.opentofu.org/acme/x", "-/x", "a/..", "Ünï/x", "http://x/y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := install.ParseAddress(s)
		if err != nil {
			return
		}
		for _, part := range []string{a.Host, a.Namespace, a.Type} {
			if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "/\\\x00") {
				t.Errorf("%q is %q, which is not the name of a directory", s, a)
			}
		}
		again, err := install.ParseAddress(a.String())
		if err != nil || again.String() != a.String() {
			t.Errorf("%q is %q, which is %q %v", s, a, again, err)
		}
	})
}

func TestParseBinaryName(t *testing.T) {
	for file, want := range map[string][2]string{
		"terraform-provider-random_v3.9.0_x5":     {"random", "3.9.0"},
		"terraform-provider-random_v3.9.0":        {"random", "3.9.0"},
		"terraform-provider-random_3.9.0":         {"random", "3.9.0"},
		"terraform-provider-random_v3.9.0-beta.1": {"random", "3.9.0-beta.1"},
		"terraform-provider-random_v3.9.0.exe":    {"random", "3.9.0"},
		"terraform-provider-google-beta":          {"google-beta", ""},
		"terraform-provider-random.exe":           {"random", ""},
		"terraform-provider-random_v3x":           {"random", ""},
		"terraform-provider-my_provider":          {"", ""}, // no provider's name has an underscore
		"terraform-provider-random_linux_amd64":   {"", ""},
		"random":                                  {"", ""},
		"terraform-provider-":                     {"", ""},
	} {
		name, version := install.ParseBinaryName(file)
		if got := [2]string{name, version}; got != want {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"terraform-provider-x_1.2.3_linux_amd64.zip", "terraform-provider-x_v1.2.3_x5", "3.7.2", "v1", "~> 3.7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if ver, target, ok := install.ParseArchiveName(s, "x"); ok && s != "terraform-provider-x_"+ver+"_"+target+".zip" {
			t.Errorf("%q is version %q for %q", s, ver, target)
		}
		if typ, ver := install.ParseBinaryName(s); len(typ)+len(ver) > len(s) {
			t.Errorf("%q is type %q, version %q", s, typ, ver)
		}
		install.ParseConstraints(s)
	})
}

func FuzzUnpack(f *testing.F) {
	good, err := os.ReadFile(pack(f, filepath.Join(f.TempDir(), "x.zip"), map[string]string{"terraform-provider-x": "program"}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		archive := filepath.Join(dir, "x.zip")
		if err := os.WriteFile(archive, data, 0o600); err != nil {
			t.Fatal(err)
		}
		cache := filepath.Join(dir, "cache")
		err := install.UnpackProgram(archive, "x", cache, filepath.Join(cache, "program"))
		entries, _ := os.ReadDir(cache)
		if err != nil && len(entries) > 0 || err == nil && len(entries) != 1 {
			t.Errorf("error %v leaves %v", err, entries)
		}
		if all, _ := os.ReadDir(dir); len(all) > 2 {
			t.Errorf("there is more than the package and the cache: %v", all)
		}
	})
}
