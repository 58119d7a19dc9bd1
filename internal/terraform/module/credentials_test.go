package module_test

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// TestCredentials has what the program gets for each kind of address.
func TestCredentials(t *testing.T) {
	t.Parallel()
	all := &module.Credentials{Username: "u", Password: "p", SSHKey: []byte("key"), KnownHosts: []byte("hosts"), Token: "t"}
	basic := map[string]string{
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.https://example.org/.extraHeader",
		"GIT_CONFIG_VALUE_0": "Authorization: Basic dTpw",
	}
	for name, test := range map[string]struct {
		address     string
		credentials *module.Credentials
		want        map[string]string
		ssh         bool
		says        string
	}{
		"Git over HTTPS":       {address: "git::https://example.org/a.git//b?ref=v1", credentials: all, want: basic},
		"Git over SSH":         {address: "git::ssh://git@example.org/a.git", credentials: all, ssh: true},
		"Git over SSH, as scp": {address: "git@example.org:a/b.git", credentials: all, ssh: true},
		"a registry":           {address: "app.my-host.io/a/b/c", credentials: all, want: map[string]string{"TF_TOKEN_app_my__host_io": "t"}},
		"none":                 {address: "app.example.org/a/b/c"},
		"without a token":      {address: "app.example.org/a/b/c", credentials: &module.Credentials{Password: "p"}, says: "key token"},
		"without a key": {
			address: "git@example.org:a/b.git", credentials: &module.Credentials{SSHKey: []byte("key")},
			says: "known_hosts",
		},
		"without password": {address: "git::https://example.org/a.git", credentials: &module.Credentials{Token: "t"}, says: "key password"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, files, err := module.Environment(test.credentials, test.address)
			if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Fatalf("got %v, want %q", err, test.says)
			}
			if test.ssh {
				if got := env["GIT_SSH_COMMAND"]; !strings.Contains(got, "StrictHostKeyChecking=yes") ||
					!strings.Contains(got, "-i /x/ssh-key") || string(files["ssh-key"]) != "key\n" ||
					string(files["known-hosts"]) != "hosts" {
					t.Errorf("got %q, %v", got, files)
				}
				return
			}
			if diff := cmp.Diff(test.want, env); diff != "" || len(files) > 0 {
				t.Errorf("%s, %v", diff, files)
			}
		})
	}
}

// TestPrivateRepository fetches a module from a subdirectory of a repository that needs a password.
func TestPrivateRepository(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, filepath.Join("modules", "a", "main.tf"), plain)
	repository(t, dir)
	backend := &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Env: []string{
			"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1",
		}, InheritEnv: []string{"PATH"},
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
	commit, err := exec.Command(git, "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	fetch := fetcher(t)
	address := "git::" + server.URL + "/" + filepath.Base(dir) + "/.git//modules/a"
	for name, test := range map[string]struct {
		credentials *module.Credentials
		ok          bool
		ref         string
	}{
		"with the password": {credentials: &module.Credentials{Username: "ann", Password: "s3cret"}, ok: true},
		"at a commit": {
			credentials: &module.Credentials{Username: "ann", Password: "s3cret"}, ok: true,
			ref: "?ref=" + strings.TrimSpace(string(commit)),
		},
		"at no commit": {
			credentials: &module.Credentials{Username: "ann", Password: "s3cret"},
			ref:         "?ref=0123456789012345678901234567890123456789",
		},
		"with another one":    {credentials: &module.Credentials{Username: "ann", Password: "wr0ng"}},
		"without credentials": {},
	} {
		t.Run(name, func(t *testing.T) {
			m, diags := fetch(module.Source{Address: address + test.ref, Credentials: test.credentials})
			if diags.HasErrors() == test.ok || strings.Contains(diags.String(), "wr0ng") {
				t.Fatalf("%v", diags)
			}
			if test.ok && m.Outputs["x"] == nil {
				t.Errorf("outputs: %v", m.Outputs)
			}
		})
	}
}
