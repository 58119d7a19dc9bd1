package plugin_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// TestChangedBinaryIsNotRun changes a binary after its checksum was taken, and hides it: the size
// and the modification time stay.
func TestChangedBinaryIsNotRun(t *testing.T) {
	t.Parallel()
	l, _ := launcher(t, testprovider.Good)
	original, err := os.Open(l.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer original.Close()
	l.Path = filepath.Join(t.TempDir(), "terraform-provider-x")
	file, err := os.OpenFile(l.Path, os.O_CREATE|os.O_RDWR, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(file, original)
	if err = errors.Join(err, file.Close(), os.Chtimes(l.Path, time.Unix(1, 0), time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	if l.SHA256, err = checksum.Of(l.Path); err != nil {
		t.Fatal(err)
	}
	s, err := l.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}

	if file, err = os.OpenFile(l.Path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte("x"), info.Size()-1)
	if err = errors.Join(err, file.Close(), os.Chtimes(l.Path, time.Unix(1, 0), time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	if s, err = l.Launch(t.Context()); err == nil {
		_ = s.Close(context.Background())
		t.Fatal("it started")
	}
	var e *plugin.StartError
	if !errors.As(err, &e) || e.Reason != plugin.ChecksumMismatch || !strings.Contains(err.Error(), l.SHA256) {
		t.Errorf("got %v", err)
	}
}

// TestExchangedBinaryIsNotRun exchanges a binary for another program as soon as it is opened, so
// that it is the right one when it is checked, and another one has its path when it is started.
func TestExchangedBinaryIsNotRun(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("programs are run by their paths here")
	}
	l, _ := launcher(t, testprovider.Good)
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	content, err := os.ReadFile(l.Path)
	if err := errors.Join(err, os.WriteFile(good, content, 0o755)); err != nil {
		t.Fatal(err)
	}
	evil, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	l.Path = filepath.Join(dir, "terraform-provider-x")
	// By a link, since a file that is replaced while it is read has another time of change, and is
	// refused.
	place := func(program string) {
		beside := filepath.Join(dir, "new")
		if err := errors.Join(os.Symlink(program, beside), os.Rename(beside, l.Path)); err != nil {
			t.Error(err)
		}
	}
	place(good)
	if l.SHA256, err = checksum.Of(l.Path); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range 10 {
		place(good)
		ended, exchanged := make(chan struct{}), make(chan bool)
		go func() {
			opened := opened(good, ended)
			if opened {
				place(evil)
			}
			exchanged <- opened
		}()
		s, err := l.Launch(t.Context())
		if err == nil {
			err = s.Close(context.Background())
		}
		close(ended)
		if <-exchanged {
			n++
		}
		if err != nil {
			t.Errorf("the program that was checked does not run: %v", err)
		}
	}
	if n == 0 {
		t.Error("the program was never exchanged in time")
	}
}

// opened waits until this process has a file open. It reports whether that was before the end.
func opened(path string, end <-chan struct{}) bool {
	for {
		select {
		case <-end:
			return false
		default:
		}
		all, _ := filepath.Glob("/proc/self/fd/*")
		for _, fd := range all {
			if to, err := os.Readlink(fd); err == nil && to == path {
				return true
			}
		}
	}
}
