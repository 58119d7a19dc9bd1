package client_test

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// TestOpenTofu runs the program that fetches modules with a PATH that has nothing but this git, and
// compares the files of the module with those that it fetches with the system's.
func TestOpenTofu(t *testing.T) {
	t.Parallel()
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	git := system(t)
	e := newEstate(t)
	server := httptest.NewServer(private(backend(t, e.dir)))
	t.Cleanup(server.Close)
	request := httptest.NewRequest("GET", "/", nil)
	request.SetBasicAuth("ann", secret)
	private, public := newKey(t)
	address, host := serveSSH(t, e.dir, public)
	dir := t.TempDir()
	key, known := filepath.Join(dir, "ssh-key"), filepath.Join(dir, "known-hosts")
	if err := os.WriteFile(key, private, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(known, []byte(knownhosts.Line([]string{address}, host)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// As Landbridge has them (internal/terraform/module/credentials.go).
	https := setting("http."+server.URL+"/.extraHeader", "Authorization: "+request.Header.Get("Authorization"))
	bySSH := []string{"GIT_SSH_VARIANT=ssh", "GIT_SSH_COMMAND=ssh -F /dev/null -i " + key + " -o IdentitiesOnly=yes -o BatchMode=yes" +
		" -o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null -o UserKnownHostsFile=" + known}
	web, webSSH := "git::"+server.URL+"/web.git", "git::ssh://git@"+address+"/web.git"
	for name, test := range map[string]struct {
		source string
		env    []string
		says   string // empty if it is fetched
	}{
		"the default branch":        {source: web, env: https},
		"a subdirectory":            {source: web + "//modules/site", env: https},
		"a tag":                     {source: web + "//modules/site?ref=v1.0.0", env: https},
		"an annotated tag":          {source: web + "?ref=v1.1.0", env: https},
		"a branch":                  {source: web + "?ref=side", env: https},
		"a branch with a slash":     {source: web + "?ref=feature/x", env: https},
		"a commit":                  {source: web + "?ref=" + e.commits["one"], env: https},
		"the beginning of a commit": {source: web + "?ref=" + e.commits["two"][:7], env: https},
		"a shallow clone":           {source: web + "?depth=1", env: https},
		"a shallow branch":          {source: web + "?ref=side&depth=1", env: https},
		"a shallow tag":             {source: web + "?ref=v1.1.0&depth=1", env: https},
		"by SSH":                    {source: webSSH, env: bySSH},
		"by SSH, a tag":             {source: webSSH + "//modules/site?ref=v1.0.0", env: bySSH},
		"by SSH, shallow":           {source: webSSH + "?ref=side&depth=1", env: bySSH},
		"of this machine":           {source: "git::file://" + e.dir + "/web.git?ref=side"},

		"no such tag":        {source: web + "?ref=v9", env: https, says: "invalid ref"},
		"no shallow commit":  {source: web + "?depth=1&ref=" + e.commits["one"], env: https, says: "requires 'ref' to be a branch or tag name"},
		"no repository":      {source: web + "x", env: https, says: "not found"},
		"without a password": {source: web, says: "terminal prompts disabled"},
		"without a key":      {source: webSSH, says: "GIT_SSH_COMMAND must name a private key"},
		"an option":          {source: web + "?ref=--upload-pack=touch", env: https, says: "invalid ref"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, files := initialize(t, tofu, called(t, "git"), test.source, test.env)
			if (got.Status == 0) != (test.says == "") || !strings.Contains(strings.Join(strings.Fields(got.Stderr), " "), test.says) {
				t.Fatalf("status %d, %s; want %q", got.Status, got.Stderr, test.says)
			}
			if test.says != "" {
				return
			}
			theirs, want := initialize(t, tofu, filepath.Dir(git)+":/usr/bin:/bin", test.source, test.env)
			if theirs.Status != 0 {
				t.Skipf("the system's git fails: %s", theirs.Stderr)
			}
			if diff := cmp.Diff(want, files); diff != "" {
				t.Errorf("the files differ (-git +this):\n%s", diff)
			}
		})
	}
}

// initialize lets OpenTofu fetch a module, and returns the files of its repository, and the commit.
func initialize(t *testing.T, tofu, path, source string, env []string) (result, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte("module \"m\" {\n  source = \""+source+"\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tofu, "init", "-input=false", "-no-color", "-backend=false")
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + path, "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "GIT_TERMINAL_PROMPT=0", "CHECKPOINT_DISABLE=1",
	}, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	out := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if out.Status != 0 {
		return out, nil
	}
	clone := filepath.Join(dir, ".terraform/modules/m")
	files := contents(t, clone)
	files["HEAD"] = run(t, system(t), clone, nil, "rev-parse", "HEAD").Stdout
	return out, files
}
