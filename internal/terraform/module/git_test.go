package module_test

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// TestGitOfTheImage fetches modules with nothing but the image's git in PATH: there is no ssh, and
// no other git.
func TestGitOfTheImage(t *testing.T) {
	system, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	image, err := testbin.Build(t.Context(), testbin.Git)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, filepath.Join("modules", "a", "main.tf"), plain)
	repository(t, dir)
	commit, err := exec.Command(system, "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	key, public := newKey(t)
	_, otherHost := newKey(t)
	address, host := serveGit(t, filepath.Join(dir, ".git"), public)
	known := func(host ssh.PublicKey) []byte { return []byte(knownhosts.Line([]string{address}, host) + "\n") }
	bySSH := "git::ssh://git@" + address + "/modules.git//modules/a"
	backend := &cgi.Handler{
		Path: system, Args: []string{"http-backend"}, Env: []string{
			"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1",
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	byHTTP := "git::" + server.URL + "/" + filepath.Base(dir) + "/.git//modules/a"
	ann := &module.Credentials{Username: "ann", Password: "s3cret"}
	fromHere, fromProgram := withSubmodule(t, "file://"+dir), withSubmodule(t, "ext::sh -c id")

	fetch := fetcher(t)
	digest := func(s module.Source) string {
		t.Helper()
		m, diags := fetch(s)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		return m.Digest
	}
	want := digest(module.Source{Address: byHTTP, Credentials: ann})
	t.Setenv("PATH", filepath.Dir(image))
	for name, test := range map[string]struct {
		source module.Source
		says   string // empty if it is fetched
	}{
		"by HTTP":     {source: module.Source{Address: byHTTP, Credentials: ann}},
		"at a commit": {source: module.Source{Address: byHTTP + "?ref=" + strings.TrimSpace(string(commit)), Credentials: ann}},
		"shallow":     {source: module.Source{Address: byHTTP + "?depth=1&ref=main", Credentials: ann}},
		"at no commit": {
			source: module.Source{
				Address: byHTTP + "?ref=0123456789012345678901234567890123456789", Credentials: ann,
			}, says: "invalid ref",
		},
		"with another password": {
			source: module.Source{
				Address: byHTTP, Credentials: &module.Credentials{Username: "ann", Password: "wr0ng"},
			}, says: "Authentication failed",
		},
		"without a password": {source: module.Source{Address: byHTTP}, says: "terminal prompts disabled"},
		"by SSH": {
			source: module.Source{
				Address: bySSH, Credentials: &module.Credentials{SSHKey: key, KnownHosts: known(host)},
			},
		},
		"of another host": {
			source: module.Source{
				Address: bySSH, Credentials: &module.Credentials{SSHKey: key, KnownHosts: known(otherHost)},
			}, says: "REMOTE HOST IDENTIFICATION HAS CHANGED",
		},
		"by SSH without credentials": {source: module.Source{Address: bySSH}, says: "spec.source.credentialsSecretRef"},
		"of this machine":            {source: module.Source{Address: "git::file://" + dir + "//modules/a"}},
		"a submodule of the machine": {source: module.Source{Address: fromHere}, says: "transport 'file' not allowed"},
		"a submodule by a program":   {source: module.Source{Address: fromProgram}, says: "transport 'ext' not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			m, diags := fetch(test.source)
			text := strings.Join(strings.Fields(diags.String()), " ")
			if diags.HasErrors() != (test.says != "") || !strings.Contains(text, test.says) || strings.Contains(text, "wr0ng") {
				t.Fatalf("%v, want %q", diags, test.says)
			}
			if test.says == "" && m.Digest != want {
				t.Errorf("the digest is %s, with the system's git %s", m.Digest, want)
			}
		})
	}
}
