package program_test

import (
	"bytes"
	"testing"

	"github.com/landbridge-io/landbridge/program"
)

func TestLevelWriter(t *testing.T) {
	t.Parallel()
	const all = "[ERROR] a\n2026/01/02 03:04:05 [WARN] b\n[INFO] c\n[DEBUG] d\n[TRACE] e\n[x] f\ng\n"
	tests := map[string]string{
		"Off":   "",
		"Error": "[ERROR] a\n[x] f\ng\n",
		"Info":  "[ERROR] a\n2026/01/02 03:04:05 [WARN] b\n[INFO] c\n[x] f\ng\n",
		"Trace": all,
	}
	for level, want := range tests {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := program.LevelWriter(level, &out)
			for line := range bytes.Lines([]byte(all)) {
				if n, err := w.Write(line); n != len(line) || err != nil {
					t.Errorf("%q: %d, %v", line, n, err)
				}
			}
			if out.String() != want {
				t.Errorf("got %q, want %q", out.String(), want)
			}
		})
	}
}
