package managed_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/settling"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// The condition NeverSettles of a module names the objects that never settle, with both values, and
// what to write into their blocks.
func TestNeverSettlesInModules(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 2, 14, 0, 0, 0, time.UTC)
	object := func(address string, action terraform.Action, never bool, changes ...terraform.ContainedChange) settling.UnsettledObject {
		return settling.UnsettledObject{Contained: terraform.Contained{Address: address, Action: action, Changes: changes}, Never: never}
	}
	change := func(path, before, after string) terraform.ContainedChange {
		return terraform.ContainedChange{Path: path, Before: json.RawMessage(before), After: json.RawMessage(after)}
	}
	alternating := func(of settling.UnsettledObject) settling.UnsettledObject {
		of.Alternates = true
		return of
	}
	secret, unknown := change("token", `"s3cret"`, `"s4cret"`), change("serial", "1", "2")
	secret.Sensitive, unknown.After = true, nil
	value, tags := change("value", `"b"`, `"B"`), change(`tags["a b"]`, "null", "1")
	const begin, end = "4 applies since 2026-01-02T14:00:00Z have not made the module as declared: ",
		" The next apply for that is at 2026-01-02T15:00:00Z."
	for name, x := range map[string]struct {
		objects      []settling.UnsettledObject
		reason, want string
		alternates   bool
	}{
		"reads that alternate": {
			objects: []settling.UnsettledObject{
				alternating(object("bug_thing.a", terraform.Update, true, value)),
				alternating(object("bug_thing.b", terraform.NoOp, true)),
			},
			reason: "ReadsAlternate", alternates: true,
			want: "Since 2026-01-02T14:00:00Z, one look at the module has shown objects of it otherwise than the " +
				"look right before, 4 times, though nothing was done to them: " +
				`bug_thing.a, where value is "b" and should be "B"; bug_thing.b. ` +
				"In the module, set these arguments to the values that the provider returns, or add ignore_changes " +
				"= [value] to lifecycle in the block of bug_thing.a." + end,
		},
		"updates": {
			objects: []settling.UnsettledObject{
				object("bug_thing.a[0]", terraform.Update, true, value, tags, secret, unknown),
				object("bug_thing.young", terraform.Update, false, value),
				object(`module.x["k"].bug_thing.b`, terraform.Update, true, value),
			}, reason: "UpdateRepeats",
			want: begin + `bug_thing.a[0], where value is "b" and should be "B", tags["a b"] is null and should be 1, ` +
				`token is (sensitive value) and should be (sensitive value), serial is 1 and should be (known after apply); ` +
				`module.x["k"].bug_thing.b, where value is "b" and should be "B". ` +
				`In the module, set these arguments to the values that the provider returns, or add ignore_changes = [value, tags, token] to lifecycle in the block of bug_thing.a, ` +
				`and ignore_changes = [value] to lifecycle in the block of module.x.bug_thing.b.` + end,
		},
		"nothing that could be set": {
			objects: []settling.UnsettledObject{object("bug_thing.a", terraform.Update, true, unknown)}, reason: "UpdateRepeats",
			want: begin + "bug_thing.a, where serial is 1 and should be (known after apply). " +
				"What refers to the time or to random values in the module changes each time, as does what the " +
				"provider leaves open in each plan." + end,
		},
		"outputs": {
			objects: []settling.UnsettledObject{object("", terraform.Update, true)}, reason: "UpdateRepeats",
			want: begin + "its outputs change each time. " +
				"What refers to the time or to random values in the module changes each time, as does what the " +
				"provider leaves open in each plan." + end,
		},
		"a replacement beside an update": {
			objects: []settling.UnsettledObject{
				object("bug_thing.a", terraform.Update, true, tags),
				object("bug_thing.b", terraform.DeleteThenCreate, true, value),
			}, reason: "ReplacementRepeats",
			want: `The objects are kept, since their successors would have to be replaced likewise: bug_thing.b, where value is "b" and should be "B". ` +
				`In the module, set these arguments to the values that the provider returns, or add ignore_changes = [value] to lifecycle in the block of bug_thing.b.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := managed.NeverSettles(nil, &settling.Unsettled{
				Plan: &terraform.Plan{Action: terraform.Update}, Objects: x.objects, Never: true,
				Alternates: x.alternates, Updates: 4, Since: since, NextAt: since.Add(time.Hour),
			})
			if got.Status != "True" || string(got.Reason) != x.reason {
				t.Errorf("%s %s", got.Status, got.Reason)
			}
			if diff := cmp.Diff(x.want, got.Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Without objects of a module, the condition says what has happened to the fields.
func TestNeverSettles(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 2, 14, 0, 0, 0, time.UTC)
	for name, x := range map[string]struct {
		unsettled    settling.Unsettled
		reason, want string
	}{
		"updates": {
			settling.Unsettled{Updates: 4}, "UpdateRepeats",
			"4 updates since 2026-01-02T14:00:00Z have not made the remote object as declared: nothing that a field shows. " +
				"Set these fields to the values that the provider returns, or list them in " +
				"spec.lifecycle.ignoreChanges. The next update is at 2026-01-02T15:00:00Z.",
		},
		"reads that alternate": {
			settling.Unsettled{Updates: 4, Alternates: true}, "ReadsAlternate",
			"Since 2026-01-02T14:00:00Z, one look at the remote object has shown it otherwise than the look right " +
				"before, 4 times, though nothing was done to it: nothing that a field shows. " +
				"List these fields in spec.lifecycle.ignoreChanges. The next update is at 2026-01-02T15:00:00Z.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, u := managed.Kind{Model: &model.Resource{Schema: &schema.Resource{Block: &schema.Block{}}}}, x.unsettled
			u.Plan, u.Never, u.Since, u.NextAt = &terraform.Plan{Action: terraform.Update}, true, since, since.Add(time.Hour)
			got := managed.NeverSettles(&k, &u)
			if got.Status != "True" || string(got.Reason) != x.reason {
				t.Errorf("%s %s", got.Status, got.Reason)
			}
			if diff := cmp.Diff(x.want, got.Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
