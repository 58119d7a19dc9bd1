package survey_test

import (
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/survey"
	"github.com/landbridge-io/landbridge/schema"
)

// Surveys that are not used any more are forgotten when another one is made.
func TestForgotten(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, test := range map[string]struct {
		until time.Time
		want  string
	}{
		"used until later": {start.Add(time.Hour), "the first has failed"},
		"not used":         {start.Add(time.Minute), ""},
	} {
		t.Run(name, func(t *testing.T) {
			of := &schema.Resource{Type: "test_thing"}
			var all survey.Surveys
			use := func(configuration string, until, began time.Time, failed string) {
				all.Use(t.Context(), survey.Of{Schema: of, Configuration: configuration}, until,
					func(latest *survey.Survey) decision.Verdict {
						if latest == nil {
							return decision.NewSurvey
						}
						return decision.ReadObject
					},
					func() *survey.Survey { return &survey.Survey{Began: began, Failed: failed} })
			}
			use("first", test.until, start, "the first has failed")
			use("second", start.Add(2*time.Hour), start.Add(2*time.Minute), "")
			if got := all.Failure(survey.Of{Schema: of, Configuration: "first"}); got != test.want {
				t.Errorf("the failure is %q, want %q", got, test.want)
			}
		})
	}
}
