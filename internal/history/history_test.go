package history_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/uuid"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/history"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func raw(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

func create() history.Entry {
	return history.Entry{
		At: start, Took: 1250, Action: history.Create, Outcome: history.Succeeded, Because: "spec, generation 1", UID: uuid.NewUUID(),
		Provider: "registry.terraform.io/hashicorp/random 3.7.2", Operation: string(uuid.NewUUID()),
		Changes: []history.Change{
			{Path: "id", After: raw("none")}, {Path: "length", After: raw(16)},
			{Path: "result", AfterSensitive: true}, {Path: "special", After: raw(true)},
		},
	}
}

// TestAdd checks that what is stored is as large as it may be, and that what is cut is counted.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(64, 4096).Draw(t, "size")
		var stored []byte
		n := rapid.IntRange(1, 60).Draw(t, "entries")
		for i := range n {
			e := create()
			e.At = start.Add(time.Duration(i) * time.Second)
			e.Message = rapid.StringN(0, 300, 600).Draw(t, "message")
			for j := range rapid.IntRange(0, 30).Draw(t, "changes") {
				e.Changes = append(e.Changes, history.Change{
					Path: fmt.Sprint("field", j), Before: raw(rapid.String().Draw(t, "before")), After: raw(j),
				})
			}
			stored = history.Add(stored, e, size)
			if len(stored) > size {
				t.Fatalf("%d bytes are stored, at most %d may be", len(stored), size)
			}
			l, err := history.Decode(stored)
			if err != nil {
				t.Fatal(err)
			}
			if l.Cut+len(l.Entries) != i+1 {
				t.Fatalf("%d entries are kept and %d are cut, of %d", len(l.Entries), l.Cut, i+1)
			}
			if last := len(l.Entries) - 1; last >= 0 && !l.Entries[last].At.Equal(e.At) {
				t.Fatalf("the last entry is of %s, not of %s", l.Entries[last].At, e.At)
			}
		}
	})
}

// TestSize checks how much of a record one create takes, and how many operations are kept.
func TestSize(t *testing.T) {
	stored := history.Add(nil, create(), history.DefaultSize)
	if len(stored) > 200 {
		t.Errorf("the record of a create takes %d bytes", len(stored))
	}
	uid := create().UID
	for i := range 100 {
		e := create()
		e.UID, e.At, e.Action, e.Changes = uid, start.Add(time.Duration(i)*time.Hour), history.Update,
			[]history.Change{{Path: "length", Before: raw(i), After: raw(i + 1)}}
		stored = history.Add(stored, e, history.DefaultSize)
	}
	if l, err := history.Decode(stored); err != nil || len(l.Entries) < 10 || len(stored) > history.DefaultSize {
		t.Errorf("%d updates are kept in %d bytes (%v)", len(l.Entries), len(stored), err)
	}
}

func TestWith(t *testing.T) {
	running := history.Entry{
		At: start, Action: history.Update, Outcome: history.Running, Operation: "1",
		Because: "spec, generation 2", By: "eve",
	}
	other := history.Entry{At: start, Action: history.Import}
	cases := map[string]struct {
		add  []history.Entry
		want []history.Entry
	}{
		"an outcome takes the place of the intent": {
			add: []history.Entry{running, other, {At: start, Action: history.Update, Outcome: history.Recovered, Operation: "1"}},
			want: []history.Entry{
				{
					At: start, Action: history.Update, Outcome: history.Recovered, Operation: "1",
					Because: "spec, generation 2", By: "eve",
				}, other,
			},
		},
		"an operation of another resource": {
			add:  []history.Entry{running, {At: start, Action: history.Update, Outcome: history.Succeeded, Operation: "1", UID: "other"}},
			want: []history.Entry{running, {At: start, Action: history.Update, Outcome: history.Succeeded, Operation: "1", UID: "other"}},
		},
		"events have no operation": {add: []history.Entry{other, other}, want: []history.Entry{other, other}},
		"a long value is left out": {
			add: []history.Entry{{
				At: start, Action: history.Update,
				Changes: []history.Change{{Path: "text", Before: raw(1), After: raw(fmt.Sprintf("%100d", 1))}},
			}},
			want: []history.Entry{{At: start, Action: history.Update, Changes: []history.Change{{Path: "text", Before: raw(1), AfterCut: true}}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var stored []byte
			for _, e := range tc.add {
				stored = history.Add(stored, e, history.DefaultSize)
			}
			l, err := history.Decode(stored)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, l.Entries); diff != "" {
				t.Errorf("entries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestValues checks what is known of the values at a time.
func TestValues(t *testing.T) {
	at := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	l := history.Log{Entries: []history.Entry{
		{
			At: at(0), Action: history.Create, Outcome: history.Succeeded,
			Changes: []history.Change{{Path: "name", After: raw("a")}, {Path: "token", AfterSensitive: true}},
		},
		{
			At: at(1), Action: history.Update, Outcome: history.Succeeded, Changes: []history.Change{{
				Path: "name", Before: raw("a"), After: raw("b"),
			}},
		},
		{
			At: at(2), Action: history.Update, Outcome: history.Unknown, Changes: []history.Change{{
				Path: "name", Before: raw("b"), After: raw("c"),
			}},
		},
		{At: at(3), Action: history.Delete, Outcome: history.Failed},
		{At: at(4), Action: history.Update, Outcome: history.Succeeded, Changes: []history.Change{{Path: "token", BeforeSensitive: true}}},
		{At: at(5), Action: history.Delete, Outcome: history.Succeeded, Deposed: "1"},
		{At: at(6), Action: history.Delete, Outcome: history.Succeeded},
	}}
	cases := map[string]struct {
		at   int
		want []string
	}{
		"after the create":        {at: 0, want: []string{"name " + at(0).String() + ` "a"`, "token " + at(0).String() + " (sensitive value)"}},
		"after the update":        {at: 1, want: []string{"name " + at(1).String() + ` "b"`, "token " + at(0).String() + " (sensitive value)"}},
		"after a failed delete":   {at: 3, want: []string{"name " + at(1).String() + ` "b"`, "token " + at(0).String() + " (sensitive value)"}},
		"a removed value":         {at: 4, want: []string{"name " + at(1).String() + ` "b"`}},
		"another object is gone":  {at: 5, want: []string{"name " + at(1).String() + ` "b"`}},
		"after the delete":        {at: 6},
		"before the record began": {at: -1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, v := range l.At(at(tc.at)).Values() {
				got = append(got, v.Path+" "+v.Since.String()+" "+v.Text())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzDecode checks that nothing that is stored makes Decode or Add fail in another way than with
// an error.
func FuzzDecode(f *testing.F) {
	f.Add(history.Add(nil, create(), history.DefaultSize))
	f.Add([]byte{1})
	f.Add([]byte{2, 3})
	f.Fuzz(func(t *testing.T, stored []byte) {
		l, err := history.Decode(stored)
		if err != nil && len(l.Entries) > 0 {
			t.Errorf("entries with the error %v", err)
		}
		if next, err := history.Decode(history.Add(stored, create(), history.DefaultSize)); err != nil || len(next.Entries) == 0 {
			t.Errorf("after another entry: %d entries, %v", len(next.Entries), err)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	stored := history.Add(nil, create(), history.DefaultSize)
	b.ReportAllocs()
	for b.Loop() {
		history.Add(stored, create(), history.DefaultSize)
	}
}
