package plugin_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// TestChangedBinaryIsNotRun changes a binary after its checksum was taken, and hides it: the size and the modification
// time stay.
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
