package ui_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/history"
)

// records are the change records of two resources.
func records() []state.History {
	at := func(clock string) time.Time {
		t, err := time.Parse(time.RFC3339, "2026-03-04T"+clock+"Z")
		if err != nil {
			panic(err)
		}
		return t
	}
	operation := func(action history.Action, outcome history.Outcome, clock string, took time.Duration) history.Entry {
		return history.Entry{Action: action, Outcome: outcome, At: at(clock), Took: took.Milliseconds()}
	}
	return []state.History{
		{Group: "cloud.landbridge.io", Kind: "Server", Namespace: "team-a", Name: "web", Log: history.Log{Cut: 3, Entries: []history.Entry{
			{Action: history.Create, Outcome: history.Succeeded, At: at("09:00:00").Add(-48 * time.Hour), Took: 1},
			operation(history.Create, history.Succeeded, "09:00:00", 10*time.Second),
			operation(history.Update, history.Failed, "09:30:00", 40*time.Minute),
			{Action: history.Drift, At: at("10:20:00")},
			{Action: history.Gone, At: at("10:30:00")},
			operation(history.Update, history.Running, "11:59:00", 0),
		}}},
		{Group: "cloud.landbridge.io", Kind: "Network", Namespace: "team-a", Name: "main", Log: history.Log{Entries: []history.Entry{
			operation(history.Create, history.Succeeded, "09:00:05", 20*time.Second),
			operation(history.Update, history.Succeeded, "09:00:25", time.Second),
			{Action: history.Import, At: at("11:00:00")},
		}}},
	}
}

func TestFigures(t *testing.T) {
	f := ui.FiguresOf(index(objects()...).Content(), records(), now)
	if want := time.Date(2026, 3, 3, 13, 0, 0, 0, time.UTC); !f.From.Equal(want) || f.To.Sub(f.From) != 24*time.Hour {
		t.Errorf("from %s to %s, want from %s", f.From, f.To, want)
	}
	got := map[string]ui.Hour{}
	for _, h := range f.Hours {
		clock := h.At.Format("15:04")
		if h.At = (time.Time{}); h != (ui.Hour{}) {
			got[clock] = h
		}
	}
	want := map[string]ui.Hour{
		"09:00": {Succeeded: 3, Failed: 1, UnderWay: 2, Slow: 2_400_000},
		"10:00": {Drift: 2, UnderWay: 1},
		"11:00": {Other: 1, UnderWay: 1},
		"12:00": {UnderWay: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]ui.Durations{
		{"Create", 2, 10_000, 20_000, 20_000}, {"Update", 2, 1_000, 2_400_000, 2_400_000},
	}, f.Durations); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if f.Records != 2 || f.Cut != 3 {
		t.Errorf("%d records, %d entries cut", f.Records, f.Cut)
	}
}

// get returns a view as a browser gets it.
func get(s *ui.Server, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = address
	r.Header.Set("Cookie", "landbridge-4000="+s.Secrets().Session)
	w := httptest.NewRecorder()
	s.Handler(address).ServeHTTP(w, r)
	return w
}

// TestFiguresWithoutPermission checks that a person who may not read change records sees the rest.
func TestFiguresWithoutPermission(t *testing.T) {
	s := ui.NewOf(index(objects()...), now)
	s.Records(nil, errors.New("secrets is forbidden"))
	w := get(s, "/figures")
	for _, want := range []string{"secrets is forbidden", "No operation has ended", "Ready"} {
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("status %d, lacks %q", w.Code, want)
		}
	}
}
