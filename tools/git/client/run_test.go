package client_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/tools/git/client"
)

// TestCommands has what is no fetching of modules.
func TestCommands(t *testing.T) {
	t.Parallel()
	git := filepath.Join(called(t, "git"), "git")
	for name, test := range map[string]struct {
		args   string
		status int
		says   string
	}{
		"a version":               {"version", 0, `^git version 2\.39\.0\+landbridge \(go-git`},
		"a version, as an option": {"--version", 0, `^git version 2\.39\.0`},
		"no command":              {"", 1, "no command was given. This is the git of Landbridge's image"},
		"another command": {
			"push origin main", 1,
			`(?s)'push' is not a git command. This is the git of Landbridge's image.*git clone \[--depth.*git version`,
		},
		"another option":           {"clone --mirror a b", client.Usage, "the option '--mirror' is not known"},
		"an option for a program":  {"clone --upload-pack=touch a b", client.Usage, "the option '--upload-pack' is not known"},
		"a setting":                {"-c core.pager=x version", 1, "'-c' is not a git command"},
		"a value for no value":     {"ls-remote --symref=x a", client.Usage, "the option '--symref' is not known"},
		"a value that is missing":  {"clone --depth", client.Usage, "the option '--depth' needs a value"},
		"a depth that is none":     {"clone --depth 0 -- a b", client.Fatal, "depth 0 is not a positive number"},
		"too few arguments":        {"clone a", client.Usage, "there are 1 arguments"},
		"an option that must be":   {"pull", client.Usage, "the option '--ff-only' is missing"},
		"another subcommand":       {"submodule foreach --init --recursive", client.Usage, "the subcommand must be update"},
		"an unknown remote":        {"remote remove origin", client.Usage, "the subcommand must be add"},
		"no repository":            {"checkout main", client.Fatal, "not a git repository"},
		"no repository to list":    {"ls-remote -- /nowhere HEAD", client.Fatal, "'/nowhere' does not exist"},
		"an option after the end":  {"clone -- --upload-pack=touch b", client.Fatal, "blocked"},
		"a reset that is not hard": {"reset HEAD", client.Usage, "the option '--hard' is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, git, t.TempDir(), nil, strings.Fields(test.args)...)
			if got.Status != test.status || !regexp.MustCompile(test.says).MatchString(got.Stdout+got.Stderr) {
				t.Errorf("status %d, %s%s; want %d, %q", got.Status, got.Stdout, got.Stderr, test.status, test.says)
			}
		})
	}
}

// TestLocal clones repositories of this machine.
func TestLocal(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	git := filepath.Join(called(t, "git"), "git")
	for name, address := range map[string]string{
		"a path": e.dir + "/web.git", "an address": "file://" + e.dir + "/web.git", "without a suffix": "file://" + e.dir + "/web",
	} {
		for depth, more := range map[string][]string{"": nil, ", shallow": {"--depth", "1", "--branch", "main"}} {
			t.Run(name+depth, func(t *testing.T) {
				t.Parallel()
				clone := filepath.Join(t.TempDir(), "clone")
				args := append(append([]string{"clone"}, more...), "--", address, clone)
				checkClone(t, run(t, git, "/", nil, args...), clone, "")
			})
		}
	}
}

// TestEmpty clones a repository without a commit.
func TestEmpty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	build(t, filepath.Join(dir, "empty.git"))
	git, clone := filepath.Join(called(t, "git"), "git"), filepath.Join(dir, "clone")
	for _, address := range []string{"file://" + dir + "/empty.git"} {
		got := run(t, git, "/", nil, "clone", "--", address, clone)
		if got.Status != 0 || !strings.Contains(got.Stderr, "warning: You appear to have cloned an empty repository.") {
			t.Errorf("%+v", got)
		}
		if got := run(t, git, clone, nil, "submodule", "update", "--init", "--recursive"); got.Status != 0 {
			t.Errorf("%+v", got)
		}
	}
}

// TestTerminated sends SIGTERM while the server does not answer, and while it sends.
func TestTerminated(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for name, path := range map[string]string{"listing": "info/refs", "fetching": "git-upload-pack"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached, stop := make(chan bool, 1), make(chan bool)
			honest := smart(e.dir)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, path) {
					honest.ServeHTTP(w, r)
					return
				}
				if path == "git-upload-pack" {
					_, _ = w.Write([]byte("0008NAK\nPACK\x00\x00\x00\x02\x00\x00\x00\x09"))
				}
				w.(http.Flusher).Flush()
				reached <- true
				<-stop
			}))
			t.Cleanup(server.Close)
			t.Cleanup(func() { close(stop) })
			dir := t.TempDir()
			cmd := exec.Command(filepath.Join(called(t, "git"), "git"), "clone", "--", server.URL+"/web.git", filepath.Join(dir, "clone"))
			cmd.Dir, cmd.Env = "/", []string{"HOME=/"}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-reached
			begun := time.Now()
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != 143 {
				t.Errorf("status %d", status)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("it leaves %v, %v", left, err)
			}
			t.Logf("it took %s", time.Since(begun))
		})
	}
}
