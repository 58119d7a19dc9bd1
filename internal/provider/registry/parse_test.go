package registry_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func TestParseSums(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		document string
		want     map[string]string
		says     string
	}{
		"empty":         {"", map[string]string{}, ""},
		"one":           {zeros + "  a.zip\n\n", map[string]string{"a.zip": zeros}, ""},
		"binary mode":   {strings.ToUpper(strings.Repeat("a", 64)) + " *a.zip", map[string]string{"a.zip": strings.Repeat("a", 64)}, ""},
		"twice":         {zeros + " a\n" + zeros + " a\n", map[string]string{"a": zeros}, ""},
		"contradiction": {zeros + " a\n" + strings.Repeat("1", 64) + " a\n", nil, "two checksums"},
		"three fields":  {zeros + " a b\n", nil, "not a checksum and a file name"},
		"short":         {"00 a\n", nil, "not a SHA-256 checksum"},
		"HTML":          {"<html> <body>", nil, "not a SHA-256 checksum"},
		"long line":     {strings.Repeat("x", 100_000), nil, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := registry.ParseSums([]byte(c.document))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	implicit := registry.Address{Host: "registry.terraform.io", Namespace: "acme", Type: "thing", Implicit: true}
	own := registry.Address{Host: "example.com", Namespace: "acme", Type: "thing"}
	terraform := registry.Address{Host: "registry.terraform.io", Namespace: "acme", Type: "thing"}
	for name, c := range map[string]struct {
		pattern string
		address registry.Address
		want    bool
	}{
		"all":                           {"*/*/*", own, true},
		"all of the default registries": {"*/*", own, false},
		"no host":                       {"acme/*", implicit, true},
		"case":                          {"Acme/Thing", implicit, true},
		"another type":                  {"acme/other", implicit, false},
		"another namespace":             {"other/thing", implicit, false},
		"the registry in use":           {"registry.example.org/acme/thing", implicit, true},
		"a default registry":            {"registry.opentofu.org/acme/*", implicit, true},
		"the other one":                 {"registry.terraform.io/acme/*", implicit, true},
		"a named default registry":      {"acme/thing", terraform, true},
		"another registry":              {"registry.opentofu.org/*/*", terraform, false},
		"a host":                        {"example.com/*/*", own, true},
		"another host":                  {"example.com/*/*", implicit, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, valid := registry.Matches(c.pattern, c.address, "registry.example.org"); got != c.want || !valid {
				t.Errorf("got %v, valid %v", got, valid)
			}
		})
	}
	for _, s := range []string{"", "*", "a/b/c/d", "a//b", "ab*/c", "/a/b"} {
		if _, valid := registry.Matches(s, own, ""); valid {
			t.Errorf("%q is valid", s)
		}
	}
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file    string
		methods int
		says    string
	}{
		"empty":           {"", -1, ""},
		"no methods":      {"provider_installation {}", 0, ""},
		"settings":        {`plugin_cache_dir = "/x"` + "\n" + `disable_checkpoint = true`, -1, ""},
		"credentials":     {`credentials "example.com" { token = "secret" }`, -1, ""},
		"JSON":            {`{"credentials": {"example.com": {"token": "secret"}}}`, -1, ""},
		"Docker":          {`{"auths": {"https://example.com/": {"auth": "bWU6c2VjcmV0"}}}`, -1, ""},
		"all methods":     {methods, 4, ""},
		"two blocks":      {"provider_installation {}\nprovider_installation {}", 0, "two provider_installation blocks"},
		"unknown block":   {"provider_installations {}", 0, "provider_installations"},
		"unknown method":  {"provider_installation {\n  magic {}\n}", 0, "magic"},
		"unknown field":   {"provider_installation {\n  direct { includes = [] }\n}", 0, `"includes" is not an argument of direct`},
		"bad pattern":     {"provider_installation {\n  direct { include = [\"x\"] }\n}", 0, "is not HOST/NAMESPACE/TYPE"},
		"no list":         {"provider_installation {\n  direct { include = \"x\" }\n}", 0, "include is not a list of texts"},
		"no path":         {"provider_installation {\n  filesystem_mirror {}\n}", 0, "path is missing"},
		"relative path":   {"provider_installation {\n  filesystem_mirror { path = \"x\" }\n}", 0, "not an absolute path"},
		"insecure mirror": {"provider_installation {\n  network_mirror { url = \"http://x/\" }\n}", 0, "not an address with https"},
		"no template":     {"provider_installation {\n  oci_mirror {}\n}", 0, "repository_template is missing"},
		"bad template":    {"provider_installation {\n  oci_mirror { repository_template = \"x/${name}\" }\n}", 0, "repository_template"},
		"no repository":   {"provider_installation {\n  oci_mirror { repository_template = \"x\" }\n}", 0, "not HOST/NAME"},
		"overrides":       {"provider_installation {\n  dev_overrides { \"a/b\" = \"/x\" }\n}", 0, "spec.source"},
		"helper":          {`credentials_helper "x" {}`, 0, "runs a program"},
		"token missing":   {`credentials "example.com" {}`, 0, "token is missing"},
		"secret token":    {`credentials "example.com" { token = ["secret"] }`, 0, "token is not a text"},
		"JSON methods":    {`{"provider_installation": {}}`, 0, "write it in HCL"},
		"broken JSON":     {`{"credentials": "secret"}`, 0, "neither JSON nor HCL"},
		"broken Docker":   {`{"auths": {"x": {"auth": "secret"}}}`, 0, "USER:PASSWORD"},
		"OCI credentials": {`oci_credentials "example.com/x" { docker_credentials_helper = "x" }`, 0, "is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := registry.ParseConfig([]byte(c.file))
			if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) || n != c.methods {
				t.Errorf("got %d, %v, want %d, %q", n, err, c.methods, c.says)
			}
			if err != nil && strings.Contains(err.Error(), "secret") && !strings.Contains(c.says, "secret") {
				t.Errorf("the error has a secret: %s", err)
			}
		})
	}
}

const methods = `
provider_installation {
  filesystem_mirror {
    path    = "/mirror"
    include = ["acme/*"]
  }
  network_mirror {
    url                  = "https://mirror.example.com/"
    download_retry_count = 3
    trust_all_hashes     = true
  }
  oci_mirror {
    repository_template = "example.com/providers/${namespace}/${type}"
    include             = ["registry.opentofu.org/*/*"]
  }
  direct {
    exclude = ["acme/*"]
  }
}
`

func TestOCICredentials(t *testing.T) {
	t.Parallel()
	file := []byte(`
oci_credentials "example.com" {
  username = "all"
  password = "secret"
}
oci_credentials "example.com/acme" {
  username = "acme"
  password = "secret"
}`)
	for name, want := range map[string]string{"acme/thing": "acme", "acme": "acme", "acmes/thing": "all", "other": "all"} {
		if got, err := registry.CredentialOf(file, "example.com", name); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	if got, err := registry.CredentialOf(file, "example.org", "acme"); err != nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"0": 0, "7": 7 * time.Second, "99999999999": 24 * time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got, ok := registry.RetryAfter(s, now); !ok || got != want {
			t.Errorf("%q: got %s, %v, want %s", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "-1", "soon"} {
		if _, ok := registry.RetryAfter(s, now); ok {
			t.Errorf("%q is accepted", s)
		}
	}
}

// FuzzAnswers checks that no answer of a registry or a mirror ends the process.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"providers.v1": "/v1/"}`))
	f.Add([]byte(`{"versions": [{"version": "1.0.0", "platforms": [{"os": "linux", "arch": "amd64"}]}]}`))
	f.Add([]byte(`{"versions": {"1.0.0": {}}}`))
	f.Add([]byte(`{"archives": {"linux_amd64": {"url": "a.zip", "hashes": ["h1:x", "zh:` + zeros + `"]}}}`))
	f.Add([]byte(`{"filename": "a.zip", "download_url": "a.zip", "shasum": "` + zeros +
		`", "signing_keys": {"gpg_public_keys": [{"ascii_armor": ""}]}}`))
	f.Add([]byte(`{"artifactType": "application/vnd.opentofu.provider", "manifests": [{"digest": "sha256:` + zeros +
		`", "platform": {"os": "linux", "architecture": "amd64"}}]}`))
	f.Add(
		[]byte(
			`{"artifactType": "application/vnd.opentofu.provider-target", "layers": [{"mediaType": "archive/zip", "digest": "sha256:` +
				zeros + `"}]}`,
		),
	)
	f.Add([]byte(`{"layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": "sha256:` + zeros + `", "size": 1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, what := range registry.Parsed(raw, "linux_amd64") {
			if what == "release" && strings.Contains(string(raw), `"filename":"../`) {
				t.Errorf("a file name leads elsewhere: %s", raw)
			}
		}
	})
}

// FuzzCosignLayers checks that no manifest of signatures ends the process, or has more of them read
// than there may be.
func FuzzCosignLayers(f *testing.F) {
	layer := `{"mediaType": "application/vnd.dev.cosign.simplesigning.v1+json", "digest": "sha256:` + zeros +
		`", "size": 1, "annotations": {"dev.cosignproject.cosign/signature": "MEUC"}}`
	f.Add([]byte(`{"layers": [` + layer + `]}`))
	f.Add([]byte(`{"layers": [` + strings.Repeat(layer+",", registry.MaxCosignSignatures) + layer + `]}`))
	f.Add([]byte(`{"layers": [{"mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json", "digest": "sha512:x", "size": -1}]}`))
	f.Add([]byte(`{"layers": null, "annotations": {"a": "b"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		read, signed, err := registry.CosignLayers(raw)
		if read > registry.MaxCosignSignatures || signed > read || err != nil && read > 0 {
			t.Errorf("%d layers are read, %d with a signature: %v", read, signed, err)
		}
	})
}

// FuzzSums checks that a checksum document has only checksums.
func FuzzSums(f *testing.F) {
	f.Add([]byte(zeros + "  a.zip\n" + zeros + " *b.zip\n"))
	f.Fuzz(func(t *testing.T, document []byte) {
		sums, err := registry.ParseSums(document)
		if err != nil {
			return
		}
		for name, sum := range sums {
			if name == "" && !strings.Contains(string(document), "*") || len(sum) != 64 || strings.ToLower(sum) != sum {
				t.Errorf("%q has the checksum %q", name, sum)
			}
		}
	})
}

// FuzzConfiguration checks that no file ends the process.
func FuzzConfiguration(f *testing.F) {
	f.Add([]byte(methods))
	f.Add([]byte(`{"auths": {"x": {"auth": "bWU6c2VjcmV0"}}}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = registry.ParseConfig(raw) })
}

// FuzzSignature checks that nothing but the signature is accepted.
func FuzzSignature(f *testing.F) {
	key := registrytest.NewKey(f, time.Now().Add(-time.Hour), 0)
	document := []byte(zeros + "  a.zip\n")
	keys := []registry.Key{{ASCIIArmor: key.Armor()}}
	f.Add(document, key.Sign(document))
	f.Fuzz(func(t *testing.T, other, signature []byte) {
		if _, err := registry.Verify(other, signature, keys, time.Now()); err == nil && string(other) != string(document) {
			t.Errorf("%q is signed by %x", other, signature)
		}
	})
}
