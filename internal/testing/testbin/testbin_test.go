package testbin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// write makes a small program below the repository, where Build looks.
func write(t *testing.T, text string) (testbin.Target, string) {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(filepath.Join(root, "bin"), "testbin-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(source, "go.mod"), []byte("module example.test/hello\n\ngo 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(source, "main.go")
	program(t, main, text)
	relative := "bin/" + filepath.Base(dir)
	return testbin.Target{
		Module: relative + "/source", Package: ".", Output: relative + "/hello",
		Sources: []string{relative + "/source"},
	}, main
}

func program(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("package main\n\nfunc main() { print(\""+text+"\") }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func output(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(path).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestBuildFollowsTheSources(t *testing.T) {
	target, main := write(t, "first")
	path, err := testbin.Build(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, path); got != "first" {
		t.Errorf("ran %q", got)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testbin.Build(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("built again though nothing changed (error %v)", err)
	}

	program(t, main, "second")
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(main, later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := testbin.Build(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	if got := output(t, path); got != "second" {
		t.Errorf("after the change it ran %q", got)
	}
}

func TestBuildTogether(t *testing.T) {
	target, _ := write(t, "together")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			path, err := testbin.Build(t.Context(), target)
			if err != nil {
				t.Error(err)
			} else if got := output(t, path); got != "together" {
				t.Errorf("ran %q", got)
			}
		})
	}
	all.Wait()
}

func TestBuildSaysWhatIsWrong(t *testing.T) {
	target, main := write(t, "unused")
	if err := os.WriteFile(main, []byte("package main\n\nfunc main() { undefinedFunction() }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := testbin.Build(t.Context(), target); err == nil || !strings.Contains(err.Error(), "undefinedFunction") {
		t.Errorf("error %v does not show the compiler's", err)
	}
}
