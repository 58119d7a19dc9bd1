package matrix

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

// Matrix is a table of behaviours, each proved for each column.
type Matrix struct {
	// Title begins the line that sums it up.
	Title string
	// Dir is the directory of the tests, and Page the page with the table; both below the root.
	Dir, Page string
	// Command makes the table.
	Command    string
	Columns    []Column
	Behaviours []Behaviour
	// Sources says that the table tells where behaviours are required.
	Sources bool
}

// Column is what behaviours are proved for.
type Column struct {
	// Name is as in the names of tests, with one slash, such as sdkv2/plugin.
	Name    string
	Heading string
}

// Behaviour is one thing that a user can rely on.
type Behaviour struct {
	// Section is the part of the table it is in; empty where there are none.
	Section string
	// Name is that of its test.
	Name string
	// Says is the behaviour, as the table has it, and Source where it is required.
	Says, Source string
	// Not is why it does not apply to a column; empty if it does. nil is that it always does.
	Not func(column string) string
}

// Main runs the tests, writes the table, and ends the program.
func (m Matrix) Main() {
	check := flag.Bool("check", false, "do not write: fail if the table in the page is not what was proved")
	race := flag.Bool("race", false, "with the race detector")
	flag.Parse()
	failed, err := m.run(*check, *race)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func (m Matrix) run(check, race bool) (failed bool, err error) {
	root, err := testbin.Root()
	if err != nil {
		return false, err
	}
	r := newResults()
	if err := r.test(filepath.Join(root, filepath.FromSlash(m.Dir)), race); err != nil {
		return false, err
	}
	cells := r.cells(m)
	sum := summary(m.Title, cells)
	defer fmt.Println(sum)
	for _, c := range cells {
		if c.outcome == failure {
			fmt.Printf("failed: %s, %s: %s\n", c.column.Name, c.behaviour.Name, c.reason)
		}
	}
	if sum.failed > 0 || r.broken {
		return true, nil // a table of what does not hold is nobody's documentation
	}
	page := filepath.Join(root, filepath.FromSlash(m.Page))
	old, err := os.ReadFile(page)
	if err != nil {
		return false, err
	}
	written, err := m.insert(old, table(m, cells))
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", page, err)
	case bytes.Equal(old, written):
		return false, nil
	case check:
		return true, fmt.Errorf("the table in %s is not up to date: %s writes it", m.Page, m.Command)
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

// insert puts the table between the marks of a page.
func (m Matrix) insert(page []byte, table string) ([]byte, error) {
	begin, end := "<!-- matrix: made by "+m.Command+" -->", "<!-- end of matrix -->"
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("it lacks the lines %q and %q", begin, end)
	}
	return []byte(before + begin + "\n\n" + table + "\n" + end + after), nil
}
