package controller_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// TestChangeLog checks the form of a line, which is documented.
func TestChangeLog(t *testing.T) {
	var out bytes.Buffer
	l := &controller.ChangeLog{Out: &out, Logger: logr.Discard()}
	l.Write(store.Key{Group: "random.landbridge.io", Kind: "Password", Namespace: "team-a", Name: "db"}, history.Entry{
		At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Took: 40, Action: history.Update, Outcome: history.Succeeded, Because: "spec, generation 2",
		Changes: []history.Change{{Path: "length", Before: []byte("16"), After: []byte("20")}, {Path: "result", BeforeSensitive: true, AfterSensitive: true}},
	})
	want := `{"version":1,"group":"random.landbridge.io","kind":"Password","namespace":"team-a","name":"db","at":"2026-03-01T12:00:00Z","tookMilliseconds":40,` +
		`"action":"Update","outcome":"Succeeded","because":"spec, generation 2","changes":[{"path":"length","before":16,"after":20},` +
		`{"path":"result","beforeSensitive":true,"afterSensitive":true}]}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}
