package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"nothing of what is quick": {takes: 1900 * time.Millisecond},
		"what is slow":             {takes: 3500 * time.Millisecond, want: "\r\x1b[KStarting ... 2s\r\x1b[KStarting ... 3s\r\x1b[K"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				done := progressOn(&out, "Starting")
				time.Sleep(test.takes)
				done()
				done()
				if diff := cmp.Diff(test.want, out.String()); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			})
		})
	}
}
