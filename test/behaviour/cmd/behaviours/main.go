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
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/testbin"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

func main() {
	check := flag.Bool("check", false, "do not write: fail if a table in a page is not what was proved")
	race := flag.Bool("race", false, "with the race detector")
	only := flag.String("table", "", "prove one table, "+names()+"; all by default")
	flag.Parse()
	failed, err := run(*only, *check, *race)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// names are those of the tables.
func names() string {
	var out []string
	for _, t := range behaviour.Tables {
		out = append(out, t.Name)
	}
	return strings.Join(out, " or ")
}

func run(only string, check, race bool) (failed bool, err error) {
	root, err := testbin.Root()
	if err != nil {
		return false, err
	}
	title, tables := "behaviours", behaviour.Tables
	if only != "" {
		title, tables = only, slices.DeleteFunc(slices.Clone(tables), func(t behaviour.Table) bool { return t.Name != only })
	}
	if len(tables) == 0 {
		return false, fmt.Errorf("there is no table %s, but %s", only, names())
	}
	r := newResults(tables)
	args := []string{"-timeout", "30m", "-count", "1"}
	if only != "" {
		args = append(args, "-run", r.pattern())
	}
	if race {
		args = append(args, "-race")
	}
	if err := r.test(filepath.Join(root, "test", "behaviour"), append(args, "./...")); err != nil {
		return false, err
	}
	cells := r.cells()
	sum := summary(cells)
	defer func() { fmt.Printf("%s: %s\n", title, sum) }()
	for _, c := range cells {
		if c.outcome == failure {
			fmt.Printf("failed: %s, %s: %s\n", c.column.Name(), c.behaviour.Name, c.reason)
		}
	}
	if sum.failed > 0 || r.broken {
		return true, nil // a table of what does not hold is nobody's documentation
	}
	for _, t := range tables {
		others := func(c cell) bool { return c.table != t.Name }
		text := table(slices.DeleteFunc(slices.Clone(cells), others))
		if err := write(filepath.Join(root, filepath.FromSlash(t.Page)), t.Name, text, check); err != nil {
			return true, fmt.Errorf("%s: %w", t.Page, err)
		}
	}
	return false, nil
}

// write puts a table into a page, or only says whether it is there.
func write(page, name, table string, check bool) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	written, err := insert(old, name, table)
	switch {
	case err != nil:
		return err
	case bytes.Equal(old, written):
		return nil
	case check:
		return errors.New("the table is not up to date: make behaviours writes it")
	}
	return os.WriteFile(page, written, 0o644)
}

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// test runs the tests and collects what became of them. Tests that fail are no error.
func (r *results) test(dir string, args []string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
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

// marks of a table in its page.
func marks(name string) (begin, end string) {
	return "<!-- table " + name + ": made by make behaviours -->", "<!-- end of table " + name + " -->"
}

// insert puts the table between the marks of a page.
func insert(page []byte, name, table string) ([]byte, error) {
	begin, end := marks(name)
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("it lacks the lines %q and %q", begin, end)
	}
	return []byte(before + begin + "\n\n" + table + "\n" + end + after), nil
}
