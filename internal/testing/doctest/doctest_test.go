package doctest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/doctest"
)

func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		page string
		// want is part of the error; empty: none.
		want string
		// written is the page afterwards; empty: as before.
		written string
	}{
		"as the page says": {
			page: "# Title\n\n```console\n$ echo hello\nhello\n\n$ printf 'a\\nb\\n'\na\nb\n```\n",
		},
		"tilde fences, in a list": {
			page: "* item\n\n  ~~~console\n  $ printf 'a\\n  b\\n'\n  a\n    b\n  ~~~\n",
		},
		"standard error is part of it": {
			page: "```console\n$ echo no >&2\nno\n```\n",
		},
		"lines that depend on the speed": {
			page: "```console\n$ echo 'I1123 11:08:21.146884  13779 reflector.go:664] slow'; echo 'Waiting for the " +
				"running Update, which began 0s ago.'; echo done\ndone\n```\n",
		},
		"such lines where they are expected": {
			page: "```console\n$ echo 'Waiting for the running Update, which began 0s ago.'\nWaiting for the " +
				"running Update, which began <elapsed> ago.\n```\n",
		},
		"another output": {
			page:    "before\n```console\n$ echo hello\nbye\n$ true\n```\nafter\n",
			want:    `line 3: $ echo hello`,
			written: "before\n```console\n$ echo hello\nhello\n$ true\n```\nafter\n",
		},
		"two other outputs, of other lengths": {
			page:    "```console\n$ printf 'a\\nb\\n'\nx\n```\n\n  ```console\n  $ echo c\n  x\n  y\n  z\n  ```\nafter\n",
			want:    "line 7: $ echo c",
			written: "```console\n$ printf 'a\\nb\\n'\na\nb\n```\n\n  ```console\n  $ echo c\n  c\n  ```\nafter\n",
		},
		"more output than the page says": {
			page:    "```console\n$ printf 'a\\nb\\n'\na\n```\n",
			want:    "line 2",
			written: "```console\n$ printf 'a\\nb\\n'\na\nb\n```\n",
		},
		"no output where there should be": {
			page:    "```console\n$ true\na\n```\n",
			want:    "line 2",
			written: "```console\n$ true\n```\n",
		},
		"a status that is not expected": {page: "```console\n$ echo why; exit 3\nwhy\n```\n", want: "ended with status 3, want 0:\nwhy"},
		"a status that is expected":     {page: "```console exit=3\n$ true\n$ exit 3\n```\n"},
		"success that is not expected":  {page: "```console exit=3\n$ true\n```\n", want: "ended with status 0, want 3"},
		"only the last command is to fail": {
			page: "```console exit=3\n$ exit 3\n$ exit 3\n```\n", want: "line 2: $ exit 3\nended with status 3, want 0",
		},
		"nothing runs after a wrong status": {page: "```console\n$ false\n$ touch \"$MARK\"\n```\n", want: "line 2: $ false\n"},
		"placeholders": {
			page: "```console\n$ echo id=abc, again=abc\nid=<id>, again=<id>\n$ echo <id>-x\nabc-x\n$ echo abc.abc\n<id>.<id>\n```\n",
		},
		"a placeholder that changes within an output": {
			page: "```console\n$ echo abc abd\n<id> <id>\n```\n", want: `<id> stands for "abc", and then for "abd"`,
			written: "```console\n$ echo abc abd\nabc abd\n```\n",
		},
		"a placeholder that changes later": {
			page: "```console\n$ echo abcd\n<id>\n$ echo abce\n<id>\n$ echo abcd too\nx\n```\n", want: "line 4: $ echo abce",
			written: "```console\n$ echo abcd\n<id>\n$ echo abce\nabce\n$ echo abcd too\n<id> too\n```\n",
		},
		"a placeholder stands for something": {
			page: "```console\n$ echo id=\nid=<id>\n```\n", want: "line 2",
			written: "```console\n$ echo id=\nid=\n```\n",
		},
		"a placeholder without an explanation": {
			page: "```console\n$ echo <id>\n<id>\n```\n", want: "line 2: <id> is used before an output said what it is",
		},
		"what kubectl prints is no placeholder": {
			page: "```console\n$ echo some\n<none>\n```\n", want: "line 2",
			written: "```console\n$ echo some\nsome\n```\n",
		},
		"patterns": {
			page: "```console\n$ echo 3s 14m\n<age> <age>\n$ echo 5s\n<age>\n```\n",
		},
		"not the pattern": {
			page: "```console\n$ echo soon\n<age>\n```\n", want: "line 2", written: "```console\n$ echo soon\nsoon\n```\n",
		},
		"any lines": {
			page: "```console\n$ seq 5\n1\n...\n5\n$ seq 2\n1\n...\n2\n```\n",
		},
		"any lines, but the last": {
			page: "```console\n$ seq 5\n1\n...\n4\n```\n", want: "line 2", written: "```console\n$ seq 5\n1\n2\n3\n4\n5\n```\n",
		},
		"columns are as wide as they are": {
			page: "```console\n$ printf 'NAME    AGE\\nlong-name-here  1\\n'\nNAME  AGE\nlong-name-here                1\n```\n",
		},
		"columns are written as they are": {
			page: "```console\n$ printf 'NAME    AGE\\nlong    1\\n'\nx\n```\n", want: "line 2",
			written: "```console\n$ printf 'NAME    AGE\\nlong    1\\n'\nNAME    AGE\nlong    1\n```\n",
		},
		"indentation counts": {
			page: "```console\n$ printf 'a:\\n  b: 1\\n'\na:\n    b: 1\n```\n", want: "line 2",
			written: "```console\n$ printf 'a:\\n  b: 1\\n'\na:\n  b: 1\n```\n",
		},
		"one space is not two": {
			page: "```console\n$ echo 'a b'\na  b\n```\n", want: "line 2", written: "```console\n$ echo 'a b'\na b\n```\n",
		},
		"the session goes on": {
			page: "```console\n$ export WHO=me; mkdir sub; cd sub\n```\nthen\n```console\n$ echo $WHO in ${PWD##*/}\nme in sub\n```\n",
		},
		"also after a failure": {
			page: "```console exit=1\n$ export WHO=me; false\n```\nthen\n```console\n$ echo $WHO\nme\n```\n",
		},
		"here documents": {
			page: "```console\n$ cat - <<EOF\n> one\n>   two\n>\n> EOF\none\n  two\n\n```\n",
		},
		"files, and replaced texts": {
			page: "```yaml file=a.yaml\na: http://example.org\n```\n```console\n$ cat a.yaml\na: " +
				"http://example.org\n$ echo $PLACE http://example.org/x\nhttp://example.org http://example.org/x\n$ " +
				"echo $PLACE\nx\n```\n",
			want: "line 9: $ echo $PLACE",
			written: "```yaml file=a.yaml\na: http://example.org\n```\n```console\n$ cat a.yaml\na: " +
				"http://example.org\n$ echo $PLACE http://example.org/x\nhttp://example.org http://example.org/x\n$ " +
				"echo $PLACE\nhttp://example.org\n```\n",
		},
		"other languages are not run": {page: "```yaml\nfalse\n```\n\n```console\n$ true\n```\n"},
		"within": {
			page: "```console within=10s\n$ echo x >> count; test $(wc -l < count) -ge 3; wc -l < count\n3\n```\n",
		},
		"within, a status": {page: "```console within=10s\n$ echo x >> count; test $(wc -l < count) -ge 3\n```\n"},
		"never": {
			page: "```console within=300ms\n$ echo x\ny\n```\n", want: "line 2",
			written: "```console within=300ms\n$ echo x\nx\n```\n",
		},
		"a command that never ends": {page: "```console\n$ echo before; sleep 100\n```\n", want: "did not end within 3s\nbefore"},
		"a shell's block":           {page: "```console\n$ true\n```\n```sh\nfalse\n```\n", want: `line 4: a block of language "sh" is not run`},
		"commands without language": {page: "```\n$ true\n```\n", want: `needs the language "console"`},
		"a word that means nothing": {page: "```console exits=1\n$ true\n```\n", want: "line 1: exits=1: unknown"},
		"a block that does not end": {page: "```console\n$ true\n", want: "line 1: the block that begins here does not end"},
		"a page without commands":   {page: "text\n", want: "no console block"},
		"output before any command": {page: "```console\nhello\n$ true\n```\n", want: "line 1: a console block begins with a command"},
		"a file without a name":     {page: "```yaml file=\na: 1\n```\n", want: "file= needs a name"},
		"background":                {page: "```console\n$ sleep 100 & echo $! > pid\n$ kill -0 $(cat pid) && echo runs\nruns\n```\n"},
		"another terminal": {
			page: "```console background\n$ trap 'echo bye > bye; exit' INT; echo one; echo two; while sleep 0.1; " +
				"do :; done\none\n...\n```\n```console exit=1\n$ test -e bye\n```\n",
		},
		"the directory and the variables of another terminal": {
			page: "```console\n$ mkdir sub; cd sub; export WHO=me\n```\n```console background\n$ cd ..; echo $WHO; " +
				"WHO=you; sleep 100; true\nme\n```\n```console\n$ echo $WHO in ${PWD##*/}\nme in sub\n```\n",
		},
		"another terminal prints something else": {
			page:    "```console background\n$ echo one; sleep 100\ntwo\n```\n",
			want:    "line 2: $ echo one",
			written: "```console background\n$ echo one; sleep 100\none\n```\n",
		},
		"what runs in another terminal ends too early": {
			page: "```console background\n$ echo why; exit 3\n...\n```\n```console\n$ sleep 1\n```\n", want: "ended",
		},
		"Ctrl-C does not end it": {
			page: "```console background\n$ trap '' INT; echo one; while true; do sleep 100; done\none\n```\n",
			want: "did not end within 3s after Ctrl-C",
		},
		"commands of another language": {page: "```text\n$ true\n```\n", want: `needs the language "console"`},
		"longer fences hold shorter":   {page: "````markdown\n```sh\nfalse\n```\n````\n```console\n$ true\n```\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mark := filepath.Join(dir, "mark")
			o := doctest.Options{
				Dir: dir, Env: []string{"PLACE=http://localhost:1", "MARK=" + mark}, Timeout: time.Minute,
				Replace:  map[string]string{"http://example.org": "http://localhost:1"},
				Patterns: map[string]string{"<age>": `\d+[smh]`},
			}
			if strings.Contains(test.page, "sleep 100\n") || strings.Contains(test.page, "sleep 100; done") {
				o.Timeout = 3 * time.Second
			}
			result, err := doctest.Run(t.Context(), []byte(test.page), o)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got error %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got error %v, want one with %s", err, test.want)
			}
			if test.written == "" {
				test.written = test.page
			} else if mismatch := (*doctest.MismatchError)(nil); !errors.As(err, &mismatch) {
				t.Errorf("got %T", err)
			}
			if diff := cmp.Diff(test.written, string(result.Page)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a command ran that should not")
			}
			if raw, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil {
				pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
				if err != nil {
					t.Fatal(err)
				}
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
					t.Errorf("process %d was left: %v", pid, err)
				}
			}
		})
	}
}

// Treated commands have other programs, and are reported; a treatment without a command is an
// error.
func TestTreatments(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	if err := os.WriteFile(filepath.Join(programs, "hostname"), []byte("#!/bin/sh\necho in place of it\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	page := []byte("```console\n$ hostname --of-a-node\nin place of it\n$ case $PATH in *" + programs + "*) echo still;; esac\n```\n")
	treated := map[string]doctest.Treatment{"hostname --of-a-node": {How: "there is no node", Programs: programs}}
	result, err := doctest.Run(t.Context(), page, doctest.Options{Treatments: treated})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(doctest.Result{Page: page, Commands: 2, Treated: []string{"hostname --of-a-node"}}, result); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	treated["hostname"] = doctest.Treatment{}
	if _, err := doctest.Run(t.Context(), page, doctest.Options{Treatments: treated}); err == nil ||
		!strings.Contains(err.Error(), `no command "hostname"`) {
		t.Errorf("got error %v", err)
	}
}

// With Environ, commands have no other environment.
func TestEnviron(t *testing.T) {
	t.Setenv("LANDBRIDGE_OF_THE_TEST", "set")
	page := []byte("```console\n$ echo ${LANDBRIDGE_OF_THE_TEST:-unset} $OTHER $MORE\nunset other more\n```\n")
	environ := []string{"PATH=" + os.Getenv("PATH"), "OTHER=other"}
	if _, err := doctest.Run(t.Context(), page, doctest.Options{Environ: environ, Env: []string{"MORE=more"}}); err != nil {
		t.Error(err)
	}
}

// The file of a page is itself left as it is, but with -update.
func TestTest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "page.md")
	const page = "```console\n$ pwd | grep -c doctest\n1\n```\n"
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	doctest.Test(t, file, doctest.Options{})
	if raw, err := os.ReadFile(file); err != nil || string(raw) != page {
		t.Errorf("%v\n%s", err, raw)
	}
}
