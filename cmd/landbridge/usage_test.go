package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// commands returns all commands, as users call them.
func commands() (out []*cobra.Command) {
	eachCommand(newRootCommand(), func(c *cobra.Command) { out = append(out, c) })
	return out
}

// words returns the arguments that call a command.
func words(c *cobra.Command) []string { return strings.Fields(c.CommandPath())[1:] }

// TestUnknownCommands checks all commands that have others below them: another name is an error,
// which suggests the similar one, and flags of the command that was meant make no difference.
func TestUnknownCommands(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range commands() {
		if !c.HasSubCommands() {
			continue
		}
		n++
		for name, test := range map[string]struct {
			args []string
			want string
		}{
			"something else": {
				args: []string{"zzzzzzzz"},
				want: `unknown command "zzzzzzzz" for "` + c.CommandPath() + `". ` + c.CommandPath() +
					` --help lists the commands`,
			},
			"with a flag": {
				args: []string{"zzzzzzzz", "--of-it", "x"},
				want: `unknown command "zzzzzzzz" for "` + c.CommandPath() + `". ` + c.CommandPath() +
					` --help lists the commands`,
			},
			"an unknown flag": {args: []string{"--zzzzzzzz"}, want: `unknown flag: --zzzzzzzz; ` + c.CommandPath() + ` --help lists the flags`},
		} {
			if out, _, err := run(t, append(words(c), test.args...)...); err == nil || err.Error() != test.want || out != "" {
				t.Errorf("%s, %s: got %v and %q, want %s", c.CommandPath(), name, err, out, test.want)
			}
		}
		for _, below := range c.Commands() {
			if !below.IsAvailableCommand() {
				continue
			}
			typed := below.Name()[:len(below.Name())-1]
			if slices.ContainsFunc(c.Commands(), func(other *cobra.Command) bool { return other.Name() == typed }) {
				continue
			}
			_, _, err := run(t, append(words(c), typed)...)
			if err == nil || !strings.Contains(err.Error(), "Did you mean ") || !strings.Contains(err.Error(), below.Name()) {
				t.Errorf("%s %s: got %v, want a suggestion of %s", c.CommandPath(), typed, err, below.Name())
			}
		}
		if c.Name() == "completion" || !c.HasParent() {
			continue
		}
		if _, _, err := run(t, append(append([]string{"help"}, words(c)...), "zzzzzzzz")...); err == nil ||
			!strings.Contains(err.Error(), "unknown command") {
			t.Errorf("help %s zzzzzzzz: got %v", c.CommandPath(), err)
		}
		if out, _, err := run(t, words(c)...); err != nil || !strings.Contains(out, "Available Commands:") ||
			strings.Contains(out, c.CommandPath()+" [flags]") {
			t.Errorf("%s: got %v and:\n%s", c.CommandPath(), err, out)
		}
	}
	if n < 5 {
		t.Errorf("only %d commands have others below them", n)
	}
}

// TestMissing checks all commands that require arguments or flags: without them, the error names
// the first of them and the usage.
func TestMissing(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range commands() {
		required := append(positional(c.Use), missingFlags(c)...)
		if c.HasSubCommands() || len(required) == 0 || c.Args != nil && c.Args(c, nil) == nil {
			continue
		}
		n++
		_, _, err := run(t, words(c)...)
		if err == nil || !strings.HasPrefix(err.Error(), required[0]) ||
			!strings.Contains(err.Error(), " missing; the usage is: "+c.CommandPath()) {
			t.Errorf("%s: got %v, want that %s is missing", c.CommandPath(), err, required[0])
		}
		if code, tell := exitStatus(c, err); code == 0 || !tell {
			t.Errorf("%s: exit status %d", c.CommandPath(), code)
		}
	}
	if n < 15 {
		t.Errorf("only %d commands require something", n)
	}
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string
		code int
	}{
		"too many": {
			args: []string{"provider", "schema", "a", "b", "--output-file", "c"},
			want: `unexpected argument "b"; the usage is: landbridge provider schema PROVIDER --output-file FILE`,
			code: 1,
		},
		"none allowed": {args: []string{"version", "a"}, want: `unexpected argument "a"; the usage is: landbridge version`, code: 1},
		"two that exclude": {
			args: []string{"plan", "-f", "x", "--destroy", "--refresh-only", "--provider", "x"},
			want: "--destroy and --refresh-only cannot be given together", code: 1,
		},
		"neither of two": {
			args: []string{"plan", "-f", "x"},
			want: "--provider or --server is missing; the usage is: landbridge plan -f MANIFEST (--provider " +
				"PROVIDER | --server)",
			code: 1,
		},
		"a flag": {args: []string{"diff"}, want: "--filename (-f) is missing; the usage is: landbridge diff -f MANIFEST", code: 2},
		"an unknown flag": {
			args: []string{"diff", "--nothing"},
			want: "unknown flag: --nothing; landbridge diff --help lists the flags", code: 2,
		},
		"an unknown topic": {
			args: []string{"help", "plam"},
			want: `unknown command "plam" for "landbridge". Did you mean plan? landbridge --help lists the commands`,
			code: 1,
		},
		"a value of a flag": {
			args: []string{"crds", "x", "--timeout", "y"},
			want: `invalid argument "y" for "--timeout" flag: time: invalid duration "y"; landbridge crds --help lists the flags`,
			code: 1,
		},
		"a value of a format": {args: []string{"version", "-o", "xml"}, want: `unknown output "xml": must be one of text, json, yaml`, code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := newRootCommand()
			root.SetArgs(test.args)
			c, err := root.ExecuteContextC(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			code, tell := exitStatus(c, err)
			if diff := cmp.Diff([]any{test.want, test.code, true}, []any{err.Error(), code, tell}); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestHelp checks that the help of all commands shows the flags for provider sources as a group, of
// those that have them.
func TestHelp(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range commands() {
		if c.Name() == "help" || c.Hidden {
			continue
		}
		out, _, err := run(t, append(words(c), "--help")...)
		if err != nil {
			t.Errorf("%s: %v", c.CommandPath(), err)
			continue
		}
		_, group, ok := strings.Cut(out, "\nWhere providers come from:\n")
		if has := c.Flags().Lookup("provider-mirror") != nil; has != ok || ok && !strings.Contains(group, "$LANDBRIDGE_PROVIDER_MIRROR") {
			t.Errorf("%s:\n%s", c.CommandPath(), out)
		}
		if ok {
			n++
		}
	}
	if n < 15 {
		t.Errorf("only %d commands have the flags", n)
	}
}

// TestOutputIsAFormat checks that --output of all commands is a format: either it is not a path at
// all, or it is one only for compatibility, with a flag of its own.
func TestOutputIsAFormat(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		f := c.Flags().Lookup("output")
		if f == nil {
			continue
		}
		_, path := f.Value.(*pathOrFormat)
		if !path && !strings.Contains(f.Usage, "format") {
			t.Errorf("%s: --output: %s", c.CommandPath(), f.Usage)
		}
		if f.Shorthand != "o" {
			t.Errorf("%s: --output has the shorthand %q", c.CommandPath(), f.Shorthand)
		}
		if path && c.Flags().Lookup(outputDir) == nil && c.Flags().Lookup(outputFile) == nil {
			t.Errorf("%s has no flag for a path", c.CommandPath())
		}
	}
}

func TestPathOrFormat(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args       []string
		path, said string
	}{
		"nothing":  {},
		"a path":   {args: []string{"--output-dir", "x"}, path: "x"},
		"a format": {args: []string{"-o", "yaml"}},
		"both":     {args: []string{"-o", "yaml", "--output-dir", "x"}, path: "x"},
		"an old one": {
			args: []string{"-o", "x"}, path: "x",
			said: "Notice: --output is for formats. Write --output-dir x for a path; the next minor version does " +
				"not take one in --output any more.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var path string
			var said strings.Builder
			c := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
			addPath(c, outputDir, &path, "a directory", "yaml")
			c.SetErr(&said)
			c.SetArgs(test.args)
			if err := c.Execute(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.path, test.said}, []string{path, said.String()}); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestCommandsPage checks that docs/commands.md names every command and what its exit statuses
// mean, and no other.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "docs", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 6 || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			name = strings.Trim(name, "` ")
			if documented[name] {
				t.Errorf("%s is documented twice", name)
			}
			documented[name] = true
		}
		for _, status := range cells[2:5] {
			if strings.TrimSpace(status) == "" {
				t.Errorf("a status is missing: %s", line)
			}
		}
	}
	have := map[string]bool{}
	for _, c := range commands() {
		if c.Hidden || c.HasSubCommands() || c.Name() == "help" || c.HasParent() && c.Parent().Name() == "completion" {
			continue
		}
		have[strings.Join(words(c), " ")] = true
	}
	if diff := cmp.Diff(have, documented); diff != "" {
		t.Errorf("-commands, +docs/commands.md:\n%s", diff)
	}
}
