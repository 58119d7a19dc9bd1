package frontdoor_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// clone is a clone of the checkout, with its uncommitted changes.
type clone struct {
	root string // of the checkout
	dir  string
}

// newClone makes a clone. It has the same path each time, so that the go command finds in its cache
// what it compiled for the one before.
func newClone(t *testing.T) *clone {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	c := &clone{root: root, dir: filepath.Join(root, ".cache", "frontdoor", "landbridge")}
	if err := errors.Join(os.RemoveAll(c.dir), os.MkdirAll(filepath.Dir(c.dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	head := strings.TrimSpace(string(git(t, root, "rev-parse", "HEAD")))
	git(t, root, "clone", "--quiet", "--shared", "--no-checkout", root, c.dir)
	git(t, c.dir, "checkout", "--quiet", "--detach", head)
	for name := range bytes.SplitSeq(git(t, root, "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"), []byte{0}) {
		if len(name) == 0 {
			continue
		}
		from, to := filepath.Join(root, string(name)), filepath.Join(c.dir, string(name))
		content, err := os.ReadFile(from)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = os.Remove(to)
			if errors.Is(err, fs.ErrNotExist) {
				err = nil // a file that is listed twice, as deleted and as modified
			}
		case err == nil:
			info, statErr := os.Stat(from)
			if statErr != nil {
				t.Fatal(statErr)
			}
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, content, info.Mode()), os.Chmod(to, info.Mode()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// What the pages write is told apart from what the checkout has.
	git(t, c.dir, "add", "--all")
	git(t, c.dir, "-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "core.hooksPath=/dev/null",
		"commit", "--quiet", "--allow-empty", "--message", "The checkout")
	return c
}

// reset makes the clone a fresh one again. What was built stays: the go command builds it anew if
// it has to.
func (c *clone) reset(t *testing.T) {
	t.Helper()
	git(t, c.dir, "reset", "--quiet", "--hard")
	git(t, c.dir, "clean", "-ffdxq", "--exclude=/bin", "--exclude=/dist")
}

// left fails the test if a program of the clone still runs, where the kernel tells.
func (c *clone) left(t *testing.T) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range processes {
		if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, c.dir+"/") {
			t.Errorf("%s was left running (%s)", strings.TrimPrefix(program, c.dir+"/"), filepath.Dir(link))
		}
	}
}

func git(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out
}
