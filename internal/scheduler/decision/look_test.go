package decision_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

func TestLook(t *testing.T) {
	t.Parallel()
	type input = decision.LookInput
	at := func(d time.Duration) time.Time { return time.Unix(1_000_000, 0).Add(d) }
	// The object was known a minute ago, and a survey began ten seconds ago.
	usable := input{
		Now: at(0), Known: at(-time.Minute), Listed: 3, ReadEvery: 10, Phase: 1, Interval: time.Minute,
		Any: true, Began: at(-10 * time.Second), Serial: 3,
	}
	for name, test := range map[string]struct {
		change func(*input)
		want   decision.Verdict
	}{
		"newer than all that is known": {func(*input) {}, decision.UseSurvey},
		"as old as the interval":       {func(in *input) { in.Began, in.Known = at(-time.Minute), at(-2*time.Minute) }, decision.UseSurvey},
		"older than the interval": {
			func(in *input) { in.Began, in.Known = at(-61*time.Second), at(-2*time.Minute) }, decision.NewSurvey,
		},
		"none":                           {func(in *input) { in.Any, in.Began = false, time.Time{} }, decision.NewSurvey},
		"not read since something":       {func(in *input) { in.Known = time.Time{} }, decision.ReadObject},
		"not read since something, none": {func(in *input) { in.Known, in.Any = time.Time{}, false }, decision.ReadObject},
		"older than what is known":       {func(in *input) { in.Known = at(-5 * time.Second) }, decision.ReadObject},
		"the same that was used":         {func(in *input) { in.Known = in.Began }, decision.ReadObject},
		"the same, after most of the time": {
			func(in *input) { in.Began, in.Known = at(-48*time.Second), at(-48*time.Second) }, decision.NewSurvey,
		},
		"the same, too early": {
			func(in *input) { in.Began, in.Known = at(-47*time.Second), at(-47*time.Second) }, decision.ReadObject,
		},
		"it is time to read":          {func(in *input) { in.Listed = 9 }, decision.ReadObject},
		"it is time to read, none":    {func(in *input) { in.Listed, in.Any = 9, false }, decision.ReadObject},
		"its turn to be read":         {func(in *input) { in.Phase = 7 }, decision.ReadObject},
		"its turn, but there is none": {func(in *input) { in.Phase, in.Any = 7, false }, decision.NewSurvey},
		"every look reads":            {func(in *input) { in.ReadEvery, in.Listed = 1, 0 }, decision.ReadObject},
		"no interval":                 {func(in *input) { in.Interval = 0 }, decision.ReadObject},
		"from the future":             {func(in *input) { in.Began = at(time.Second) }, decision.ReadObject},
	} {
		t.Run(name, func(t *testing.T) {
			in := usable
			test.change(&in)
			if got := decision.Look(in); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A survey is used only if it began after all that is known of the object and is no older than the
// interval, and only between two reads that are near enough. One is made only if there is no recent
// one.
func TestLookProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seconds := func(name string) time.Time {
			return time.Unix(1_000_000+int64(rapid.IntRange(-130, 5).Draw(t, name)), 0)
		}
		in := decision.LookInput{
			Now: time.Unix(1_000_000, 0), Listed: rapid.IntRange(0, 12).Draw(t, "listed"), ReadEvery: rapid.IntRange(1, 10).Draw(t, "every"),
			Phase: rapid.Uint64().Draw(t, "phase"), Interval: time.Minute, Any: rapid.Bool().Draw(t, "any"),
			Serial: rapid.Uint64Range(0, 1000).Draw(t, "serial"),
		}
		if rapid.Bool().Draw(t, "was read") {
			in.Known = seconds("known")
		}
		if in.Any {
			in.Began = seconds("began")
		}
		age := in.Now.Sub(in.Began)
		got := decision.Look(in)
		if got != decision.ReadObject && (in.Known.IsZero() || in.Listed+1 >= in.ReadEvery) {
			t.Fatalf("%s, though it has to be read: %+v", got, in)
		}
		if got == decision.UseSurvey && !(in.Any && in.Began.After(in.Known) && age >= 0 && age <= in.Interval) {
			t.Fatalf("used: %+v", in)
		}
		if got == decision.NewSurvey && in.Any && age < in.Interval*4/5 {
			t.Fatalf("made: %+v", in)
		}
	})
}
