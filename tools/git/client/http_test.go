package client_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/tools/git/client"
)

// setting returns the variables of the environment for a setting.
func setting(key, value string) []string {
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=" + key, "GIT_CONFIG_VALUE_0=" + value}
}

// secret is what no message may tell.
const secret = "s3cret"

// private lets those with the password through.
func private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch user, password, ok := r.BasicAuth(); {
		case !ok || user != "ann" || password != secret:
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "you sent "+r.Header.Get("Authorization")+password, http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// TestHTTPS clones from a server whose certificate SSL_CERT_FILE has, with the headers of the
// environment. It needs no other git.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	git := filepath.Join(called(t, "git"), "git")
	server := httptest.NewTLSServer(private(smart(e.dir)))
	t.Cleanup(server.Close)
	certificate := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(certificate,
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	trusted := []string{"SSL_CERT_FILE=" + certificate}
	with := func(password string) string {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.SetBasicAuth("ann", password)
		return "Authorization: " + r.Header.Get("Authorization")
	}
	authority := strings.TrimPrefix(server.URL, "https://")
	for name, test := range map[string]struct {
		address string // empty is web.git
		env     []string
		says    string // empty if it is cloned
	}{
		"with the header":    {env: append(trusted, setting("http."+server.URL+"/.extraHeader", with(secret))...)},
		"in any case":        {env: append(trusted, setting("HTTP."+server.URL+"/.extraheader", with(secret))...)},
		"for all addresses":  {env: append(trusted, setting("http.extraHeader", with(secret))...)},
		"for the repository": {env: append(trusted, setting("http."+server.URL+"/web.git.extraHeader", with(secret))...)},
		"in the address":     {env: trusted, address: "https://ann:" + secret + "@" + authority + "/web.git"},
		"wrong, in the address": {
			env: trusted, address: "https://ann:" + secret + "x@" + authority + "/web.git",
			says: "Authentication failed for 'https://" + authority + "/web.git/'",
		},
		"with another password": {
			env:  append(trusted, setting("http."+server.URL+"/.extraHeader", with(secret+"x"))...),
			says: "Authentication failed for 'https://" + authority + "/web.git/'",
		},
		"for another host": {
			env:  append(trusted, setting("http.https://example.org/.extraHeader", with(secret))...),
			says: "could not read Username for 'https://" + authority + "': terminal prompts disabled",
		},
		"for another scheme": {
			env:  append(trusted, setting("http.http://"+authority+"/.extraHeader", with(secret))...),
			says: "could not read Username",
		},
		"for another port": {
			env:  append(trusted, setting("http.https://127.0.0.1/.extraHeader", with(secret))...),
			says: "could not read Username",
		},
		"for another repository": {
			env:  append(trusted, setting("http."+server.URL+"/we.extraHeader", with(secret))...),
			says: "could not read Username",
		},
		"without one": {env: trusted, says: "could not read Username"},
		"without the certificate": {
			env:  setting("http."+server.URL+"/.extraHeader", with(secret)),
			says: "certificate signed by unknown authority",
		},
		"no repository": {
			env:     append(trusted, setting("http."+server.URL+"/.extraHeader", with(secret))...),
			address: server.URL + "/none.git", says: "repository '" + server.URL + "/none.git/' not found",
		},
		"no host": {
			address: "https://ann:" + secret + "@none.invalid/web.git",
			says:    "unable to access 'https://none.invalid/web.git/'",
		},
		"no address":               {address: "https://ann:" + secret + "@[/web.git", says: "address of the repository is not valid"},
		"no protocol":              {address: "ext::sh -c touch% x", says: "transport 'ext' not allowed"},
		"another protocol":         {address: "ftp://ann:" + secret + "@example.org/web.git", says: "transport 'ftp' not allowed"},
		"a setting that is not":    {env: setting("core.sshCommand", secret), says: "GIT_CONFIG_KEY_0 is another"},
		"a header that is none":    {env: setting("http.extraHeader", secret), says: "GIT_CONFIG_VALUE_0 is no header"},
		"two headers in one":       {env: setting("http.extraHeader", "a: b\r\nc: "+secret), says: "GIT_CONFIG_VALUE_0 is no header"},
		"settings without a count": {env: []string{"GIT_CONFIG_COUNT=x"}, says: "bogus count"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, address := filepath.Join(t.TempDir(), "clone"), test.address
			if address == "" {
				address = server.URL + "/web.git"
			}
			got := run(t, git, "/", test.env, "clone", "--", address, dir)
			checkClone(t, got, dir, test.says)
		})
	}
}

// checkClone checks that a repository was cloned, or what was said and that nothing is left.
func checkClone(t *testing.T, got result, dir, says string) {
	t.Helper()
	if strings.Contains(got.Stdout+got.Stderr, secret) || strings.Contains(got.Stdout+got.Stderr, "YW5uOn") {
		t.Errorf("it tells a secret: %s", got.Stderr)
	}
	if says != "" {
		if got.Status != client.Fatal || !strings.Contains(got.Stderr, says) {
			t.Errorf("status %d, %q; want %q", got.Status, got.Stderr, says)
		}
		if _, err := os.Lstat(dir); err == nil {
			t.Errorf("it leaves %s", dir)
		}
		return
	}
	if content, err := os.ReadFile(filepath.Join(dir, "modules/site/main.tf")); got.Status != 0 || err != nil ||
		!strings.Contains(string(content), "site two") {
		t.Errorf("status %d, %s: %v", got.Status, got.Stderr, err)
	}
}

// recorded notes the headers of requests for hosts, and answers by next.
type recorded struct {
	mu   sync.Mutex
	sent map[string]bool // host, and whether a request had the header
	next http.Handler
}

func (r *recorded) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	r.sent[q.Host] = r.sent[q.Host] || q.Header.Get("X-Token") != ""
	r.mu.Unlock()
	r.next.ServeHTTP(w, q)
}

// TestHeadersStayWithTheirHost clones by redirects, and repositories with submodules, through a
// proxy that is all hosts.
func TestHeadersStayWithTheirHost(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	git := filepath.Join(called(t, "git"), "git")
	elsewhere := build(t, filepath.Join(e.dir, "elsewhere.git"))
	commit := elsewhere.commit("one", map[string]entry{
		"main.tf": output("elsewhere"), "modules/site/main.tf": output("site two"), "leaf": {0o160000, leafCommit(t, e)},
		".gitmodules": plain("[submodule \"leaf\"]\n\tpath = leaf\n\turl = http://other.test/leaf.git\n"),
	})
	elsewhere.ref("refs/heads/main", commit)
	for name, test := range map[string]struct {
		address string
		want    map[string]bool
		says    string
	}{
		"the host":              {"http://own.test/web.git", map[string]bool{"own.test": true}, ""},
		"another host":          {"http://other.test/web.git", map[string]bool{"other.test": false}, ""},
		"a redirect":            {"http://own.test/away/web.git", map[string]bool{"own.test": true, "other.test": false}, ""},
		"a redirect to a child": {"http://own.test/child/web.git", map[string]bool{"own.test": true, "child.own.test": false}, ""},
		"a redirect and back":   {"http://own.test/back/web.git", map[string]bool{"own.test": true, "other.test": false}, ""},
		"a submodule":           {"http://own.test/elsewhere.git", map[string]bool{"own.test": true, "other.test": false}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := &recorded{sent: map[string]bool{}, next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				u := url.URL{Scheme: "http", Host: r.Host, RawQuery: r.URL.RawQuery}
				for prefix, host := range map[string]string{"/away/": "other.test", "/child/": "child.own.test", "/back/": "other.test/home"} {
					if rest, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
						to, folder, _ := strings.Cut(host, "/")
						u.Host, u.Path = to, strings.Trim(folder+"/"+rest, "/")
						http.Redirect(w, r, u.String(), http.StatusFound)
						return
					}
				}
				if rest, ok := strings.CutPrefix(r.URL.Path, "/home/"); ok {
					u.Host, u.Path = "own.test", rest
					http.Redirect(w, r, u.String(), http.StatusFound)
					return
				}
				smart(e.dir).ServeHTTP(w, r)
			})}
			proxy := httptest.NewServer(all)
			t.Cleanup(proxy.Close)
			env := append(setting("http.http://own.test/.extraHeader", "X-Token: "+secret), "HTTP_PROXY="+proxy.URL)
			dir := filepath.Join(t.TempDir(), "clone")
			got := run(t, git, "/", env, "clone", "--", test.address, dir)
			checkClone(t, got, dir, test.says)
			if name == "a submodule" {
				if got := run(t, git, dir, env, "submodule", "update", "--init", "--recursive"); got.Status != 0 {
					t.Error(got.Stderr)
				}
			}
			if diff := cmp.Diff(test.want, all.sent); diff != "" {
				t.Errorf("hosts, and whether they got the header (-want +got):\n%s", diff)
			}
		})
	}
}

// leafCommit returns the commit of leaf.git.
func leafCommit(t *testing.T, e estate) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.dir, "leaf.git/refs/heads/main"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}
