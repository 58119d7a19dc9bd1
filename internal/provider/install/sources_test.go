package install_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

// tally counts what `make install-test` reports.
var tally struct{ sources, faults, failed atomic.Int32 }

func TestMain(m *testing.M) {
	if err := proxy.listen(); err != nil {
		panic(err)
	}
	code := m.Run()
	if tally.faults.Load() > 0 {
		fmt.Printf("install: %d sources, %d faults, %d failed\n", tally.sources.Load(), tally.faults.Load(), tally.failed.Load())
	}
	os.Exit(code)
}

// count counts a case, when it has ended.
func count(t *testing.T, cases *atomic.Int32) {
	t.Cleanup(func() {
		cases.Add(1)
		if t.Failed() {
			tally.failed.Add(1)
		}
	})
}

// thing is the content of the program of a version.
func thing(version string) string { return "program " + version }

// packThing returns a package of the provider acme/thing.
func packThing(t testing.TB, version string) []byte {
	return registrytest.Pack(t, map[string]string{"terraform-provider-thing_v" + version: thing(version), "LICENSE": "MPL"})
}

// world is a registry and an installer that uses it.
type world struct {
	*registrytest.Registry
	*install.Installer
	t *testing.T
}

// newWorld returns a registry with the versions 1.0.0 and 1.1.0 of acme/thing, and an installer
// with this file as the configuration of the sources, in which REGISTRY is the registry's host.
func newWorld(t *testing.T, installation, credentials string) world {
	t.Helper()
	r := registrytest.New(t)
	for _, v := range []string{"1.0.0", "1.1.0"} {
		r.Add("acme/thing", v, platform, packThing(t, v))
		r.Add("acme/thing", v, "plan9_mips", registrytest.Pack(t, map[string]string{"terraform-provider-thing_v" + v: "another"}))
	}
	c := &registry.Client{
		Registry: r.Host(), CA: r.CA(t),
		Patience: registry.Patience{Attempts: 3, Wait: time.Millisecond, MaxWait: 20 * time.Millisecond, Stall: 20 * time.Second},
	}
	file := func(name, content string) string {
		if content == "" {
			return ""
		}
		return write(t, filepath.Join(t.TempDir(), name), strings.ReplaceAll(content, "REGISTRY", r.Host()))
	}
	c.Installation, c.Credentials = file("tofurc", installation), file("credentials", credentials)
	return world{r, &install.Installer{CacheDir: t.TempDir(), Registry: c}, t}
}

// request finds acme/thing, and checks that its program is whole.
func (w world) request(r install.Request) (install.Binary, error) {
	w.t.Helper()
	if r.Source == "" {
		r.Source = "acme/thing"
	}
	b, err := w.Find(w.t.Context(), r)
	if err == nil && read(w.t, b.Path) != thing(b.Version) {
		w.t.Errorf("the program of %s is %q", b.Version, read(w.t, b.Path))
	}
	return b, err
}

// TestSources checks that a provider is found in every kind of source.
func TestSources(t *testing.T) {
	folder := t.TempDir()
	pack := func(host, version string) {
		path := filepath.Join(folder, host, "acme/thing/terraform-provider-thing_"+version+"_"+platform+".zip")
		write(t, path, string(packThing(t, version)))
	}
	pack("registry.terraform.io", "1.2.0")
	write(t, filepath.Join(folder, "registry.opentofu.org/acme/thing/1.1.0", platform, "terraform-provider-thing_v1.1.0"), thing("1.1.0"))
	pack("registry.opentofu.org", "0.9.0")
	dockerConfig := filepath.Join(t.TempDir(), "config.json")

	for name, c := range map[string]struct {
		installation, credentials, source, constraint string
		set                                           func(*registrytest.Registry)
		version, origin                               string
		unsigned                                      bool
	}{
		"registry":             {version: "1.1.0", origin: "the registry REGISTRY"},
		"registry, an old one": {constraint: "~> 1.0.0", version: "1.0.0", origin: "the registry REGISTRY"},
		"registry without keys": {
			set:     func(r *registrytest.Registry) { r.Key = nil; r.Published = []*registrytest.Key{} },
			version: "1.1.0", origin: "the registry REGISTRY",
			unsigned: true,
		},
		"registry of another host": {
			installation: `host "registry.example.com" { services = { "providers.v1" = "https://REGISTRY/v1/providers/" } }`,
			source:       "registry.example.com/acme/thing", version: "1.1.0", origin: "the registry registry.example.com",
		},
		"private registry": {
			credentials: `credentials "REGISTRY" { token = "secret" }`, set: func(r *registrytest.Registry) { r.Token = "secret" },
			version: "1.1.0", origin: "the registry REGISTRY",
		},
		"private registry, credentials in JSON": {
			credentials: `{"credentials": {"REGISTRY": {"token": "secret"}}}`, set: func(r *registrytest.Registry) { r.Token = "secret" },
			version: "1.1.0", origin: "the registry REGISTRY",
		},
		"network mirror": {
			installation: `provider_installation {
	network_mirror { url = "https://REGISTRY/mirror/" }
}`,
			version: "1.1.0", origin: "the network mirror https://REGISTRY/mirror/", unsigned: true,
		},
		"network mirror without checksums": {
			installation: `provider_installation {
	network_mirror { url = "https://REGISTRY/mirror/" }
}`, set: func(r *registrytest.Registry) { r.NoHashes = true },
			version: "1.1.0", origin: "the network mirror https://REGISTRY/mirror/", unsigned: true,
		},
		"private network mirror": {
			installation: `provider_installation {
	network_mirror { url = "https://REGISTRY/mirror/" }
}
				credentials "REGISTRY" { token = "secret" }`,
			set: func(r *registrytest.Registry) { r.Token = "secret" }, version: "1.1.0",
			origin: "the network mirror https://REGISTRY/mirror/", unsigned: true,
		},
		"OCI mirror": {
			installation: `provider_installation {
	oci_mirror { repository_template = "REGISTRY/providers/${namespace}/${type}" }
}`,
			version: "1.1.0", origin: "the OCI mirror REGISTRY/providers/acme/thing", unsigned: true,
		},
		"private OCI mirror": {
			installation: `provider_installation {
	oci_mirror { repository_template = "REGISTRY/providers/${namespace}/${type}" }
}
				oci_credentials "REGISTRY/providers" {
					username = "me"
					password = "secret"
				}`,
			set: func(r *registrytest.Registry) { r.Token = "secret" }, version: "1.1.0",
			origin: "the OCI mirror REGISTRY/providers/acme/thing", unsigned: true,
		},
		"private OCI mirror, credentials of Docker": {
			installation: `provider_installation {
	oci_mirror { repository_template = "REGISTRY/providers/${namespace}/${type}" }
}
				oci_default_credentials { docker_style_config_files = ["` + dockerConfig + `"] }`,
			set: func(r *registrytest.Registry) {
				r.Token = "secret"
				write(t, dockerConfig, `{"auths": {"`+r.Host()+`": {"auth": "`+base64.StdEncoding.EncodeToString([]byte("me:secret"))+`"}}}`)
			},
			version: "1.1.0", origin: "the OCI mirror REGISTRY/providers/acme/thing", unsigned: true,
		},
		"folder, packed": {
			installation: `provider_installation {
	filesystem_mirror { path = "` + folder + `" }
}`, version: "1.2.0", origin: folder, unsigned: true,
		},
		"folder, unpacked": {
			installation: `provider_installation {
	filesystem_mirror { path = "` + folder + `" }
}`, constraint: "1.1.0", version: "1.1.0", origin: folder, unsigned: true,
		},
		"the newest of all, from a folder": {
			installation: `provider_installation {
				direct {}
				filesystem_mirror { path = "` + folder + `" }
			}`, version: "1.2.0", origin: folder, unsigned: true,
		},
		"an equal version, from the first source": {
			installation: `provider_installation {
				direct {}
				filesystem_mirror { path = "` + folder + `" }
			}`, constraint: "1.1.0", version: "1.1.0", origin: "the registry REGISTRY",
		},
		"a source that excludes it": {
			installation: `provider_installation {
				filesystem_mirror {
					path    = "` + folder + `"
					exclude = ["acme/*"]
				}
				direct { include = ["*/*/*"] }
			}`, version: "1.1.0", origin: "the registry REGISTRY",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count(t, &tally.sources)
			w := newWorld(t, c.installation, "")
			if c.credentials != "" {
				w.Installer.Registry.Credentials = write(t, filepath.Join(t.TempDir(), "credentials"),
					strings.ReplaceAll(c.credentials, "REGISTRY", w.Host()))
			}
			if c.set != nil {
				c.set(w.Registry)
			}
			b, err := w.request(install.Request{Source: c.source, Constraint: c.constraint})
			if err != nil {
				t.Fatal(err)
			}
			if origin := strings.ReplaceAll(c.origin, "REGISTRY", w.Host()); b.Version != c.version ||
				b.Lock == nil || b.Lock.Origin != origin || b.Lock.Version != c.version {
				t.Fatalf("got %s with the lock %+v, want %s of %s", b.Version, b.Lock, c.version, origin)
			}
			if signed := b.Lock.Key != ""; signed == c.unsigned || signed && (b.Lock.Key != w.Key.Fingerprint() || b.Lock.Signer != "Acme") {
				t.Errorf("it is signed by %q (%q)", b.Lock.Key, b.Lock.Signer)
			}
			for _, sum := range b.Checksums {
				if !slices.Contains(b.Lock.Hashes, sum) {
					t.Errorf("%s is not locked: %q", sum, b.Lock.Hashes)
				}
			}

			// What was installed needs no source any more.
			w.Close()
			locked := install.Request{Source: c.source, Version: b.Version, Locks: []install.Lock{*b.Lock}, Offline: true}
			again, err := w.request(locked)
			if err != nil {
				t.Fatal(err)
			}
			if again.Path != b.Path || again.SHA256 != b.SHA256 {
				t.Errorf("got %s, want %s", again.Path, b.Path)
			}
			// Only the sources decide what is in the cache.
			locked.Locks[0].Hashes = []string{"zh:" + strings.Repeat("0", 64)}
			if _, err := w.request(locked); reasonOf(err) != install.NotDownloaded && reasonOf(err) != install.Untrusted {
				t.Errorf("a package that is not the locked one is used: %v", err)
			}
		})
	}
}

// reasonOf returns the reason of an error; empty if it has none.
func reasonOf(err error) install.Reason {
	var e *install.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Reason
}

// TestFlagMirrorsFirst checks that mirrors given by flag keep registries from being asked for what
// they have.
func TestFlagMirrorsFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "registry.terraform.io/acme/thing/0.1.0", platform, "terraform-provider-thing_v0.1.0"), thing("0.1.0"))
	w.Mirrors = []string{dir}
	if b, err := w.request(install.Request{}); err != nil || b.Version != "0.1.0" || b.Lock != nil {
		t.Errorf("got %+v, %v", b, err)
	}
	if _, err := w.request(install.Request{Constraint: "1.1.0"}); reasonOf(err) != install.NoMatchingVersion {
		t.Errorf("got %v", err)
	}
	if n := w.Requests(); len(n) > 0 {
		t.Errorf("the registry was asked: %q", n)
	}
	w.Mirrors = append(w.Mirrors, filepath.Join(dir, "missing"))
	if _, err := w.request(install.Request{Constraint: "1.1.0"}); reasonOf(err) != install.NotFound {
		t.Errorf("got %v", err)
	}
	w.Mirrors = []string{t.TempDir()}
	if b, err := w.request(install.Request{}); err != nil || b.Version != "1.1.0" {
		t.Errorf("got %+v, %v", b, err)
	}
}

// TestOffline checks that without permission nothing is requested.
func TestOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	if _, err := w.request(install.Request{Offline: true}); reasonOf(err) != install.NotDownloaded {
		t.Errorf("got %v", err)
	}
	if n := w.Requests(); len(n) > 0 {
		t.Errorf("the registry was asked: %q", n)
	}
}

// TestCancelled checks that a download ends with its context.
func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Find(ctx, install.Request{Source: "acme/thing"}); err == nil {
		t.Error("it goes on")
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "")
	w.Add("acme/thing", "2.0.0-beta1", platform, packThing(t, "2.0.0-beta1"))
	w.Add("acme/thing", "1.10.0", platform, packThing(t, "1.10.0"))
	mirror := t.TempDir()
	for _, name := range []string{
		"terraform-provider-thing_1.0.0_" + platform + ".zip", "terraform-provider-thing_1.2.0_" + platform + ".zip",
		"1.1.0/" + platform + "/terraform-provider-thing_v1.1.0",
	} {
		path := filepath.Join(mirror, "registry.terraform.io", "acme", "thing", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, packThing(t, "1"), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	mirrored := &install.Installer{Mirrors: []string{mirror}, Platform: platform}
	for name, test := range map[string]struct {
		installer *install.Installer
		want      []string
	}{
		"a registry": {w.Installer, []string{"1.10.0", "1.1.0", "1.0.0"}},
		"a mirror":   {mirrored, []string{"1.2.0", "1.1.0", "1.0.0"}},
		"neither":    {&install.Installer{Platform: platform}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.installer.Versions(t.Context(), "acme/thing")
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestChangelog(t *testing.T) {
	t.Parallel()
	mirror := t.TempDir()
	dir := filepath.Join(mirror, "registry.terraform.io", "acme", "thing")
	unpacked := filepath.Join(dir, "1.2.0", platform)
	with := registrytest.Pack(t, map[string]string{"terraform-provider-thing_v1.1.0": thing("1.1.0"), "CHANGELOG.md": "# 1.1.0"})
	for path, content := range map[string][]byte{
		filepath.Join(unpacked, "terraform-provider-thing_v1.2.0"):            []byte(thing("1.2.0")),
		filepath.Join(unpacked, "CHANGELOG.md"):                               []byte("# 1.2.0"),
		filepath.Join(dir, "terraform-provider-thing_1.1.0_"+platform+".zip"): with,
		filepath.Join(dir, "terraform-provider-thing_1.0.0_"+platform+".zip"): packThing(t, "1.0.0"),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	i := &install.Installer{Mirrors: []string{mirror}, Platform: platform}
	for version, want := range map[string]string{
		"1.2.0": filepath.Join(unpacked, "CHANGELOG.md"),
		"1.1.0": "CHANGELOG.md in " + filepath.Join(dir, "terraform-provider-thing_1.1.0_"+platform+".zip"),
		"1.0.0": "",
	} {
		if got, err := i.Changelog(t.Context(), "acme/thing", version); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", version, got, err, want)
		}
	}
	if _, err := i.Changelog(t.Context(), "acme/thing", "9.0.0"); err == nil {
		t.Error("a version that does not exist has a changelog")
	}
	// The registry of the test serves packages itself, without pages for releases.
	w := newWorld(t, "", "")
	if got, err := w.Changelog(t.Context(), "acme/thing", "1.1.0"); err != nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}
