package tofu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/landbridge-io/landbridge/internal/testbin"
)

// flags are the linker's: without version.dev=no the program calls itself a development build.
const flags = "-s -w -X github.com/opentofu/opentofu/version.dev=no"

// Build returns the path of the tofu program, which it builds where it is missing or older
// than its module. It takes minutes the first time.
func Build(ctx context.Context) (string, error) {
	root, err := testbin.Root()
	if err != nil {
		return "", err
	}
	module := filepath.Join(root, "test", "differential", "tofu")
	output := filepath.Join(root, "bin", "tofu")
	locks := filepath.Join(root, "bin", ".locks")
	if err := os.MkdirAll(locks, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(locks, "tofu"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("locking %s: %w", lock.Name(), err)
	}
	fresh, err := isFresh(output, filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum"))
	if err != nil || fresh {
		return output, err
	}
	fmt.Fprintln(os.Stderr, "building OpenTofu from its Go module: about four minutes the first time")
	building := output + ".new"
	defer os.Remove(building)
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags="+flags, "-o", building, "github.com/opentofu/opentofu/cmd/tofu")
	cmd.Dir = module
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building OpenTofu in %s: %w\n%s", module, err, out.Bytes())
	}
	return output, os.Rename(building, output)
}

func isFresh(output string, sources ...string) (bool, error) {
	built, err := os.Stat(output)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	for _, source := range sources {
		s, err := os.Stat(source)
		if err != nil {
			return false, err
		}
		if s.ModTime().After(built.ModTime()) {
			return false, nil
		}
	}
	return true, nil
}
