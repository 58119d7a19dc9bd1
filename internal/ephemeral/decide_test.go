package ephemeral_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/ephemeral"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestDecide(t *testing.T) {
	minute := func(since time.Duration) *ephemeral.Lease {
		return &ephemeral.Lease{Since: now.Add(-since), RenewAt: now.Add(-since + time.Minute)}
	}
	lasting := &ephemeral.Lease{Since: now.Add(-time.Hour)}
	refused := minute(50 * time.Second)
	refused.Refused = true
	replaced := []ephemeral.Lease{*lasting, *minute(30 * time.Second)}
	for name, test := range map[string]struct {
		in   ephemeral.Input
		want ephemeral.Decision
	}{
		"new": {ephemeral.Input{}, ephemeral.Decision{Step: ephemeral.Open}},
		"a first failure": {
			ephemeral.Input{Failures: 1, Tried: now}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: now.Add(time.Second),
			},
		},
		"many failures": {
			ephemeral.Input{Failures: 99, Tried: now}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: now.Add(2 * time.Minute),
			},
		},
		"after a failure": {ephemeral.Input{Failures: 1, Tried: now.Add(-time.Second)}, ephemeral.Decision{Step: ephemeral.Open}},
		"never renewed":   {ephemeral.Input{Current: lasting}, ephemeral.Decision{Step: ephemeral.Wait}},
		"fresh": {
			ephemeral.Input{Current: minute(0)}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: ephemeral.Due("", *minute(0)),
			},
		},
		"due": {ephemeral.Input{Current: minute(53 * time.Second)}, ephemeral.Decision{Step: ephemeral.Renew}},
		"due, and failed before": {
			ephemeral.Input{Current: minute(53 * time.Second), Failures: 1, Tried: now.Add(-time.Second)},
			ephemeral.Decision{Step: ephemeral.Renew},
		},
		"missed in an outage": {ephemeral.Input{Current: minute(time.Hour)}, ephemeral.Decision{Step: ephemeral.Renew}},
		"missed, and failed before": {
			ephemeral.Input{Current: minute(time.Hour), Failures: 1, Tried: now.Add(-time.Minute)},
			ephemeral.Decision{Step: ephemeral.Open},
		},
		"refused": {ephemeral.Input{Current: refused}, ephemeral.Decision{Step: ephemeral.Open}},
		"anew":    {ephemeral.Input{Current: minute(0), Anew: true}, ephemeral.Decision{Step: ephemeral.Open}},
		"demands renewal at once": {
			ephemeral.Input{Current: &ephemeral.Lease{Since: now, RenewAt: now.Add(-time.Hour)}}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: now.Add(5 * time.Second),
			},
		},
		"replaced, in use": {
			ephemeral.Input{Current: minute(0), Replaced: replaced}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: now.Add(30 * time.Second),
			},
		},
		"replaced, over": {
			ephemeral.Input{Current: lasting, Replaced: replaced[1:]}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: now.Add(30 * time.Second),
			},
		},
		"replaced, without an end": {
			ephemeral.Input{Current: &ephemeral.Lease{Since: now.Add(-10 * time.Minute)}, Replaced: replaced[:1]},
			ephemeral.Decision{Step: ephemeral.Close},
		},
		"deleted, with replaced": {
			ephemeral.Input{Current: minute(0), Replaced: replaced, Deleting: true},
			ephemeral.Decision{Step: ephemeral.Close},
		},
		"deleted": {ephemeral.Input{Current: minute(0), Deleting: true}, ephemeral.Decision{Step: ephemeral.Close, Lease: -1}},
		"deleted, after a failure": {
			ephemeral.Input{Current: minute(0), Deleting: true, Failures: 2, Tried: now}, ephemeral.Decision{
				Step: ephemeral.Wait, Until: now.Add(2 * time.Second),
			},
		},
		"deleted, nothing is open": {ephemeral.Input{Deleting: true, Failures: 2, Tried: now}, ephemeral.Decision{Step: ephemeral.Remove}},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.Now = now
			if diff := cmp.Diff(test.want, ephemeral.Decide(test.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		lease    ephemeral.Lease
		failures int
		after    time.Duration
		want     bool
	}{
		"it may still be open":      {ephemeral.Lease{RenewAt: end}, 9, -time.Second, false},
		"few attempts":              {ephemeral.Lease{RenewAt: end}, 4, time.Second, false},
		"it has ended":              {ephemeral.Lease{RenewAt: end}, 5, time.Second, true},
		"it does not end by itself": {ephemeral.Lease{}, 9, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ephemeral.Over(test.lease, test.failures, end.Add(test.after)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
