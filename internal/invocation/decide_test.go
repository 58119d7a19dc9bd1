package invocation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestDecide(t *testing.T) {
	earlier, minute := now.Add(-time.Minute), time.Minute
	at := func(phase invocation.Phase, attempts int) invocation.Record {
		return invocation.Record{Phase: phase, Attempts: attempts, Started: earlier, Ended: now}
	}
	running := invocation.Record{Phase: invocation.Running, Attempts: 1, Started: earlier}
	begun := invocation.Record{Phase: invocation.Running, Attempts: 1, Started: now}
	pending, awaiting := invocation.Record{Phase: invocation.Pending}, invocation.Record{Phase: invocation.AwaitingApproval}
	for name, test := range map[string]struct {
		in   invocation.Input
		want invocation.Decision
	}{
		"new": {invocation.Input{}, invocation.Decision{Record: pending, Step: invocation.MakePlan}},
		"suspended": {
			invocation.Input{Suspended: true, Plan: invocation.Permitted}, invocation.Decision{
				Record: pending, Step: invocation.Wait,
			},
		},
		"held": {invocation.Input{Plan: invocation.Held}, invocation.Decision{Record: pending, Step: invocation.Wait}},
		"unapproved": {
			invocation.Input{Record: pending, Plan: invocation.Unapproved}, invocation.Decision{
				Record: awaiting, Step: invocation.Wait,
			},
		},
		"suspended while it waits": {
			invocation.Input{Record: awaiting, Plan: invocation.Unapproved, Suspended: true}, invocation.Decision{
				Record: pending, Step: invocation.Wait,
			},
		},
		"approved": {
			invocation.Input{Record: awaiting, Plan: invocation.Permitted}, invocation.Decision{
				Record: begun, Step: invocation.Invoke,
			},
		},
		"runs here": {
			invocation.Input{Record: running, Ours: true}, invocation.Decision{Record: running, Step: invocation.Wait},
		},
		"deleted while it runs here": {
			invocation.Input{Record: running, Ours: true, Deleting: true}, invocation.Decision{
				Record: running, Step: invocation.Interrupt,
			},
		},
		"interrupted": {
			invocation.Input{
				Record: running, Plan: invocation.Permitted, Retry: invocation.OnFailure, MaxAttempts: 9,
			}, invocation.Decision{
				Record: at(invocation.Unknown, 1), Step: invocation.Wait,
			},
		},
		"deleted and interrupted": {
			invocation.Input{Record: running, Deleting: true}, invocation.Decision{
				Record: at(invocation.Unknown, 1), Step: invocation.Remove,
			},
		},
		"deleted": {
			invocation.Input{Record: pending, Deleting: true, Plan: invocation.Permitted}, invocation.Decision{
				Record: pending, Step: invocation.Remove,
			},
		},
		"failed": {
			invocation.Input{Record: at(invocation.Failed, 1), Plan: invocation.Permitted, MaxAttempts: 9},
			invocation.Decision{Record: at(invocation.Failed, 1), Step: invocation.Wait},
		},
		"failed, to be repeated later": {
			invocation.Input{Record: at(invocation.Failed, 2), Retry: invocation.OnFailure, MaxAttempts: 3},
			invocation.Decision{
				Record: at(invocation.Failed, 2), Step: invocation.Wait, Until: now.Add(20 * time.Second),
			},
		},
		"failed, to be repeated now": {
			invocation.Input{
				Record: invocation.Record{Phase: invocation.Failed, Attempts: 1, Ended: earlier},
				Plan:   invocation.Permitted, Retry: invocation.OnFailure, MaxAttempts: 2,
			}, invocation.Decision{
				Record: invocation.Record{Phase: invocation.Running, Attempts: 2, Started: now}, Step: invocation.Invoke,
			},
		},
		"failed too often": {
			invocation.Input{Record: at(invocation.Failed, 3), Retry: invocation.OnFailure, MaxAttempts: 3},
			invocation.Decision{Record: at(invocation.Failed, 3), Step: invocation.Wait},
		},
		"unknown": {
			invocation.Input{
				Record: at(invocation.Unknown, 1), Plan: invocation.Permitted,
				Retry: invocation.OnFailure, MaxAttempts: 9,
			}, invocation.Decision{Record: at(invocation.Unknown, 1), Step: invocation.Wait},
		},
		"kept for a while": {
			invocation.Input{Record: at(invocation.Succeeded, 1), TTL: &minute},
			invocation.Decision{
				Record: at(invocation.Succeeded, 1), Step: invocation.Wait, Until: now.Add(time.Minute),
			},
		},
		"kept long enough": {
			invocation.Input{
				Record: invocation.Record{Phase: invocation.Succeeded, Attempts: 1, Ended: earlier}, TTL: &minute,
			}, invocation.Decision{
				Record: invocation.Record{Phase: invocation.Succeeded, Attempts: 1, Ended: earlier}, Step: invocation.Expire,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.in.Now = now
			if diff := cmp.Diff(test.want, invocation.Decide(test.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEnd(t *testing.T) {
	running := invocation.Record{Phase: invocation.Running, Attempts: 2, Started: now}
	later := now.Add(time.Second)
	for outcome, want := range map[terraform.ActionOutcome]invocation.Record{
		terraform.ActionSucceeded:      {Phase: invocation.Succeeded, Attempts: 2, Started: now, Ended: later},
		terraform.ActionFailed:         {Phase: invocation.Failed, Attempts: 2, Started: now, Ended: later},
		terraform.ActionOutcomeUnknown: {Phase: invocation.Unknown, Attempts: 2, Started: now, Ended: later},
		terraform.ActionNotInvoked:     {Phase: invocation.Pending, Attempts: 1},
	} {
		t.Run(string(outcome), func(t *testing.T) {
			if diff := cmp.Diff(want, running.End(outcome, later)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
