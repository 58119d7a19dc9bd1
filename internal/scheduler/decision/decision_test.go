package decision_test

import (
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// observed returns an input of Observe as it is when the object was read and is unchanged.
func observed(change func(*decision.ObserveInput)) decision.ObserveInput {
	in := decision.ObserveInput{
		Desired: true, Loaded: true, Stored: true, Exists: true, View: decision.Planned, Fits: true,
		Claims: decision.ClaimedRecord, Acquired: true, Read: decision.ReadUnchanged,
	}
	change(&in)
	return in
}

func TestDecideObserve(t *testing.T) {
	type input = decision.ObserveInput
	// unread is the state before the provider is called, empty the same without an object.
	unread := func(in *input) { in.Read = 0 }
	empty := func(in *input) { in.Read, in.Exists, in.Fits, in.View = 0, false, false, 0 }
	changed := func(in *input) { in.Read, in.Fits, in.View = decision.ReadChanged, false, 0 }
	tests := map[string]struct {
		in   func(*input)
		want decision.Deed
	}{
		"an operation runs": {func(in *input) { in.View, in.Loaded = decision.Running, false }, "answer"},
		"an operation of another version": {
			func(in *input) { in.View, in.Loaded, in.OtherVersion = decision.Running, false, true },
			"refuse because of another version",
		},
		"another version has run":         {func(in *input) { in.Loaded, in.OtherVersion = false, true }, "load"},
		"an operation is interrupted":     {func(in *input) { in.View, in.InterruptAsked = decision.Running, true }, "interrupt"},
		"nothing is loaded, an interrupt": {func(in *input) { in.Loaded, in.InterruptAsked = false, true }, "load"},
		"nothing runs, an interrupt": {
			func(in *input) { in.InterruptAsked, in.RetryAsked, in.Acquired = true, true, false },
			"ignore an interrupt",
		},
		"nothing is loaded":  {func(in *input) { in.Loaded = false }, "load"},
		"nothing is claimed": {func(in *input) { in.Claims = 0 }, "claim"},
		"it is being moved": {
			func(in *input) { in.Moving, in.Interrupted, in.Deleted = true, true, true }, "refuse because of a move",
		},
		"its object is being moved": {
			func(in *input) {
				in.Moving, in.HandingOver, in.Interrupted, in.Deleted = true, true, true, true
			}, "hand over",
		},
		"it is in another account": {
			func(in *input) { unread(in); in.Account, in.Claims, in.Acquired = decision.AccountIsOther, 0, false },
			"refuse because of the account",
		},
		"it is in another account, deleted": {func(in *input) {
			unread(in)
			in.Account, in.Deleted, in.MayDestroy = decision.AccountIsOther, true, true
		}, "refuse because of the account"},
		"it is in another account, let go": {
			func(in *input) { unread(in); in.Account, in.Deleted = decision.AccountIsOther, true },
			"answer that there is nothing",
		},
		"it is in another account, moving": {
			func(in *input) { in.Account, in.Moving, in.Interrupted = decision.AccountIsOther, true, true },
			"refuse because of a move",
		},
		"its account is open": {
			func(in *input) { unread(in); in.Account, in.Acquired = decision.AccountIsOpen, false }, "acquire",
		},
		"its account is open, an operation ended": {
			func(in *input) { in.Account, in.View = decision.AccountIsOpen, decision.Applied }, "prove the account",
		},
		"its account is open, an interrupted one": {
			func(in *input) { in.Account, in.Interrupted = decision.AccountIsOpen, true }, "prove the account",
		},
		"its account is open, a foreign operation": {
			func(in *input) { in.Account, in.Interrupted, in.Foreign = decision.AccountIsOpen, true, true },
			"refuse because of another process",
		},
		"its object was moved": {
			func(in *input) { empty(in); in.Moved, in.Acquired = true, false }, "refuse because the object was moved",
		},
		"its object was moved, deleted": {
			func(in *input) { empty(in); in.Moved, in.Acquired, in.Desired, in.Deleted = true, false, false, true },
			"answer that there is nothing",
		},
		"it has taken an object over": {
			func(in *input) { unread(in); in.Releasing, in.Claims, in.Deleted = true, 0, true }, "release",
		},
		"it takes an object over":          {func(in *input) { empty(in); in.TakeOver = true }, "take over"},
		"it takes an object over, has one": {func(in *input) { unread(in); in.TakeOver = true }, "read"},
		"it takes an object over, deleted": {func(in *input) { empty(in); in.TakeOver, in.Deleted = true, true }, "import"},
		"another resource owns it":         {func(in *input) { in.Contested = true }, "refuse because of the owner"},
		"another resource owns it, deleted": {
			func(in *input) { in.Contested, in.Disowned, in.Deleted = true, true, true },
			"answer that there is nothing",
		},
		"another resource owns a part, deleted": {func(in *input) { in.Contested, in.Deleted = true, true }, "refuse because of the owner"},
		"another resource owns it, deposed, deleted": {
			func(in *input) { in.Contested, in.Disowned, in.Deleted, in.Deposed = true, true, true, true },
			"refuse because of the owner",
		},
		"an operation has just ended": {
			func(in *input) { in.View, in.Acquired = decision.Applied, false }, "answer with what was applied",
		},
		"an operation ended, another configuration": {
			func(in *input) { unread(in); in.View, in.Fits, in.Acquired = decision.Applied, false, false }, "acquire",
		},
		"an operation ended, without configuration": {func(in *input) { unread(in); in.View, in.Desired = decision.Applied, false }, "read"},
		"a retry is asked for":                      {func(in *input) { in.RetryAsked, in.Acquired = true, false }, "retry"},
		"nothing to delete": {
			func(in *input) { empty(in); in.Desired, in.Acquired = false, false }, "answer that there is nothing",
		},
		"nothing to delete, never stored": {
			func(in *input) { empty(in); in.Desired, in.Acquired, in.Stored = false, false, false },
			"answer that there is nothing",
		},
		"nothing stored, but an object is named": {
			func(in *input) {
				empty(in)
				in.Desired, in.Acquired, in.Stored, in.Named = false, false, false, true
			}, "acquire",
		},
		"deposed objects to delete": {
			func(in *input) { empty(in); in.Desired, in.Acquired, in.Deposed = false, false, true }, "acquire",
		},
		"an interrupted operation to delete": {
			func(in *input) { empty(in); in.Desired, in.Acquired, in.Interrupted = false, false, true }, "acquire",
		},
		"found to be gone while deleting": {func(in *input) { empty(in); in.Desired, in.Read = false, decision.ReadChanged }, "plan"},
		"an earlier process may have left a mark": {
			func(in *input) {
				unread(in)
				in.View, in.Fits, in.Resumable, in.Acquired = 0, false, true, false
			}, "resume",
		},
		"a mark, without configuration": {
			func(in *input) { unread(in); in.View, in.Resumable, in.Desired = 0, true, false }, "read",
		},
		"a list may do": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired = true, false }, "confirm by a list",
		},
		"a list may do, acquired": {func(in *input) { unread(in); in.Confirmable = true }, "read"},
		"a list may do, another configuration": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Fits = true, false, false }, "acquire",
		},
		"a list may do, not planned": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Unplanned = true, false, true }, "acquire",
		},
		"a list may do, deleted": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Deleted = true, false, true }, "acquire",
		},
		"a list may do, deposed": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Deposed = true, false, true }, "acquire",
		},
		"a list may do, interrupted": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Interrupted = true, false, true }, "acquire",
		},
		"a list may do, tainting is asked for": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Asked = true, false, true }, "acquire",
		},
		"a list may do, a retry is asked for": {
			func(in *input) { unread(in); in.Confirmable, in.Acquired, in.RetryAsked = true, false, true }, "retry",
		},
		"a list has shown it": {func(in *input) { unread(in); in.Confirmed, in.Acquired = true, false }, "answer"},
		"no provider":         {func(in *input) { unread(in); in.Acquired = false }, "acquire"},
		"an operation of another process": {
			func(in *input) { unread(in); in.Interrupted, in.Foreign = true, true },
			"refuse because of another process",
		},
		"an interrupted operation": {func(in *input) { unread(in); in.Interrupted = true }, "recover"},
		"an unresolved create": {
			func(in *input) { empty(in); in.Interrupted, in.Foreign, in.Recovered = true, true, true }, "import",
		},
		"tainting is asked for": {func(in *input) { unread(in); in.Asked = true }, "carry out requests"},
		"nothing exists":        {empty, "import"},
		"nothing is stored":     {func(in *input) { empty(in); in.Stored = false }, "find"},
		"nothing was found":     {func(in *input) { empty(in); in.Stored, in.Sought = false, true }, "plan"},
		"only a deposed object": {func(in *input) { empty(in); in.Deposed = true }, "fall back"},
		"only a deposed object, unresolved": {
			func(in *input) { empty(in); in.Deposed, in.Interrupted, in.Recovered = true, true, true }, "plan",
		},
		"not read":                           {unread, "read"},
		"nothing changed":                    {func(*input) {}, "answer"},
		"nothing changed since an operation": {func(in *input) { in.Unplanned = true }, "claim"},
		"another configuration":              {func(in *input) { in.Fits = false }, "claim"},
		"the object changed":                 {changed, "claim"},
		"the object changed, claimed":        {func(in *input) { changed(in); in.Claims = decision.ClaimedRead }, "plan"},
		"the object is gone":                 {func(in *input) { changed(in); in.Exists = false }, "plan"},
		"planned": {func(in *input) {
			in.Read, in.Planned, in.Claims = decision.ReadChanged, true, decision.ClaimedRead
		}, "claim"},
		"planned without a change": {func(in *input) { in.Planned, in.Claims = true, decision.ClaimedRead }, "claim"},
		"planned and claimed":      {func(in *input) { in.Planned, in.Claims = true, decision.ClaimedPlan }, "answer"},
	}
	tested := map[int]bool{}
	for name, test := range tests {
		got, rule := decision.ObserveRules.Decide(observed(test.in))
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
		tested[rule] = true
	}
	covered(t, tested, decision.ObserveRules)
}

// covered fails if a rule decides in no test.
func covered[Input, Step any](t *testing.T, tested map[int]bool, rules decision.Rules[Input, Step]) {
	t.Helper()
	for number, rule := range rules {
		if !tested[number] {
			t.Errorf("no test is decided by %s", runtime.FuncForPC(reflect.ValueOf(rule).Pointer()).Name())
		}
	}
}

// outcome is the deed of a step, or the reason of a refusal.
func outcome(step decision.Step) string {
	if step.Refusal != nil {
		return string(step.Refusal.Reason)
	}
	return string(step.Deed)
}

// Whatever the input is, each deed changes it so that Observe ends.
func TestObserveEnds(t *testing.T) {
	last := []decision.Deed{
		"answer", "answer with what was applied", "answer that there is nothing", "refuse because of the owner",
		"refuse because of another process", "refuse because of a move", "refuse because of the account",
	}
	const bits = 19
	for n := range 1 << bits {
		bit := func(i int) bool { return n>>i&1 == 1 }
		in := decision.ObserveInput{
			Deleted: bit(0), Desired: bit(1), Named: bit(2), RetryAsked: bit(3), Asked: bit(4), InterruptAsked: bit(4), Loaded: bit(5),
			Fits: bit(6), Confirmable: bit(15), Stored: bit(7), Exists: bit(8), Deposed: bit(9), Interrupted: bit(10),
			Foreign: bit(11), Contested: bit(12), Disowned: bit(2),
		}
		if bit(13) {
			in.View = decision.Applied
		} else if bit(17) {
			in.View = decision.Planned
		}
		in.Moving = bit(18)
		if bit(3) && bit(15) {
			in.Account = decision.AccountIsOpen
		} else if bit(3) && bit(16) {
			in.Account = decision.AccountIsOther
		}
		// What the deeds find.
		recovers, unchanged, unresolved := bit(14), bit(15), bit(16)
		in.Unplanned = bit(17) && bit(13)
		var deed decision.Deed
		for range 20 {
			if deed = decision.Observe(in); slices.Contains(last, deed) {
				break
			}
			carryOut(&in, deed, recovers, unchanged, unresolved)
		}
		if !slices.Contains(last, deed) {
			t.Fatalf("the last of many deeds is to %s: %+v", deed, in)
		}
	}
}

// carryOut changes an input as a deed does that succeeds.
func carryOut(in *decision.ObserveInput, deed decision.Deed, found, unchanged, unresolved bool) {
	switch deed {
	case "load":
		in.Loaded, in.View, in.Fits, in.Unplanned = true, 0, false, false
	case "claim":
		switch {
		case in.Claims == 0:
			in.Claims = decision.ClaimedRecord
		case !in.Planned:
			in.Claims = decision.ClaimedRead
		default:
			in.Claims = decision.ClaimedPlan
		}
	case "ignore an interrupt":
		in.InterruptAsked, in.Asked = false, in.Asked || in.Stored
	case "retry":
		in.RetryAsked = false
	case "resume":
		if in.Resumable = false; found {
			in.View, in.Fits = decision.Planned, true
		}
	case "confirm by a list":
		in.Confirmable, in.Confirmed, in.Acquired = false, unresolved, found
	case "acquire":
		in.Acquired = true
	case "recover":
		in.Recovered, in.Interrupted, in.Exists = true, unresolved, in.Exists || found
	case "prove the account":
		in.Account = 0
	case "carry out requests":
		in.Asked = false
	case "import", "find":
		in.Sought, in.Exists, in.Stored = true, found, in.Stored || found
	case "fall back":
		in.Exists, in.Deposed = true, false
	case "read":
		in.Read = decision.ReadChanged
		if unchanged {
			in.Read = decision.ReadUnchanged
		}
	case "plan":
		in.Planned, in.View, in.Fits, in.Unplanned = true, decision.Planned, true, false
	}
}

func TestDecideApply(t *testing.T) {
	type input = decision.ApplyInput
	permitted := func(action terraform.Action) input {
		return input{
			Plan: &terraform.Plan{Action: action}, Exists: true, MayReplace: true, MayReplaceTainted: true,
			MayDelete: true, Approval: decision.Approval{Hash: "h"},
		}
	}
	failed, deposedFailed := decision.Failed(decision.ReasonOperationFailed, nil), decision.Failed(decision.ReasonReadFailed, nil)
	destroying := &terraform.Plan{Action: terraform.Update, Contained: []terraform.Contained{{Action: terraform.Delete}}}
	taintedPlan := &terraform.Plan{Action: terraform.DeleteThenCreate, Reason: terraform.ReplaceBecauseTainted}
	with := func(in input, change func(*input)) input { change(&in); return in }
	deposed := with(permitted(terraform.NoOp), func(in *input) { in.Deposed = "a" })
	replace := permitted(terraform.DeleteThenCreate)
	first := permitted(terraform.CreateThenDelete)
	create := with(permitted(terraform.Create), func(in *input) { in.Exists = false })
	update := permitted(terraform.Update)
	tainted := with(replace, func(in *input) { in.Tainted, in.Plan = true, taintedPlan })
	tests := map[string]struct {
		in   input
		want string
	}{
		"an operation runs":        {with(update, func(in *input) { in.Running = true }), "nothing"},
		"another resource owns it": {with(update, func(in *input) { in.Conflict = &decision.Conflict{} }), "IdentityConflict"},
		"an update, held":          {with(update, func(in *input) { in.Held = true }), "Interrupted"},
		"not observed, held":       {with(update, func(in *input) { in.Held, in.Plan = true, nil }), "Interrupted"},
		"up to date, held":         {with(permitted(terraform.NoOp), func(in *input) { in.Held = true }), "nothing"},
		"a deposed object, held":   {with(deposed, func(in *input) { in.Held = true }), "Interrupted"},
		"an update, paused":        {with(update, func(in *input) { in.Stopped = "paused" }), "OperationsPaused"},
		"a create, paused":         {with(create, func(in *input) { in.Stopped = "paused" }), "OperationsPaused"},
		"a replacement, paused, approved": {
			with(replace, func(in *input) { in.Stopped, in.Approval.Approved = "paused", true }), "OperationsPaused",
		},
		"a deposed object, paused":          {with(deposed, func(in *input) { in.Stopped = "paused" }), "OperationsPaused"},
		"up to date, paused":                {with(permitted(terraform.NoOp), func(in *input) { in.Stopped = "paused" }), "nothing"},
		"an operation runs, paused":         {with(update, func(in *input) { in.Running, in.Stopped = true, "paused" }), "nothing"},
		"not observed":                      {with(update, func(in *input) { in.Plan = nil }), "StoreFailed"},
		"not observed, too early":           {with(update, func(in *input) { in.Plan, in.Failed = nil, failed }), "OperationFailed"},
		"up to date":                        {permitted(terraform.NoOp), "nothing"},
		"a deposed object":                  {deposed, "destroy a deposed object"},
		"a deposed object beside an update": {with(update, func(in *input) { in.Deposed = "a" }), "destroy a deposed object"},
		"a deposed object of a tainted one": {with(tainted, func(in *input) { in.Deposed = "a" }), "replace, destroy first"},
		"a deposed object to keep":          {with(deposed, func(in *input) { in.MayDelete = false }), "ReplaceRefused"},
		"a deposed object, too early":       {with(deposed, func(in *input) { in.DeposedFailed = deposedFailed }), "ReadFailed"},
		"a deposed object to keep, update":  {with(update, func(in *input) { in.Deposed, in.MayDelete = "a", false }), "update"},
		"a deposed object, too early, both": {
			with(deposed, func(in *input) { in.DeposedFailed, in.Failed = deposedFailed, failed }), "OperationFailed",
		},
		"an update":                       {update, "update"},
		"an update, too early":            {with(update, func(in *input) { in.Failed = failed }), "OperationFailed"},
		"an update that destroys":         {with(update, func(in *input) { in.Plan = destroying }), "update"},
		"an update that must not destroy": {with(update, func(in *input) { in.Plan, in.MayReplace = destroying, false }), "ReplaceRefused"},
		"a replacement":                   {replace, "replace, destroy first"},
		"a replacement that is forbidden": {with(replace, func(in *input) { in.MayReplace = false }), "ReplaceRefused"},
		"protected, a replacement":        {with(replace, func(in *input) { in.Protected = true }), "DeletionProtected"},
		"protected, forbidden":            {with(replace, func(in *input) { in.Protected, in.MayReplace = true, false }), "DeletionProtected"},
		"protected, create first":         {with(first, func(in *input) { in.Protected = true }), "DeletionProtected"},
		"protected, tainted":              {with(tainted, func(in *input) { in.Protected = true }), "DeletionProtected"},
		"protected, contained":            {with(update, func(in *input) { in.Protected, in.Plan = true, destroying }), "DeletionProtected"},
		"protected, a deposed object":     {with(deposed, func(in *input) { in.Protected = true }), "DeletionProtected"},
		"protected, approved": {with(replace, func(in *input) {
			in.Protected, in.Approval.Policy, in.Approval.Approved = true, desired.ApproveEverything, true
		}), "DeletionProtected"},
		"protected, an update":              {with(update, func(in *input) { in.Protected = true }), "update"},
		"protected, a create":               {with(create, func(in *input) { in.Protected = true }), "create"},
		"tainted":                           {tainted, "replace, destroy first"},
		"tainted, to keep":                  {with(tainted, func(in *input) { in.MayReplaceTainted = false }), "ReplaceRefused"},
		"not tainted, taints are kept":      {with(replace, func(in *input) { in.MayReplaceTainted = false }), "replace, destroy first"},
		"tainted, stalled":                  {with(tainted, func(in *input) { in.Stalled = 3 }), "CreateAttemptsExhausted"},
		"a replacement that would not help": {with(replace, func(in *input) { in.NeverSettles = true }), "NeverSettles"},
		"one that is approved": {
			with(replace, func(in *input) { in.NeverSettles, in.Approval.Approved = true, true }),
			"replace, destroy first",
		},
		"an update that did not settle": {with(update, func(in *input) { in.Waits = true }), "nothing"},
		"tainted, as it would be again": {with(tainted, func(in *input) { in.Inconsistent = true }), "InconsistentResult"},
		"that is approved": {
			with(tainted, func(in *input) { in.Inconsistent, in.Approval.Approved = true, true }),
			"replace, destroy first",
		},
		"create first":                      {first, "replace, create first"},
		"create first, not found":           {with(first, func(in *input) { in.Missing = true }), "replace, destroy first"},
		"create first, tainted":             {with(first, func(in *input) { in.Tainted = true }), "replace, create first"},
		"create first, tainted and deposed": {with(first, func(in *input) { in.Tainted, in.Deposed = true, "a" }), "replace, destroy first"},
		"everything, unapproved": {
			with(update, func(in *input) { in.Approval.Policy = desired.ApproveEverything }), "AwaitingApproval",
		},
		"everything, approved": {
			with(update, func(in *input) {
				in.Approval.Policy, in.Approval.Approved = desired.ApproveEverything, true
			}), "update",
		},
		"everything, approved, too early": {with(update, func(in *input) {
			in.Approval.Policy, in.Approval.Approved, in.Failed = desired.ApproveEverything, true, failed
		}), "OperationFailed"},
		"a create of what is gone":      {with(create, func(in *input) { in.Gone = true }), "Drifted"},
		"an update of a reported drift": {with(update, func(in *input) { in.Gone = true }), "update"},
		"everything, up to date": {
			with(permitted(terraform.NoOp), func(in *input) { in.Approval.Policy = desired.ApproveEverything }),
			"nothing",
		},
		"everything, a deposed object": {
			with(deposed, func(in *input) { in.Approval.Policy = desired.ApproveEverything }),
			"destroy a deposed object",
		},
		"everything, a create": {
			with(create, func(in *input) {
				in.Approval.Policy, in.Unresolved = desired.ApproveEverything, &instance.Operation{}
			}), "AwaitingApproval",
		},
		"everything, forbidden": {
			with(replace, func(in *input) { in.Approval.Policy, in.MayReplace = desired.ApproveEverything, false }),
			"ReplaceRefused",
		},
		"destructive, an update": {with(update, func(in *input) { in.Approval.Policy = desired.ApproveDestructive }), "update"},
		"destructive, a create":  {with(create, func(in *input) { in.Approval.Policy = desired.ApproveDestructive }), "create"},
		"destructive, contained": {
			with(update, func(in *input) { in.Approval.Policy, in.Plan = desired.ApproveDestructive, destroying }),
			"AwaitingApproval",
		},
		"destructive, a replacement": {with(replace, func(in *input) { in.Approval.Policy = desired.ApproveDestructive }), "AwaitingApproval"},
		"destructive, create first":  {with(first, func(in *input) { in.Approval.Policy = desired.ApproveDestructive }), "AwaitingApproval"},
		"destructive, tainted":       {with(tainted, func(in *input) { in.Approval.Policy = desired.ApproveDestructive }), "AwaitingApproval"},
		"another plan was approved": {with(replace, func(in *input) {
			in.Approval = decision.Approval{Policy: desired.ApproveDestructive, Hash: "h", Other: true}
		}), "PlanChanged"},
		"unapproved, not observed": {
			with(replace, func(in *input) { in.Approval = decision.Approval{Policy: desired.ApproveDestructive} }),
			"StoreFailed",
		},
		"destructive, approved": {
			with(replace, func(in *input) {
				in.Approval.Policy, in.Approval.Approved = desired.ApproveDestructive, true
			}), "replace, destroy first",
		},
		"denied": {with(update, func(in *input) { in.Denied = []policy.Result{{}} }), "DeniedByPolicy"},
		"denied, approved": {with(replace, func(in *input) {
			in.Approval.Policy, in.Approval.Approved, in.Denied = desired.ApproveEverything, true, []policy.Result{{}}
		}), "DeniedByPolicy"},
		"denied, up to date":    {with(permitted(terraform.NoOp), func(in *input) { in.Denied = []policy.Result{{}} }), "nothing"},
		"a create":              {create, "create"},
		"a create, unresolved":  {with(create, func(in *input) { in.Unresolved = &instance.Operation{} }), "CreateOutcomeUnknown"},
		"an update, unresolved": {with(update, func(in *input) { in.Unresolved = &instance.Operation{} }), "update"},
	}
	tested := map[int]bool{}
	for name, test := range tests {
		got, rule := decision.ApplyRules.Decide(test.in)
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, outcome(got)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
		tested[rule] = true
	}
	covered(t, tested, decision.ApplyRules)
}

func TestDecideDelete(t *testing.T) {
	type input = decision.DeleteInput
	failed := decision.Failed(decision.ReasonOperationFailed, nil)
	tests := map[string]struct {
		in   input
		want string
	}{
		"an operation runs": {input{Running: true, Observed: true, Exists: true}, "nothing"},
		"not observed":      {input{Exists: true}, "StoreFailed"},
		"nothing exists":    {input{Observed: true, Failed: failed}, "nothing"},
		"too early":         {input{Observed: true, Exists: true, Failed: failed}, "OperationFailed"},
		"held":              {input{Observed: true, Exists: true, Failed: failed, Held: true}, "Interrupted"},
		"held, nothing":     {input{Observed: true, Held: true}, "nothing"},
		"an object":         {input{Observed: true, Exists: true}, "destroy"},
		"protected": {
			input{
				Observed: true, Exists: true, Protected: true, Failed: failed,
				Approval: decision.Approval{Approved: true},
			}, "DeletionProtected",
		},
		"protected, nothing": {input{Observed: true, Protected: true}, "nothing"},
		"paused": {
			input{Observed: true, Exists: true, Stopped: "paused", Approval: decision.Approval{Approved: true}},
			"OperationsPaused",
		},
		"paused, nothing": {input{Observed: true, Stopped: "paused"}, "nothing"},
		"unapproved": {
			input{
				Observed: true, Exists: true, Approval: decision.Approval{
					Hash: "h", Policy: desired.ApproveDestructive,
				},
			}, "AwaitingApproval",
		},
		"approved": {
			input{
				Observed: true, Exists: true,
				Approval: decision.Approval{Hash: "h", Policy: desired.ApproveEverything, Approved: true},
			}, "destroy",
		},
		"denied": {
			input{
				Observed: true, Exists: true,
				Approval: decision.Approval{Hash: "h", Policy: desired.ApproveEverything, Approved: true},
				Denied:   []policy.Result{{}},
			}, "DeniedByPolicy",
		},
	}
	tested := map[int]bool{}
	for name, test := range tests {
		got, rule := decision.DeleteRules.Decide(test.in)
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, outcome(got)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
		tested[rule] = true
	}
	covered(t, tested, decision.DeleteRules)
}
