package plugin_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
)

// TestMuchOutput checks that output costs no memory, however much there is, and blocks no call.
func TestMuchOutput(t *testing.T) {
	l, _ := launcher(t, testprovider.Good)
	s := launch(t, l)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if got := try(t, s, "print 256"); !strings.HasPrefix(got, "done: ") {
		t.Fatal(got)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("%d MiB of memory for 512 MiB of output", grown>>20)
	}
}
