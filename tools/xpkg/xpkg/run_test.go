//go:build linux

package xpkg_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/landbridge-io/landbridge/tools/xpkg/xpkg"
)

// The image of a package runs as Crossplane runs it: as user and group 2000, without flags.
func TestRun(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can change to the image's directory and user")
	}
	probe := filepath.Join(t.TempDir(), "probe")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", probe, "./testdata/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	image, _, err := xpkg.Build(directory(t, valid()), program(t, runtime.GOARCH, probe))
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	in := mutate.Extract(image)
	defer in.Close()
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		extract(t, filepath.Join(root, filepath.Clean("/"+h.Name)), h, r)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(config.Config.Entrypoint[0], config.Config.Cmd...)
	cmd.Env, cmd.Dir = config.Config.Env, config.Config.WorkingDir
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 2000, Gid: 2000}}
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "it runs\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func extract(t *testing.T, path string, h *tar.Header, content io.Reader) {
	t.Helper()
	if h.Typeflag == tar.TypeDir {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	} else {
		raw, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chown(path, h.Uid, h.Gid), os.Chmod(path, os.FileMode(h.Mode)&os.ModePerm|sticky(h))); err != nil {
		t.Fatal(err)
	}
}

// sticky returns Go's bit for directories like /tmp.
func sticky(h *tar.Header) os.FileMode {
	if h.Mode&0o1000 != 0 {
		return os.ModeSticky
	}
	return 0
}
