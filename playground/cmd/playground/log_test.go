package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An error has the few lines of the log that belong to it, for people, and where the rest is.
func TestWithLog(t *testing.T) {
	const (
		ofOther  = `{"level":"error","ts":"2026-11-27T17:16:41Z","msg":"Provider does not start","provider":"time","error":"no such file","stacktrace":"main.main\n\t/x.go:1"}`
		ofObject = `{"level":"info","ts":"2026-11-27T17:16:42Z","logger":"scheduler","msg":"Operation ended","name":"warm-up","took":1.5}`
		ofKey    = `{"level":"error","ts":"2026-11-27T17:16:43Z","msg":"Reconciler error","controller":"x","reconcileID":"1","object":{"name":"warm-up","namespace":"default"},"error":"it\nfailed","stacktrace":"main.main\n\t/x.go:1"}`
		note     = `{"level":"info","ts":"2026-11-27T17:16:44Z","msg":"Starting"}`
	)
	tests := map[string]struct {
		log, object string
		want, not   []string
	}{
		"of an object": {
			log: strings.Join([]string{ofOther, ofObject, ofKey, note}, "\n"), object: "warm-up",
			want: []string{
				"it broke\n", "  17:16:42 info Operation ended name=warm-up took=1.5",
				`error Reconciler error: it failed object={"name":"warm-up","namespace":"default"}`,
			},
			not: []string{"stacktrace", "main.main", "Provider does not start", "Starting", "reconcileID"},
		},
		"errors, if nothing is about the object": {
			log: strings.Join([]string{ofOther, note}, "\n"), object: "warm-up",
			want: []string{"error Provider does not start: no such file provider=time"}, not: []string{"Starting", "main.main"},
		},
		"the last lines, if there are no errors": {log: "one\n\n" + note, want: []string{"  one\n", "info Starting"}},
		"at most a few": {
			log: strings.Repeat("line\n", 100) + "last\n", want: []string{"last"}, not: []string{
				strings.Repeat("  line\n", excerptLines),
			},
		},
		"an empty log": {want: []string{"it broke\nThe controller's log is "}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), controllerLog)
			if err := os.WriteFile(path, []byte(test.log), 0o600); err != nil {
				t.Fatal(err)
			}
			broke := errors.New("it broke")
			err := withLog(broke, path, test.object)
			if !errors.Is(err, broke) {
				t.Errorf("%v is not the error", err)
			}
			for _, want := range append(test.want, path) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q:\n%s", want, err)
				}
			}
			for _, not := range test.not {
				if strings.Contains(err.Error(), not) {
					t.Errorf("it says %q:\n%s", not, err)
				}
			}
		})
	}
	if broke := errors.New("it broke"); withLog(broke, filepath.Join(t.TempDir(), "none"), "") != broke { //nolint:errorlint // the same
		t.Error("without a log, the error is another one")
	}
}
