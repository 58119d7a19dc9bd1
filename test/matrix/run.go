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
	"regexp"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// Matrix is a set of behaviours, each tested in each column.
type Matrix struct {
	// Title begins the closing line.
	Title string
	// Dir is the directory of the tests, relative to the root.
	Dir string
	// Command is the command that writes the tables.
	Command string
	Columns []Column
	Tables  []Table
	// Sources is set if the tables have a column with the sources of requirements.
	Sources bool
}

// Table is a table in the documentation. The names of behaviours are unique across tables.
type Table struct {
	// Name is the name in its marks and for the flag -table.
	Name string
	// Page is the path of its page, relative to the root.
	Page       string
	Behaviours []Behaviour
}

// Column is a configuration in which behaviours are tested.
type Column struct {
	// Name is the name in test names. It contains one slash, as in sdkv2/plugin.
	Name    string
	Heading string
}

// Behaviour is something that users can rely on.
type Behaviour struct {
	// Section is the part of the table, if tables have parts.
	Section string
	// Name is the name of its test.
	Name string
	// Says is the text of the behaviour in the table, and Source is where it is required.
	Says, Source string
	// Not returns why the behaviour does not apply to a column, or "" if it does. Defaults to a
	// function that always returns "".
	Not func(column string) string
}

// Main runs the tests, writes the tables, and exits.
func (m Matrix) Main() {
	check := flag.Bool("check", false, "do not write: fail if a table in a page is not what was proved")
	race := flag.Bool("race", false, "with the race detector")
	only := flag.String("table", "", "prove this one alone, "+m.names()+"; all by default")
	flag.Parse()
	failed, err := m.run(*only, *check, *race)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// names returns the names of the tables.
func (m Matrix) names() string {
	var out []string
	for _, t := range m.Tables {
		out = append(out, t.Name)
	}
	return strings.Join(out, " or ")
}

func (m Matrix) run(only string, check, race bool) (failed bool, err error) {
	root, err := testbin.Root()
	if err != nil {
		return false, err
	}
	args := []string{"-timeout", "30m", "-count", "1"}
	if only != "" {
		i := slices.IndexFunc(m.Tables, func(t Table) bool { return t.Name == only })
		if i < 0 {
			return false, fmt.Errorf("unknown table %s; the tables are %s", only, m.names())
		}
		m.Title, m.Tables = only, m.Tables[i:i+1]
		args = append(args, "-run", m.pattern())
	}
	if race {
		args = append(args, "-race")
	}
	r := newResults()
	if err := r.test(filepath.Join(root, filepath.FromSlash(m.Dir)), append(args, "./...")); err != nil {
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
		return true, nil // a failed table must not become documentation
	}
	for _, t := range m.Tables {
		if err := m.write(root, t, table(m, t.of(cells)), check); err != nil {
			return true, fmt.Errorf("%s: %w", t.Page, err)
		}
	}
	return false, nil
}

// pattern returns the argument of go test -run that selects the behaviours of the tables.
func (m Matrix) pattern() string {
	var all []string
	for _, t := range m.Tables {
		for _, b := range t.Behaviours {
			all = append(all, regexp.QuoteMeta(b.Name))
		}
	}
	return "/.*/.*/^(" + strings.Join(all, "|") + ")$"
}

// of returns the cells of the table.
func (t Table) of(cells []cell) []cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.table != t.Name })
}

// write writes a table into its page. With check it only reports whether the page is up to date.
func (m Matrix) write(root string, t Table, text string, check bool) error {
	page := filepath.Join(root, filepath.FromSlash(t.Page))
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	written, err := m.insert(old, t.Name, text)
	switch {
	case err != nil:
		return err
	case bytes.Equal(old, written):
		return nil
	case check:
		return fmt.Errorf("the table %s is not up to date: run %s", t.Name, m.Command)
	}
	return os.WriteFile(page, written, 0o644)
}

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// test runs the tests and records their results. A failed test is not an error.
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

// marks returns the lines around a table in its page.
func (m Matrix) marks(name string) (begin, end string) {
	return "<!-- table " + name + ": made by " + m.Command + " -->", "<!-- end of table " + name + " -->"
}

// insert replaces what is between the marks in a page with a table.
func (m Matrix) insert(page []byte, name, table string) ([]byte, error) {
	begin, end := m.marks(name)
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return nil, fmt.Errorf("it lacks the lines %q and %q", begin, end)
	}
	return []byte(before + begin + "\n\n" + table + "\n" + end + after), nil
}
