package testbin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tree is the source of an earlier commit, beside the checkout.
type Tree struct {
	// Dir is the directory of the source: its programs are built there, with the build cache of the
	// checkout's own.
	Dir string

	root, commit string
}

// Checkout writes the source of a commit or tag of this repository into a directory of its own,
// unless it is there.
func Checkout(ctx context.Context, revision string) (*Tree, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	git := func(env []string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...)
		cmd.Env = append(cmd.Environ(), env...)
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("git %s: %w\n%s", args[0], err, said.Bytes())
		}
		return strings.TrimSpace(out.String()), nil
	}
	commit, err := git(nil, "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("this clone has no commit or tag %s: fetch the history, with "+
			"git fetch --tags --unshallow if the clone is shallow, else with git fetch --tags", revision)
	}
	t := &Tree{Dir: filepath.Join(root, ".cache", "commits", commit[:12]), root: root, commit: commit[:12]}
	unlock, err := lock(filepath.Join(root, "bin", ".locks", "commit-"+t.commit))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := os.Stat(t.Dir); !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	// An index of its own leaves the checkout's as it is.
	index, unfinished := t.Dir+".index", t.Dir+".new"
	defer os.Remove(index)
	if err := errors.Join(os.RemoveAll(unfinished), os.MkdirAll(unfinished, 0o755)); err != nil {
		return nil, err
	}
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := git(env, "read-tree", commit); err != nil {
		return nil, err
	}
	prefix := unfinished + string(filepath.Separator)
	if _, err := git(env, "checkout-index", "--all", "--prefix="+prefix); err != nil {
		return nil, err
	}
	return t, os.Rename(unfinished, t.Dir)
}

// Build returns the absolute path of the target's binary of that commit. It builds the binary if it
// is missing.
func (t *Tree) Build(ctx context.Context, target Target) (string, error) {
	output := filepath.Join(t.root, "bin", "commits", t.commit, filepath.Base(target.Output))
	unlock, err := lock(filepath.Join(t.root, "bin", ".locks", "commit-"+t.commit+"-"+filepath.Base(output)))
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(output); !errors.Is(err, fs.ErrNotExist) {
		return output, err
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return "", err
	}
	return output, target.build(ctx, t.Dir, output)
}
