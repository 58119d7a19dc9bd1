package scheduler_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// observed returns an input of Observe as it is when the object was read and is unchanged.
func observed(change func(*scheduler.ObserveInput)) scheduler.ObserveInput {
	in := scheduler.ObserveInput{
		Desired: true, Loaded: true, Stored: true, Exists: true, View: scheduler.ViewPlanned, Fits: true,
		Claims: scheduler.ClaimedRecord, Acquired: true, Read: scheduler.ReadUnchanged,
	}
	change(&in)
	return in
}

func TestDecideObserve(t *testing.T) {
	type input = scheduler.ObserveInput
	// unread is the state before the provider is called, empty the same without an object.
	unread := func(in *input) { in.Read = 0 }
	empty := func(in *input) { in.Read, in.Exists, in.Fits, in.View = 0, false, false, 0 }
	changed := func(in *input) { in.Read, in.Fits, in.View = scheduler.ReadChanged, false, 0 }
	tests := map[string]struct {
		in   func(*input)
		want string
	}{
		"an operation runs":               {func(in *input) { in.View, in.Loaded = scheduler.ViewRunning, false }, "answer"},
		"an operation is interrupted":     {func(in *input) { in.View, in.InterruptAsked = scheduler.ViewRunning, true }, "interrupt"},
		"nothing is loaded, an interrupt": {func(in *input) { in.Loaded, in.InterruptAsked = false, true }, "load"},
		"nothing runs, an interrupt":      {func(in *input) { in.InterruptAsked, in.RetryAsked, in.Acquired = true, true, false }, "ignore an interrupt"},
		"nothing is loaded":               {func(in *input) { in.Loaded = false }, "load"},
		"nothing is claimed":              {func(in *input) { in.Claims = 0 }, "claim"},
		"it is being moved":               {func(in *input) { in.Moving, in.Interrupted, in.Deleted = true, true, true }, "refuse because of a move"},
		"its object is being moved":       {func(in *input) { in.Moving, in.HandingOver, in.Interrupted, in.Deleted = true, true, true, true }, "hand over"},
		"it is in another account":        {func(in *input) { unread(in); in.Account, in.Claims, in.Acquired = scheduler.AccountIsOther, 0, false }, "refuse because of the account"},
		"it is in another account, deleted": {func(in *input) {
			unread(in)
			in.Account, in.Deleted, in.MayDestroy = scheduler.AccountIsOther, true, true
		}, "refuse because of the account"},
		"it is in another account, let go":           {func(in *input) { unread(in); in.Account, in.Deleted = scheduler.AccountIsOther, true }, "answer that there is nothing"},
		"it is in another account, moving":           {func(in *input) { in.Account, in.Moving, in.Interrupted = scheduler.AccountIsOther, true, true }, "refuse because of a move"},
		"its account is open":                        {func(in *input) { unread(in); in.Account, in.Acquired = scheduler.AccountIsOpen, false }, "acquire"},
		"its account is open, an operation ended":    {func(in *input) { in.Account, in.View = scheduler.AccountIsOpen, scheduler.ViewApplied }, "prove the account"},
		"its account is open, an interrupted one":    {func(in *input) { in.Account, in.Interrupted = scheduler.AccountIsOpen, true }, "prove the account"},
		"its account is open, a foreign operation":   {func(in *input) { in.Account, in.Interrupted, in.Foreign = scheduler.AccountIsOpen, true, true }, "refuse because of another process"},
		"its object was moved":                       {func(in *input) { empty(in); in.Moved, in.Acquired = true, false }, "refuse because the object was moved"},
		"its object was moved, deleted":              {func(in *input) { empty(in); in.Moved, in.Acquired, in.Desired, in.Deleted = true, false, false, true }, "answer that there is nothing"},
		"it has taken an object over":                {func(in *input) { unread(in); in.LettingGo, in.Claims, in.Deleted = true, 0, true }, "let go"},
		"it takes an object over":                    {func(in *input) { empty(in); in.TakeOver = true }, "take over"},
		"it takes an object over, has one":           {func(in *input) { unread(in); in.TakeOver = true }, "read"},
		"it takes an object over, deleted":           {func(in *input) { empty(in); in.TakeOver, in.Deleted = true, true }, "import"},
		"another resource owns it":                   {func(in *input) { in.Contested = true }, "refuse because of the owner"},
		"another resource owns it, deleted":          {func(in *input) { in.Contested, in.Disowned, in.Deleted = true, true, true }, "answer that there is nothing"},
		"another resource owns a part, deleted":      {func(in *input) { in.Contested, in.Deleted = true, true }, "refuse because of the owner"},
		"another resource owns it, deposed, deleted": {func(in *input) { in.Contested, in.Disowned, in.Deleted, in.Deposed = true, true, true, true }, "refuse because of the owner"},
		"an operation has just ended":                {func(in *input) { in.View, in.Acquired = scheduler.ViewApplied, false }, "answer with what was applied"},
		"an operation ended, another configuration":  {func(in *input) { unread(in); in.View, in.Fits, in.Acquired = scheduler.ViewApplied, false, false }, "acquire"},
		"an operation ended, without configuration":  {func(in *input) { unread(in); in.View, in.Desired = scheduler.ViewApplied, false }, "read"},
		"a retry is asked for":                       {func(in *input) { in.RetryAsked, in.Acquired = true, false }, "retry"},
		"nothing to delete":                          {func(in *input) { empty(in); in.Desired, in.Acquired = false, false }, "answer that there is nothing"},
		"nothing to delete, never stored":            {func(in *input) { empty(in); in.Desired, in.Acquired, in.Stored = false, false, false }, "answer that there is nothing"},
		"nothing stored, but an object is named":     {func(in *input) { empty(in); in.Desired, in.Acquired, in.Stored, in.Named = false, false, false, true }, "acquire"},
		"deposed objects to delete":                  {func(in *input) { empty(in); in.Desired, in.Acquired, in.Deposed = false, false, true }, "acquire"},
		"an interrupted operation to delete":         {func(in *input) { empty(in); in.Desired, in.Acquired, in.Interrupted = false, false, true }, "acquire"},
		"found to be gone while deleting":            {func(in *input) { empty(in); in.Desired, in.Read = false, scheduler.ReadChanged }, "plan"},
		"an earlier process may have left a mark":    {func(in *input) { unread(in); in.View, in.Fits, in.Resumable, in.Acquired = 0, false, true, false }, "resume"},
		"a mark, without configuration":              {func(in *input) { unread(in); in.View, in.Resumable, in.Desired = 0, true, false }, "read"},
		"a list may do":                              {func(in *input) { unread(in); in.Confirmable, in.Acquired = true, false }, "confirm by a list"},
		"a list may do, acquired":                    {func(in *input) { unread(in); in.Confirmable = true }, "read"},
		"a list may do, another configuration":       {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Fits = true, false, false }, "acquire"},
		"a list may do, not planned":                 {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Unplanned = true, false, true }, "acquire"},
		"a list may do, deleted":                     {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Deleted = true, false, true }, "acquire"},
		"a list may do, deposed":                     {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Deposed = true, false, true }, "acquire"},
		"a list may do, interrupted":                 {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.Interrupted = true, false, true }, "acquire"},
		"a list may do, tainting is asked for":       {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.MarkAsked = true, false, true }, "acquire"},
		"a list may do, a retry is asked for":        {func(in *input) { unread(in); in.Confirmable, in.Acquired, in.RetryAsked = true, false, true }, "retry"},
		"a list has shown it":                        {func(in *input) { unread(in); in.Confirmed, in.Acquired = true, false }, "answer"},
		"no provider":                                {func(in *input) { unread(in); in.Acquired = false }, "acquire"},
		"an operation of another process":            {func(in *input) { unread(in); in.Interrupted, in.Foreign = true, true }, "refuse because of another process"},
		"an interrupted operation":                   {func(in *input) { unread(in); in.Interrupted = true }, "recover"},
		"a doubtful create":                          {func(in *input) { empty(in); in.Interrupted, in.Foreign, in.Recovered = true, true, true }, "import"},
		"tainting is asked for":                      {func(in *input) { unread(in); in.MarkAsked = true }, "mark"},
		"nothing exists":                             {empty, "import"},
		"nothing is stored":                          {func(in *input) { empty(in); in.Stored = false }, "find"},
		"nothing was found":                          {func(in *input) { empty(in); in.Stored, in.Sought = false, true }, "plan"},
		"only a deposed object":                      {func(in *input) { empty(in); in.Deposed = true }, "fall back"},
		"only a deposed object, doubtful":            {func(in *input) { empty(in); in.Deposed, in.Interrupted, in.Recovered = true, true, true }, "plan"},
		"not read":                                   {unread, "read"},
		"nothing changed":                            {func(*input) {}, "answer"},
		"nothing changed since an operation":         {func(in *input) { in.Unplanned = true }, "claim"},
		"another configuration":                      {func(in *input) { in.Fits = false }, "claim"},
		"the object changed":                         {changed, "claim"},
		"the object changed, claimed":                {func(in *input) { changed(in); in.Claims = scheduler.ClaimedRead }, "plan"},
		"the object is gone":                         {func(in *input) { changed(in); in.Exists = false }, "plan"},
		"planned": {func(in *input) {
			in.Read, in.Planned, in.Claims = scheduler.ReadChanged, true, scheduler.ClaimedRead
		}, "claim"},
		"planned without a change": {func(in *input) { in.Planned, in.Claims = true, scheduler.ClaimedRead }, "claim"},
		"planned and claimed":      {func(in *input) { in.Planned, in.Claims = true, scheduler.ClaimedPlan }, "answer"},
	}
	deeds := map[string]bool{}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, scheduler.DecideObserve(observed(test.in))); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
		deeds[test.want] = true
	}
	covered(t, deeds, scheduler.DeedsOfObserve())
}

// covered fails if a deed of a chain is in no test.
func covered(t *testing.T, tested map[string]bool, all []string) {
	t.Helper()
	for _, deed := range all {
		if !tested[deed] {
			t.Errorf("no test decides to %s", deed)
		}
	}
}

// Whatever the input is, each deed changes it so that Observe ends.
func TestObserveEnds(t *testing.T) {
	last := []string{"answer", "answer with what was applied", "answer that there is nothing", "refuse because of the owner", "refuse because of another process", "refuse because of a move", "refuse because of the account"}
	const bits = 19
	for n := range 1 << bits {
		bit := func(i int) bool { return n>>i&1 == 1 }
		in := scheduler.ObserveInput{
			Deleted: bit(0), Desired: bit(1), Named: bit(2), RetryAsked: bit(3), MarkAsked: bit(4), InterruptAsked: bit(4), Loaded: bit(5),
			Fits: bit(6), Confirmable: bit(15), Stored: bit(7), Exists: bit(8), Deposed: bit(9), Interrupted: bit(10), Foreign: bit(11), Contested: bit(12), Disowned: bit(2),
		}
		if bit(13) {
			in.View = scheduler.ViewApplied
		} else if bit(17) {
			in.View = scheduler.ViewPlanned
		}
		in.Moving = bit(18)
		if bit(3) && bit(15) {
			in.Account = scheduler.AccountIsOpen
		} else if bit(3) && bit(16) {
			in.Account = scheduler.AccountIsOther
		}
		// What the deeds find.
		recovers, unchanged, doubtful := bit(14), bit(15), bit(16)
		in.Unplanned = bit(17) && bit(13)
		deed := ""
		for range 20 {
			if deed = scheduler.DecideObserve(in); slices.Contains(last, deed) {
				break
			}
			carryOut(&in, deed, recovers, unchanged, doubtful)
		}
		if !slices.Contains(last, deed) {
			t.Fatalf("the last of many deeds is to %s: %+v", deed, in)
		}
	}
}

// carryOut changes an input as a deed does that succeeds.
func carryOut(in *scheduler.ObserveInput, deed string, found, unchanged, doubtful bool) {
	switch deed {
	case "load":
		in.Loaded, in.View, in.Fits, in.Unplanned = true, 0, false, false
	case "claim":
		switch {
		case in.Claims == 0:
			in.Claims = scheduler.ClaimedRecord
		case !in.Planned:
			in.Claims = scheduler.ClaimedRead
		default:
			in.Claims = scheduler.ClaimedPlan
		}
	case "ignore an interrupt":
		in.InterruptAsked, in.MarkAsked = false, in.MarkAsked || in.Stored
	case "retry":
		in.RetryAsked = false
	case "resume":
		if in.Resumable = false; found {
			in.View, in.Fits = scheduler.ViewPlanned, true
		}
	case "confirm by a list":
		in.Confirmable, in.Confirmed, in.Acquired = false, doubtful, found
	case "acquire":
		in.Acquired = true
	case "recover":
		in.Recovered, in.Interrupted, in.Exists = true, doubtful, in.Exists || found
	case "prove the account":
		in.Account = 0
	case "mark":
		in.MarkAsked = false
	case "import", "find":
		in.Sought, in.Exists, in.Stored = true, found, in.Stored || found
	case "fall back":
		in.Exists, in.Deposed = true, false
	case "read":
		in.Read = scheduler.ReadChanged
		if unchanged {
			in.Read = scheduler.ReadUnchanged
		}
	case "plan":
		in.Planned, in.View, in.Fits, in.Unplanned = true, scheduler.ViewPlanned, true, false
	}
}

func TestDecideApply(t *testing.T) {
	type input = scheduler.ApplyInput
	permitted := func(action terraform.Action) input {
		return input{Observed: true, Action: action, Exists: true, MayReplace: true, MayReplaceTainted: true, MayDelete: true}
	}
	with := func(in input, change func(*input)) input { change(&in); return in }
	deposed := with(permitted(terraform.NoOp), func(in *input) { in.Deposed = true })
	replace := permitted(terraform.DeleteThenCreate)
	first := permitted(terraform.CreateThenDelete)
	create := with(permitted(terraform.Create), func(in *input) { in.Exists = false })
	update := permitted(terraform.Update)
	tainted := with(replace, func(in *input) { in.Tainted, in.Reason = true, terraform.ReplaceBecauseTainted })
	tests := map[string]struct {
		in   input
		want string
	}{
		"an operation runs":                 {with(update, func(in *input) { in.Running = true }), "nothing"},
		"another resource owns it":          {with(update, func(in *input) { in.Contested = true }), "refuse because of the owner"},
		"an update, held":                   {with(update, func(in *input) { in.Held = true }), "refuse because of an interrupt"},
		"not observed, held":                {with(update, func(in *input) { in.Held, in.Observed = true, false }), "refuse because of an interrupt"},
		"up to date, held":                  {with(permitted(terraform.NoOp), func(in *input) { in.Held = true }), "nothing"},
		"a deposed object, held":            {with(deposed, func(in *input) { in.Held = true }), "refuse because of an interrupt"},
		"an update, paused":                 {with(update, func(in *input) { in.Stopped = true }), "refuse because operations are paused"},
		"a create, paused":                  {with(create, func(in *input) { in.Stopped = true }), "refuse because operations are paused"},
		"a replacement, paused, approved":   {with(replace, func(in *input) { in.Stopped, in.Approved = true, true }), "refuse because operations are paused"},
		"a deposed object, paused":          {with(deposed, func(in *input) { in.Stopped = true }), "refuse because operations are paused"},
		"up to date, paused":                {with(permitted(terraform.NoOp), func(in *input) { in.Stopped = true }), "nothing"},
		"an operation runs, paused":         {with(update, func(in *input) { in.Running, in.Stopped = true, true }), "nothing"},
		"not observed":                      {with(update, func(in *input) { in.Observed = false }), "refuse because of the observation"},
		"not observed, too early":           {with(update, func(in *input) { in.Observed, in.Failed = false, true }), "refuse because of an earlier failure"},
		"up to date":                        {permitted(terraform.NoOp), "nothing"},
		"a deposed object":                  {deposed, "destroy a deposed object"},
		"a deposed object beside an update": {with(update, func(in *input) { in.Deposed = true }), "destroy a deposed object"},
		"a deposed object of a tainted one": {with(tainted, func(in *input) { in.Deposed = true }), "replace, destroy first"},
		"a deposed object to keep":          {with(deposed, func(in *input) { in.MayDelete = false }), "refuse to destroy a deposed object"},
		"a deposed object, too early":       {with(deposed, func(in *input) { in.DeposedFailed = true }), "refuse because of an earlier failure to destroy a deposed object"},
		"a deposed object to keep, update":  {with(update, func(in *input) { in.Deposed, in.MayDelete = true, false }), "update"},
		"a deposed object, too early, both": {with(deposed, func(in *input) { in.DeposedFailed, in.Failed = true, true }), "refuse because of an earlier failure"},
		"an update":                         {update, "update"},
		"an update, too early":              {with(update, func(in *input) { in.Failed = true }), "refuse because of an earlier failure"},
		"an update that destroys":           {with(update, func(in *input) { in.Destroys = true }), "update"},
		"an update that must not destroy":   {with(update, func(in *input) { in.Destroys, in.MayReplace = true, false }), "refuse to destroy contained objects"},
		"a replacement":                     {replace, "replace, destroy first"},
		"a replacement that is forbidden":   {with(replace, func(in *input) { in.MayReplace = false }), "refuse the replacement"},
		"protected, a replacement":          {with(replace, func(in *input) { in.Protected = true }), "refuse to destroy what is protected"},
		"protected, forbidden":              {with(replace, func(in *input) { in.Protected, in.MayReplace = true, false }), "refuse to destroy what is protected"},
		"protected, create first":           {with(first, func(in *input) { in.Protected = true }), "refuse to destroy what is protected"},
		"protected, tainted":                {with(tainted, func(in *input) { in.Protected = true }), "refuse to destroy what is protected"},
		"protected, contained":              {with(update, func(in *input) { in.Protected, in.Destroys = true, true }), "refuse to destroy what is protected"},
		"protected, a deposed object":       {with(deposed, func(in *input) { in.Protected = true }), "refuse to destroy a deposed object"},
		"protected, approved":               {with(replace, func(in *input) { in.Protected, in.Approval, in.Approved = true, desired.ApproveEverything, true }), "refuse to destroy what is protected"},
		"protected, an update":              {with(update, func(in *input) { in.Protected = true }), "update"},
		"protected, a create":               {with(create, func(in *input) { in.Protected = true }), "create"},
		"tainted":                           {tainted, "replace, destroy first"},
		"tainted, to keep":                  {with(tainted, func(in *input) { in.MayReplaceTainted = false }), "refuse the replacement"},
		"not tainted, taints are kept":      {with(replace, func(in *input) { in.MayReplaceTainted = false }), "replace, destroy first"},
		"tainted, stalled":                  {with(tainted, func(in *input) { in.Stalled = true }), "refuse because of many failed creates"},
		"a replacement that would not help": {with(replace, func(in *input) { in.NeverSettles = true }), "refuse to replace again what did not settle"},
		"one that is approved":              {with(replace, func(in *input) { in.NeverSettles, in.Approved = true, true }), "replace, destroy first"},
		"an update that did not settle":     {with(update, func(in *input) { in.Waits = true }), "nothing"},
		"tainted, as it would be again":     {with(tainted, func(in *input) { in.Inconsistent = true }), "refuse to replace what would be the same again"},
		"that is approved":                  {with(tainted, func(in *input) { in.Inconsistent, in.Approved = true, true }), "replace, destroy first"},
		"create first":                      {first, "replace, create first"},
		"create first, not found":           {with(first, func(in *input) { in.Missing = true }), "replace, destroy first"},
		"create first, tainted":             {with(first, func(in *input) { in.Tainted = true }), "replace, create first"},
		"create first, tainted and deposed": {with(first, func(in *input) { in.Tainted, in.Deposed = true, true }), "replace, destroy first"},
		"everything, unapproved":            {with(update, func(in *input) { in.Approval = desired.ApproveEverything }), "refuse because it is not approved"},
		"everything, approved":              {with(update, func(in *input) { in.Approval, in.Approved = desired.ApproveEverything, true }), "update"},
		"everything, approved, too early":   {with(update, func(in *input) { in.Approval, in.Approved, in.Failed = desired.ApproveEverything, true, true }), "refuse because of an earlier failure"},
		"a create of what is gone":          {with(create, func(in *input) { in.Gone = true }), "refuse to create again what was destroyed outside"},
		"an update of a reported drift":     {with(update, func(in *input) { in.Gone = true }), "update"},
		"everything, up to date":            {with(permitted(terraform.NoOp), func(in *input) { in.Approval = desired.ApproveEverything }), "nothing"},
		"everything, a deposed object":      {with(deposed, func(in *input) { in.Approval = desired.ApproveEverything }), "destroy a deposed object"},
		"everything, a create":              {with(create, func(in *input) { in.Approval, in.Doubted = desired.ApproveEverything, true }), "refuse because it is not approved"},
		"everything, forbidden":             {with(replace, func(in *input) { in.Approval, in.MayReplace = desired.ApproveEverything, false }), "refuse the replacement"},
		"destructive, an update":            {with(update, func(in *input) { in.Approval = desired.ApproveDestructive }), "update"},
		"destructive, a create":             {with(create, func(in *input) { in.Approval = desired.ApproveDestructive }), "create"},
		"destructive, contained":            {with(update, func(in *input) { in.Approval, in.Destroys = desired.ApproveDestructive, true }), "refuse because it is not approved"},
		"destructive, a replacement":        {with(replace, func(in *input) { in.Approval = desired.ApproveDestructive }), "refuse because it is not approved"},
		"destructive, create first":         {with(first, func(in *input) { in.Approval = desired.ApproveDestructive }), "refuse because it is not approved"},
		"destructive, tainted":              {with(tainted, func(in *input) { in.Approval = desired.ApproveDestructive }), "refuse because it is not approved"},
		"destructive, approved":             {with(replace, func(in *input) { in.Approval, in.Approved = desired.ApproveDestructive, true }), "replace, destroy first"},
		"denied":                            {with(update, func(in *input) { in.Denied = true }), "refuse because of a policy"},
		"denied, approved":                  {with(replace, func(in *input) { in.Approval, in.Approved, in.Denied = desired.ApproveEverything, true, true }), "refuse because of a policy"},
		"denied, up to date":                {with(permitted(terraform.NoOp), func(in *input) { in.Denied = true }), "nothing"},
		"a create":                          {create, "create"},
		"a create, doubted":                 {with(create, func(in *input) { in.Doubted = true }), "refuse because of an interrupted create"},
		"an update, doubted":                {with(update, func(in *input) { in.Doubted = true }), "update"},
	}
	deeds := map[string]bool{}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, scheduler.DecideApply(test.in)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
		deeds[test.want] = true
	}
	covered(t, deeds, scheduler.DeedsOfApply())
}

func TestDecideDelete(t *testing.T) {
	type input = scheduler.DeleteInput
	tests := map[string]struct {
		in   input
		want string
	}{
		"an operation runs":  {input{Running: true, Observed: true, Exists: true}, "nothing"},
		"not observed":       {input{Exists: true}, "refuse because of the observation"},
		"nothing exists":     {input{Observed: true, Failed: true}, "nothing"},
		"too early":          {input{Observed: true, Exists: true, Failed: true}, "refuse because of an earlier failure"},
		"held":               {input{Observed: true, Exists: true, Failed: true, Held: true}, "refuse because of an interrupt"},
		"held, nothing":      {input{Observed: true, Held: true}, "nothing"},
		"an object":          {input{Observed: true, Exists: true}, "delete"},
		"protected":          {input{Observed: true, Exists: true, Protected: true, Failed: true, Approved: true}, "refuse to destroy what is protected"},
		"protected, nothing": {input{Observed: true, Protected: true}, "nothing"},
		"paused":             {input{Observed: true, Exists: true, Stopped: true, Approved: true}, "refuse because operations are paused"},
		"paused, nothing":    {input{Observed: true, Stopped: true}, "nothing"},
		"unapproved":         {input{Observed: true, Exists: true, Approval: desired.ApproveDestructive}, "refuse because it is not approved"},
		"approved":           {input{Observed: true, Exists: true, Approval: desired.ApproveEverything, Approved: true}, "delete"},
		"denied":             {input{Observed: true, Exists: true, Approval: desired.ApproveEverything, Approved: true, Denied: true}, "refuse because of a policy"},
	}
	deeds := map[string]bool{}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, scheduler.DecideDelete(test.in)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
		deeds[test.want] = true
	}
	covered(t, deeds, scheduler.DeedsOfDelete())
}
