package commandline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

func TestNewErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ dir, want string }{
		"too long": {filepath.Join(t.TempDir(), strings.Repeat("x", 100)), "too long for sockets"},
		"a file":   {file, "not a directory"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := commandline.New(commandline.Options{Program: &commandline.Program{}, Dir: test.dir}); err ==
				nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// open returns a runner of a script, and a directory.
func open(t *testing.T, o commandline.Options, does string) (*commandline.Runner, *commandline.Directory) {
	t.Helper()
	var err error
	if o.Program, err = commandline.Find(t.Context(), script(t, modern, does)); err != nil {
		t.Fatal(err)
	}
	if o.Dir, err = os.MkdirTemp("", "lb-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(o.Dir) })
	r, err := commandline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		d.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, d
}

// TestEvents checks which lines of the output are events.
func TestEvents(t *testing.T) {
	t.Parallel()
	r, d := open(t, commandline.Options{}, `echo '{"type":"apply_progress","hook":{"action":"create","elapsed_seconds":10.2}}'; echo; printf '\033[31m│ strange \033[0m\n'; echo later; exit 3`)
	turn, err := r.Turn(t.Context(), commandline.Working)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Release()
	var progress []string
	got, err := d.Run(t.Context(), turn, commandline.Command{
		Args: []string{"apply"}, Event: func(e commandline.Event) { progress = append(progress, e.Progress()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"create, 10s elapsed"}, progress); diff != "" {
		t.Error(diff)
	}
	if text := got.Failure(r.Program(), strings.ToUpper); got.OK() ||
		text != "OpenTofu 1.12.6 failed: it exited with status 3. Its output: STRANGE" {
		t.Errorf("got %q", text)
	}
}

// TestHangs checks that a silent program is killed unless it waits or downloads.
func TestHangs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		command commandline.Command
		want    string
	}{
		"silent":    {want: "it hung and was killed: it had no output and was not waiting for the provider"},
		"waits":     {command: commandline.Command{Waiting: func() bool { return true }}, want: "it exited with status 0"},
		"downloads": {command: commandline.Command{Downloads: true}, want: "it exited with status 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, d := open(t, commandline.Options{Patience: 200 * time.Millisecond}, "exec sleep 1")
			turn, err := r.Turn(t.Context(), commandline.Working)
			if err != nil {
				t.Fatal(err)
			}
			defer turn.Release()
			test.command.Args = []string{"plan"}
			got, err := d.Run(t.Context(), turn, test.command)
			if err != nil || got.Ending() != test.want {
				t.Errorf("got %q, %v, want %q", got.Ending(), err, test.want)
			}
		})
	}
}

// TestInterrupted checks that the program gets SIGINT and may end by itself, and that none starts
// afterwards.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	r, d := open(t, commandline.Options{},
		`trap 'echo; echo "{\"type\":\"stopping\"}"; exit 7' INT; echo '{"type":"ready"}'; while :; do sleep 0.05; done`)
	turn, err := r.Turn(t.Context(), commandline.Working)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Release()
	interrupted, interrupt := context.WithCancel(t.Context())
	ctx := provider.WithInterrupt(t.Context(), interrupted)
	var events []string
	got, err := d.Run(ctx, turn, commandline.Command{Args: []string{"apply"}, Event: func(e commandline.Event) {
		if events = append(events, e.Type); e.Type == "ready" {
			interrupt()
		}
	}})
	if err != nil || got.Status != 7 || got.Killed != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if diff := cmp.Diff([]string{"ready", "stopping"}, events); diff != "" {
		t.Error(diff)
	}
	got, err = d.Run(ctx, turn, commandline.Command{Args: []string{"apply"}})
	if text := got.Failure(r.Program(), nil); err != nil ||
		!strings.Contains(text, "it was not started, because the operation was interrupted") {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestTurns checks what runs at the same time.
func TestTurns(t *testing.T) {
	t.Parallel()
	r, d := open(t, commandline.Options{Parallelism: 1, Changes: 1}, "exit 0")
	take := func(use commandline.Use) *commandline.Turn {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		turn, err := r.Turn(ctx, use)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		return turn
	}
	change := take(commandline.Working | commandline.Changing)
	if change == nil {
		t.Fatal("there is no turn")
	}
	if take(commandline.Working) != nil || take(commandline.Changing) != nil {
		t.Error("there are more turns than places")
	}
	resume := change.Suspend()
	work := take(commandline.Working)
	if work == nil {
		t.Fatal("a suspended run keeps its place")
	}
	if take(commandline.Working|commandline.Changing) != nil {
		t.Error("a suspended run does not keep its change")
	}
	work.Release()
	work.Release()
	resume()
	if take(commandline.Working) != nil {
		t.Error("a resumed run has no place")
	}
	change.Release()
	if _, err := d.Run(t.Context(), change, commandline.Command{Args: []string{"plan"}}); err == nil {
		t.Error("a command ran without a turn")
	}
	if all := take(commandline.Working | commandline.Changing); all == nil {
		t.Error("places were not given back")
	}
}

// TestTurnsOfNamespaces: runs of one namespace that hang do not have those of another one wait.
func TestTurnsOfNamespaces(t *testing.T) {
	t.Parallel()
	r, _ := open(t, commandline.Options{Parallelism: 4, Changes: 4}, "exit 0")
	for name, use := range map[string]commandline.Use{"runs": commandline.Working, "changes": commandline.Changing} {
		t.Run(name, func(t *testing.T) {
			take := func(namespace string) bool {
				ctx, cancel := context.WithTimeout(slots.WithOwner(t.Context(), namespace), 50*time.Millisecond)
				defer cancel()
				_, err := r.Turn(ctx, use)
				return err == nil
			}
			for range 4 {
				if !take("mallory") {
					t.Fatal("not all places are used")
				}
			}
			if take("mallory") {
				t.Error("there are more turns than places")
			}
			if !take("victim") {
				t.Error("another namespace has no turn")
			}
		})
	}
}

// TestEnvironmentOfDownloads checks what only downloads inherit.
func TestEnvironmentOfDownloads(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
	r, d := open(t, commandline.Options{}, "env; exit 0")
	turn, err := r.Turn(t.Context(), commandline.Working)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Release()
	for name, downloads := range map[string]bool{"plan": false, "get": true} {
		got, err := d.Run(t.Context(), turn, commandline.Command{
			Args: []string{name}, Downloads: downloads, Env: map[string]string{"TF_DATA_DIR": "here"},
		})
		if err != nil {
			t.Fatal(err)
		}
		text := string(got.Stdout)
		if strings.Contains(text, "HTTPS_PROXY=") != downloads || !strings.Contains(text, "TF_DATA_DIR=here\n") ||
			strings.Contains(text, "hunter2") {
			t.Errorf("%s has\n%s", name, text)
		}
	}
}
