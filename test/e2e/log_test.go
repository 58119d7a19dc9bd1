package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/logs"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// times in a story.
var logTimes = regexp.MustCompile(`^\S+ \S+ +|\b[0-9.]+m?s\b`)

// why an operation failed.
var why = regexp.MustCompile(`: .* \(`)

// The log for operators tells a story in few lines: one for each operation, and nothing of how the
// program is made.
func TestLogTellsTheStory(t *testing.T) {
	t.Parallel()
	// Not shared: the log is read as a whole.
	c := on(t, playgroundtest.New(t, playgroundtest.Options{}))
	c.Log, c.Verbosity = filepath.Join(directory(t), "story.log"), 0
	stop := c.RunController(t, options(directory(t)))
	d := newDouble(t, "story")
	p := d.provider()
	c.MustCreate(t, p)
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Installed", "Healthy") })
	ns := c.Namespace(t)
	u := d.thing(ns, "web", m{"value": "a"})
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	c.MustPatch(t, u, `{"spec":{"forProvider":{"value":"b"}}}`)
	c.has(t, d, "thing", "web", "value", "b")
	d.Order(t, "web", "fail")
	c.MustPatch(t, u, `{"spec":{"forProvider":{"value":"c"}}}`)
	c.has(t, d, "thing", "web", "value", "c")
	c.WaitReady(t, u)
	c.Remove(t, u)
	stop()

	content, err := os.ReadFile(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(content), "stacktrace") || strings.Contains(string(content), "goroutine ") {
		t.Errorf("the log has stack traces:\n%s", content)
	}
	for _, noise := range []string{"Starting EventSource", "Starting workers", "Stopping and waiting", "All workers finished"} {
		if strings.Contains(string(content), noise) {
			t.Errorf("%q is in the log:\n%s", noise, content)
		}
	}
	if n := strings.Count(string(content), "\n"); n > 30 {
		t.Errorf("the log has %d lines:\n%s", n, content)
	}
	s := logs.Story{Object: logs.Object{Kind: "Thing.story.landbridge.io", Namespace: ns, Name: "web", Provider: "story"}}
	var got []string
	for line := range strings.Lines(string(content)) {
		e, ok := logs.Parse([]byte(line))
		if !ok {
			t.Errorf("a line cannot be read: %s", line)
		}
		for _, told := range s.Add(e) {
			told = why.ReplaceAllString(logTimes.ReplaceAllString(told, ""), ": WHY (")
			if !strings.Contains(told, " is running") {
				got = append(got, told)
			}
		}
	}
	want := []string{
		"Created the remote object in . (Create succeeded after ; because of spec, generation 1)",
		"Updated the remote object in . (Update succeeded after ; because of spec, generation 2)",
		"Update failed at once: WHY (Update failed after ; because of spec, generation 3)",
		"Updated the remote object in . (Update succeeded after ; because of spec, generation 3)",
		"Destroyed the remote object in . (Delete succeeded after ; because of the resource is deleted)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
