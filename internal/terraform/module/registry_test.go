package module_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// registry serves versions of one module by the module registry protocol, over TLS and behind a
// proxy. It returns the module's source address.
func registry(t *testing.T, versions map[string]string) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
	}
	answer("/.well-known/terraform.json", `{"modules.v1":"/modules/"}`)
	var list []string
	for version, content := range versions {
		list = append(list, `{"version":"`+version+`"}`)
		mux.HandleFunc("GET /modules/acme/site/web/"+version+"/download", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Terraform-Get", "/archives/"+version+".tar.gz")
			w.WriteHeader(http.StatusNoContent)
		})
		answer("/archives/"+version+".tar.gz", archive(t, content))
	}
	answer("/modules/acme/site/web/versions", `{"modules":[{"versions":[`+strings.Join(list, ",")+`]}]}`)
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certificate,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", certificate)
	t.Setenv("HTTPS_PROXY", proxy(t, "example.com:443", server.Listener.Addr().String()))
	return "example.com/acme/site/web"
}

// proxy returns the URL of a proxy that connects a host with another address, and refuses other
// hosts.
func proxy(t *testing.T, host, address string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != host {
			http.Error(w, "there is nothing", http.StatusBadGateway)
			return
		}
		there, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer there.Close()
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer here.Close()
		_, _ = io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n")
		go func() { _, _ = io.Copy(there, here) }()
		_, _ = io.Copy(here, there)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// archive returns an archive of a module of one file.
func archive(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "main.tf", Mode: 0o600, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{w, z} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestRegistry checks that the newest version that the constraint allows is fetched.
func TestRegistry(t *testing.T) {
	runner, err := commandline.New(commandline.Options{Program: openTofu(t), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	address := registry(t, map[string]string{
		"1.0.0": `output "version" { value = "1.0.0" }`,
		"1.2.0": `variable "name" { type = string }`,
		"2.0.0": `variable "title" { type = string }`,
	})
	for name, test := range map[string]struct {
		source    module.Source
		variables []string
		says      string
	}{
		"the newest":      {source: module.Source{Address: address}, variables: []string{"title"}},
		"of a constraint": {source: module.Source{Address: address, Version: "~> 1.0"}, variables: []string{"name"}},
		"exactly":         {source: module.Source{Address: address, Version: "1.0.0"}},
		"none":            {source: module.Source{Address: address, Version: "> 2"}, says: "no available version"},
		"no such module":  {source: module.Source{Address: strings.Replace(address, "web", "shop", 1)}, says: "not found"},
		"no registry":     {source: module.Source{Address: "example.org/acme/site/web"}, says: "example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			m, diags := module.Fetch(t.Context(), runner, test.source, filepath.Join(t.TempDir(), "module"), "site")
			if test.says != "" {
				if got := diags.String(); !strings.Contains(strings.Join(strings.Fields(got), " "), test.says) {
					t.Errorf("got %q, want %q", got, test.says)
				}
				return
			}
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			got := slices.Collect(maps.Keys(m.Variables))
			if diff := cmp.Diff(test.variables, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
