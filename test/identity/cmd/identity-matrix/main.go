package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/landbridge-io/landbridge/internal/testbin"
)

func main() {
	check := flag.Bool("check", false, "do not write: fail if the table in the page is not what was proved")
	race := flag.Bool("race", false, "with the race detector")
	flag.Parse()
	failed, err := run(*check, *race)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func run(check, race bool) (failed bool, err error) {
	root, err := testbin.Root()
	if err != nil {
		return false, err
	}
	r := newResults()
	if err := r.test(filepath.Join(root, "test", "identity"), race); err != nil {
		return false, err
	}
	cells := r.cells()
	sum := summary(cells)
	defer fmt.Println(sum)
	for _, c := range cells {
		if c.outcome == failure {
			fmt.Printf("failed: %s, %s: %s\n", c.column.Name(), c.behaviour.Name, c.reason)
		}
	}
	if sum.failed > 0 || r.broken {
		return true, nil // a table of what does not hold is nobody's documentation
	}
	page := filepath.Join(root, "docs", "identity.md")
	old, err := os.ReadFile(page)
	if err != nil {
		return false, err
	}
	written, err := insert(old, table(cells))
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", page, err)
	case bytes.Equal(old, written):
		return false, nil
	case check:
		return true, fmt.Errorf("the table in docs/identity.md is not up to date: make identity-matrix writes it")
	}
	return false, os.WriteFile(page, written, 0o644)
}

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// test runs the tests and collects what became of them. Tests that fail are no error.
func (r *results) test(dir string, race bool) error {
	args := []string{"test", "-json", "-timeout", "15m", "-count", "1"}
	if race {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "./...")...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	events := json.NewDecoder(stdout)
	for {
		var e event
		if err := events.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go test -json: %w", err)
		}
		r.add(e)
	}
	if err := cmd.Wait(); err != nil {
		r.broken = true
		if len(r.outcomes) == 0 {
			return fmt.Errorf("go test: %w", err)
		}
	}
	return nil
}

// marks of the table in the page.
const (
	begin = "<!-- matrix: made by make identity-matrix -->"
	end   = "<!-- end of matrix -->"
)

// insert puts the table between the marks of a page.
func insert(page []byte, table string) ([]byte, error) {
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("it lacks the lines %q and %q", begin, end)
	}
	return []byte(before + begin + "\n\n" + table + "\n" + end + after), nil
}
