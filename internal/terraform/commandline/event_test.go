package commandline_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// FuzzParseEvent checks that no line of a program's output causes a panic: modules decide what is
// in it.
func FuzzParseEvent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"apply_progress","hook":{"action":"create","elapsed_seconds":1e300}}`,
		`{"type":"diagnostic","diagnostic":{"severity":"error","summary":"x","range":{"filename":"y","start":{"line":1}}}}`, `{}`, `x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, line []byte) {
		if e, ok := commandline.ParseEvent(line); ok {
			_ = e.Progress()
			if e.Diagnostic != nil {
				_ = e.Diagnostic.Diagnostic()
			}
		}
	})
}
