package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// thingRegistry returns a registry with two versions of acme/thing for two platforms, and the flags
// for it.
func thingRegistry(t *testing.T) (r *registrytest.Registry, flags []string) {
	r = registrytest.New(t)
	for _, v := range []string{"1.0.0", "1.1.0"} {
		for _, p := range []string{"linux_amd64", "linux_arm64"} {
			r.Add("acme/thing", v, p, registrytest.Pack(t, map[string]string{"terraform-provider-thing_v" + v: v + p}))
		}
	}
	return r, []string{"--provider-registry", r.Host(), "--provider-ca", r.CA(t)}
}

func TestProviderLock(t *testing.T) {
	t.Parallel()
	r, flags := thingRegistry(t)
	out, _, err := run(t, append([]string{"provider", "lock", "acme/thing@~> 1.0.0"}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	var got v1alpha1.TerraformProvider
	if err := yaml.UnmarshalStrict([]byte(out), &got); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
	if got.Kind != "TerraformProvider" || got.Name != "thing" || got.Spec.Source != "acme/thing" || got.Spec.Version != "1.0.0" ||
		got.Spec.Trust == nil || !slices.Equal(got.Spec.Trust.Keys, []string{r.Key.Fingerprint()}) || !strings.Contains(out, "signed by Acme") {
		t.Errorf("got:\n%s", out)
	}
	// Both packages, and what is in them.
	if n := len(got.Spec.Checksums); n != 4 {
		t.Errorf("%d checksums: %q", n, got.Spec.Checksums)
	}
	r.Break = nil
	r.Add("acme/thing", "1.0.0", "linux_arm64", []byte("no package"))
	if _, _, err := run(t, append([]string{"provider", "lock", "acme/thing@1.0.0"}, flags...)...); err == nil ||
		!strings.Contains(err.Error(), "linux_arm64") {
		t.Errorf("a broken package is locked: %v", err)
	}
	if _, _, err := run(t, "provider", "lock", "acme/thing", "--provider-registry="); err == nil ||
		!strings.Contains(err.Error(), "--provider-registry") {
		t.Errorf("got %v", err)
	}
}

// TestProviderMirror checks that what a mirror was filled with can be installed from it.
func TestProviderMirror(t *testing.T) {
	t.Parallel()
	r, flags := thingRegistry(t)
	dir := filepath.Join(t.TempDir(), "mirror")
	find := func(installation string) install.Binary {
		t.Helper()
		file := filepath.Join(t.TempDir(), "installation")
		if err := os.WriteFile(file, []byte(installation), 0o600); err != nil {
			t.Fatal(err)
		}
		i := &install.Installer{
			CacheDir: t.TempDir(), Registry: &registry.Client{Registry: r.Host(), Installation: file, CA: r.CA(t)},
			Platform: "linux_arm64",
		}
		b, err := i.Find(t.Context(), install.Request{Source: "acme/thing", Constraint: "1.0.0"})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var first install.Binary
	for n, target := range []string{dir, "oci://" + r.Host() + "/copies/"} {
		for _, version := range []string{"1.0.0", "1.1.0"} {
			out, said, err := run(t, append([]string{"provider", "mirror", target, "acme/thing@" + version}, flags...)...)
			if err != nil {
				t.Fatal(err)
			}
			if want := "acme/thing " + version + " for linux_amd64, linux_arm64\n"; said != want {
				t.Error(cmp.Diff(want, said))
			}
			if version != "1.1.0" {
				continue
			}
			b := find(out)
			if n == 0 {
				first = b
			}
			if b.SHA256 != first.SHA256 || !slices.Equal(b.Checksums, first.Checksums) {
				t.Errorf("%s has another package: %+v", target, b)
			}
		}
	}
	for _, name := range []string{"index.json", "1.0.0.json", "1.1.0.json", "terraform-provider-thing_1.0.0_linux_arm64.zip"} {
		if _, err := os.Stat(filepath.Join(dir, r.Host(), "acme/thing", name)); err != nil {
			t.Error(err)
		}
	}
	// The same directory is a network mirror.
	index, err := os.ReadFile(filepath.Join(dir, r.Host(), "acme/thing/index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("{\n  \"versions\": {\n    \"1.0.0\": {},\n    \"1.1.0\": {}\n  }\n}\n", string(index)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// And one for the flag --provider-mirror.
	i := &install.Installer{CacheDir: t.TempDir(), Mirrors: []string{dir}, Hosts: []string{r.Host()}, Platform: "linux_amd64"}
	if b, err := i.Install(t.Context(), "acme/thing", ""); err != nil || b.Version != "1.1.0" {
		t.Errorf("got %+v, %v", b, err)
	}
}

func TestProviderInstallFromRegistry(t *testing.T) {
	t.Parallel()
	_, flags := thingRegistry(t)
	path := filepath.Join(t.TempDir(), "program")
	out, _, err := run(t, append([]string{
		"provider", "install", "acme/thing", "--platform", "linux_arm64", "--output-file", path,
	}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "1.1.0linux_arm64" || !strings.Contains(out, "1.1.0") {
		t.Errorf("got %q, %q, %v", raw, out, err)
	}
}

// The page on installation is executed and must match, and its configuration is valid.
func TestInstallationPage(t *testing.T) {
	t.Parallel()
	r := registrytest.New(t)
	for _, p := range []string{"linux_amd64", "linux_arm64"} {
		r.Add("hashicorp/random", "3.7.2", p, registrytest.Pack(t, map[string]string{"terraform-provider-random_v3.7.2": p}))
	}
	program, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	wrapper := fmt.Sprintf("#!/bin/sh\nexec %q \"$@\" --provider-registry=%s --provider-ca=%q\n", program, r.Host(), r.CA(t))
	if err := os.WriteFile(filepath.Join(dir, "landbridge"), []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join("..", "..", "docs", "registries.md")
	doctest.Test(t, page, doctest.Options{
		Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, Replace: map[string]string{
			"registry.opentofu.org": r.Host(),
		},
	})

	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(raw), "```hcl\n")
	block, _, _ = strings.Cut(block, "```")
	file := filepath.Join(dir, "installation")
	if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	sources, err := (&registry.Client{Installation: file, Registry: registry.Default}).Sources(registry.Address{
		Namespace: "hashicorp", Type: "random", Implicit: true,
	})
	if err != nil || len(sources) != 3 {
		t.Errorf("got %v, %v, want the OCI mirror, the network mirror and the registry", sources, err)
	}
}
