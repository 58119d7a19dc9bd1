package results_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/results"
)

func TestInterval(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"": 10 * time.Minute, "0": 0, "0s": 0, "5m": 5 * time.Minute, "1h30m": 90 * time.Minute, "10ms": time.Second, "x": 10 * time.Minute,
	} {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
		if text != "" {
			_ = unstructured.SetNestedField(u.Object, text, "spec", "refreshInterval")
		}
		if got := results.Interval(u); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestDue(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		now              string
		unready, request bool
		interval         time.Duration
		last             string
		is               time.Duration // since the last read, whose next one is due after ten minutes
		want             bool
		after            time.Duration
	}{
		"unchanged":                       {now: "a", last: "a", interval: 10 * time.Minute, is: time.Minute, after: 9 * time.Minute},
		"after the interval":              {now: "a", last: "a", interval: 10 * time.Minute, is: 10 * time.Minute, want: true},
		"other arguments":                 {now: "b", last: "a", interval: 10 * time.Minute, want: true},
		"not read yet":                    {now: "a", unready: true, interval: 10 * time.Minute, want: true},
		"requested":                       {now: "a", last: "a", request: true, interval: 10 * time.Minute, want: true},
		"read by an earlier process":      {now: "a", interval: 10 * time.Minute, want: true},
		"once":                            {now: "a", last: "a", is: time.Hour},
		"once, by an earlier process":     {now: "a"},
		"once, with other arguments":      {now: "b", want: true},
		"once, requested":                 {now: "a", request: true, want: true},
		"a shorter interval":              {now: "a", last: "a", interval: time.Minute, is: 2 * time.Minute, want: true},
		"a longer interval applies later": {now: "a", last: "a", interval: time.Hour, is: time.Minute, after: 9 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			due, after := results.Occasion(test.now, !test.unready, test.request, test.interval, test.last, at,
				at.Add(10*time.Minute), at.Add(test.is))
			if due != test.want || after != test.after {
				t.Errorf("due %t, after %s; want %t, %s", due, after, test.want, test.after)
			}
		})
	}
}
