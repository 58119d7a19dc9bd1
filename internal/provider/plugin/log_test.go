package plugin_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"

	"github.com/landbridge-io/landbridge/internal/provider/internal/testprovider"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

var leftOut = regexp.MustCompile(`"lines"=(\d+)`)

// TestLogFlood checks that a provider with too much output neither blocks nor floods the log, and
// that omitted lines are counted.
func TestLogFlood(t *testing.T) {
	t.Parallel()
	const written = 100_000
	var collected logs
	l, _ := launcher(t, testprovider.Good)
	l.Logger = funcr.New(collected.logger(0))
	s := launch(t, l)
	if _, err := read(t.Context(), s, "flood:"+strconv.Itoa(written)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	count := func() (logged, left int) {
		for line := range strings.Lines(collected.text()) {
			if match := leftOut.FindStringSubmatch(line); match != nil {
				n, _ := strconv.Atoi(match[1])
				left += n
			} else if strings.Contains(line, `"noise"`) {
				logged++
			}
		}
		return logged, left
	}
	waittest.Eventually(t, "all lines are accounted for", func(context.Context) bool {
		logged, left := count()
		return logged+left == written
	})
	if logged, _ := count(); logged < 100 || logged > 1000 {
		t.Errorf("%d lines of %d were logged", logged, written)
	}
}

// TestLogThatIsStuck checks that providers do not block while the log does.
func TestLogThatIsStuck(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	defer close(stuck)
	l, _ := launcher(t, testprovider.Good)
	l.Logger = funcr.New(func(string, string) { <-stuck }, funcr.Options{})
	s := launch(t, l)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for range 5 {
		if _, err := read(ctx, s, "flood:10000"); err != nil {
			t.Fatal(err)
		}
	}
}
