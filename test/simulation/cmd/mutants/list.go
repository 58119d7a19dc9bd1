package main

// mutant is a deliberate fault. Those that another guard makes harmless are not here: tests of the
// package notice them.
type mutant struct {
	name string
	// edits make the fault. Some faults show only where two guards are missing.
	edits []edit
	// approvals is set for faults that only schedules with approvals find.
	approvals bool
	// references is set for faults that only schedules with references find.
	references bool
	// brake is set for faults that only schedules with the brake find.
	brake bool
	// accounts is set for faults that only schedules with several accounts find.
	accounts bool
	// triggers is set for faults that only schedules with triggers find.
	triggers bool
	// versions is set for faults that only schedules with two versions of the provider find.
	versions bool
	// unmanaged is set for faults of the controllers of actions, ephemeral resources and data
	// sources.
	unmanaged bool
	// replicas is the number of replicas that share the work, for faults that only they show.
	replicas int
}

const (
	schedulerDir = "internal/scheduler"
	journalDir   = "internal/scheduler/journal"
	settlingDir  = "internal/scheduler/settling"
	managedDir   = "internal/controller/managed"
	engineDir    = "internal/terraform/engine"
	moduleDir    = "internal/terraform/module"
	actionDir    = "internal/controller/action"
	resultsDir   = "internal/controller/results"
	decidesDir   = "internal/invocation"
	triggerDir   = "internal/trigger"
	leaseDir     = "internal/ephemeral"
)

var mutants = []mutant{
	// Memory.
	{name: "what is remembered of resources stays when they are gone", edits: []edit{
		{managedDir, "resources.forget",
			"t.revise(name, func(x tracked) tracked { return tracked{uid: x.uid, written: x.written} })",
			""},
		{managedDir, "resources.gone",
			"t.revise(name, func(tracked) tracked { return tracked{} })",
			""},
	}},
	{name: "a look at a resource that was replaced meanwhile remembers it", edits: []edit{
		{managedDir, "Reconciler.forgetReplaced", "r.kind.Scheduler.Deleted(uid)", ""},
	}},
	// The journal.
	{name: "the intent is not stored", edits: []edit{
		{schedulerDir, "operation.intend",
			"o.rec, err = o.store(o.ctx, r, intent)",
			"o.rec = intent"},
	}},
	{name: "the outcome is not stored", edits: []edit{
		{journalDir, "Writer.once",
			"out, err := w.Save(ctx, rec)",
			`if rec.Version != "" {
				return rec, nil
			}
			out, err := w.Save(ctx, rec)`},
	}},
	{name: "the outcome overwrites the intent of another operation", edits: []edit{
		{journalDir, "Writer.once",
			"stored.Instance.Operation != nil && stored.Instance.Operation.ID == op.ID",
			"stored.Instance.Operation != nil"},
	}},
	{name: "a create without an answer is taken for failed", edits: []edit{
		{journalDir, "Concluded",
			"if out.Operation = unresolved; terraform.OutcomeUnknown(diags)",
			"if out.Operation = unresolved; terraform.OutcomeUnknown(diags) && false"},
	}},
	{name: "the provider's silence is not noticed", edits: []edit{
		{engineDir, "call.unanswered",
			"terraform.OutcomeUnknownError(c.schema.Type)",
			"terraform.OutcomeUnknownError(c.schema.Type)[:0]"},
	}},
	{name: "an earlier create that is unresolved is forgotten", edits: []edit{
		{journalDir, "Concluded",
			"out.Operation = unresolved",
			"out.Operation = nil"},
	}},
	{name: "the replaced objects are forgotten", edits: []edit{
		{journalDir, "Concluded",
			"out.Operation, out.Deposed = nil, in.Deposed",
			"out.Operation, out.Deposed = nil, nil"},
	}},
	{name: "the outcome is told before it is stored", edits: []edit{
		{schedulerDir, "operation.conclude",
			"if o.rec, err = o.writer().Outcome(o.in, o.rec); err != nil",
			"outcome := o.rec; go func() { _, _ = o.writer().Outcome(o.in, outcome) }(); if err != nil"},
	}},

	// Recovery.
	{name: "interrupted creates are not recovered", edits: []edit{
		{schedulerDir, "Scheduler.recover",
			"op.Kind != instance.Create",
			"true"},
	}},
	{name: "the object of an interrupted create is taken for whole", edits: []edit{
		{schedulerDir, "recovery.byHandle",
			"found.Status = instance.Tainted",
			""},
	}},
	{name: "not found is taken for never made", edits: []edit{
		{schedulerDir, "Scheduler.mayStillCreate",
			"!s.o.Clock.Now().Before(op.Deadline)",
			"true"},
	}},
	{name: "an interrupted create needs no recovery before a deletion", edits: []edit{
		{"internal/scheduler/decision", "nothingToDelete",
			"!in.Acquired && !in.Desired && !in.Exists && !in.Deposed && !in.Interrupted && (in.Stored || !in.Named)",
			"!in.Acquired && !in.Desired && !in.Exists && !in.Deposed && (in.Stored || !in.Named)"},
	}},
	{name: "spec.import is not looked at while a resource is deleted", edits: []edit{
		{schedulerDir, "Scheduler.recover",
			"r.Import.Target != nil",
			"r.Import.Target != nil && !r.Deleted"},
	}},
	{name: "a look that fails is taken for not found", edits: []edit{
		{schedulerDir, "operation.look",
			"terraform.NonExistent(diags)",
			"true"},
	}},

	// Creates that are answered with neither an object nor an error.
	{name: "a create without an object in its answer has failed", edits: []edit{
		{engineDir, "call.applied",
			"if diags = append(diags, c.wrongExistence(p)...); p.Action != terraform.Delete",
			"if diags = append(diags, c.wrongExistence(p)...); false"},
	}},
	{name: "a create in a module without an object in its answer has made none", edits: []edit{
		{moduleDir, "attached.ApplyResourceChange",
			"c.Kind == instance.Create && none",
			"false && none"},
	}},

	// What never settles.
	{name: "a replacement that does not help is made again", edits: []edit{
		{settlingDir, "Unsettled.Refuses",
			"u != nil",
			"false"},
	}},
	{name: "an update that does not help is made at each look", edits: []edit{
		{settlingDir, "Unsettled.Waits",
			"u != nil",
			"false"},
	}},
	{name: "an object that was not made as planned is created again", edits: []edit{
		{settlingDir, "Settling.Inconsistent",
			"u != nil",
			"false"},
	}},
	{name: "a change of policies replaces an object that was not made as planned", edits: []edit{
		{schedulerDir, "Request.making",
			"r.Release",
			"r.Release + r.ConfigHash"},
	}},
	{name: "replacements in a module count whatever their values are", edits: []edit{
		{settlingDir, "Making.containedBecause",
			"string(x.Before), string(x.After)",
			"x.Path"},
	}},
	{name: "a read that may be outdated shows that an update has settled", edits: []edit{
		{schedulerDir, "Scheduler.plan",
			"!p.Outdated && !e.shownOutdated(s.o.Clock.Now(), s.gracePeriod(&r))",
			"true"},
	}},
	{name: "updates that do not help are not counted", edits: []edit{
		{settlingDir, "Settling.CountsAfter",
			"out.Updates++",
			"out.Updates = 0"},
	}},
	{name: "updates in a module that do not help are not counted", edits: []edit{
		{settlingDir, "Settling.countsObjects",
			"of.Updates++",
			"of.Updates = 0"},
	}},
	{name: "a replacement in a module that does not help is made again", edits: []edit{
		{settlingDir, "Settling.unsettledObjects",
			"again || left.helpless(c)",
			"false && again && left.helpless(c) || left.helpless(c)"},
		{settlingDir, "Settling.unsettledObjects",
			"of.Replacements >= maxReplacements && sameCause(of.Replaced, x.containedBecause(c))",
			"false"},
	}},
	{name: "a create after a replacement in a module begins its count anew", edits: []edit{
		{settlingDir, "keepReplaced",
			"of.Replacements > 0",
			"false && of.Replacements > 0"},
	}},
	{name: "creates that fail count as replacements that create first", edits: []edit{
		{settlingDir, "Settling.CountsAfter",
			"!changesObject(p) && x.Deposed",
			"!changesObject(p) && x.Deposed && false"},
	}},
	{name: "a look that finds nothing to change shows that reads do not alternate", edits: []edit{
		{settlingDir, "Settling.LooksAgain",
			"changed || of != nil && of.Alternations > 0",
			"changed && of == nil && false"},
	}},
	{name: "a replacement that fails halfway does not count", edits: []edit{
		{schedulerDir, "operation.intend",
			"t.beginning(o.in.Unsettled, r)",
			"o.in.Unsettled"},
	}},

	// Visibility.
	{name: "not found right after a create is taken for gone", edits: []edit{
		{schedulerDir, "Scheduler.isRecent",
			"!in.CreatedAt.IsZero() && now.Sub(in.CreatedAt) < s.gracePeriod(r)",
			"false"},
	}},
	{name: "the time of a create is not stored", edits: []edit{
		{schedulerDir, "Scheduler.dated",
			"s.o.Clock.Now()",
			"time.Time{}"},
	}},
	{name: "a deletion that does not find the object is trusted", edits: []edit{
		{schedulerDir, "Scheduler.unproven",
			"return t.kind == instance.Delete && t.unseen && s.isRecent(r, in, s.o.Clock.Now())",
			"return false"},
	}},
	{name: "the object of an interrupted create is looked for once", edits: []edit{
		{schedulerDir, "Scheduler.mayAppear",
			"now.After(op.Deadline.Add(s.gracePeriod(r)))",
			"true"},
	}},
	{name: "an object of a module is gone if a read does not find it", edits: []edit{
		{moduleDir, "visibility.isRecent",
			`key != "" && now.Sub(v.since(key)).Abs() < v.grace`,
			`key == "" && now.Before(v.since(key))`},
	}},
	{name: "the times of a module's creates are not stored", edits: []edit{
		{moduleDir, "visibility.recent",
			"v.left(now)",
			"nil"},
	}},
	{name: "an object of a module whose create has failed is not recent", edits: []edit{
		{moduleDir, "visibility.changed",
			"case kind == instance.Create:",
			"case kind == instance.Create && failed: case kind == instance.Create:"},
	}},
	{name: "an object of a module that may still appear counts as found", edits: []edit{
		{moduleDir, "attached.ReadResource",
			"s.unlessDoubted(q, s.unlessHidden(q, answer))",
			"s.unlessHidden(q, s.unlessDoubted(q, answer))"},
	}},
	{name: "an object of a module that was changed is not recent any more", edits: []edit{
		{moduleDir, "visibility.changed",
			"v.at[left] = v.since(known)",
			""},
	}},
	{name: "what an interrupted apply of a module has created is not recent", edits: []edit{
		{moduleDir, "journal.created",
			"c.Kind == instance.Create || !v.isRecent(left, now)",
			`left == "" && c.Kind == instance.Create`},
	}},
	{name: "a destroy in a module that does not find the object is trusted", edits: []edit{
		{moduleDir, "attached.unlessUnproven",
			"if !unproven",
			"if true || !unproven"},
	}},

	// What an API shows as it was.
	{name: "a read of what an object was before its update is trusted", edits: []edit{
		{schedulerDir, "entry.outdatedRead",
			"return u != nil && now.Sub(u.at) < within && read.Exists() && instance.Known(read.State) && read.State.RawEquals(u.before)",
			"return false && u != nil"},
	}},
	{name: "an object that is still shown after its destruction is taken for another one", edits: []edit{
		{schedulerDir, "destroyed.shows",
			"return d != nil && now.Sub(d.at) < within && instance.Instance{Deposed: []instance.Deposed{d.object}}.IsDeposed(found)",
			"return false"},
	}},
	{name: "a read in a module of what an object was before its update is trusted", edits: []edit{
		{moduleDir, "visibility.outdated",
			`ok && known != ""`,
			"false && ok"},
	}},

	// Ownership after a start.
	{name: "the objects of others are not claimed before a write", edits: []edit{
		{managedDir, "external.mayWrite",
			"!(e.kind.isClaimed() || e.rivalsClaimed(ctx) || awaited(ctx, e.kind.claimed)) || !awaited(ctx, others())",
			"others == nil"},
	}},

	// Rest.
	{name: "the object of a resource at rest is forgotten", edits: []edit{
		{schedulerDir, "entry.decode",
			"e.record.Instance = in",
			"e.record.Instance = in; e.record.Instance.State = instance.Instance{}.State"},
	}},
	{name: "a change of a resource at rest is not heard", edits: []edit{
		{managedDir, "resources.changed",
			"x.status.version != version",
			`version == ""`},
	}},

	// The record.
	{name: "New is trusted again after a conflict", edits: []edit{
		{schedulerDir, "Scheduler.load",
			"before == unloaded",
			"before != loaded"},
	}},
	{name: "a deleted record is not restored", edits: []edit{
		{schedulerDir, "Scheduler.load",
			"errors.Is(err, store.ErrNotFound) && before != unloaded",
			"errors.Is(err, store.ErrNotFound) && false"},
	}},
	{name: "a deleted record is not noticed", edits: []edit{
		{schedulerDir, "observing.input",
			"e.knows(r) && !e.lost.Load()",
			"e.knows(r)"},
	}},
	{name: "a retry is forgotten when the store fails", edits: []edit{
		{schedulerDir, "Scheduler.load",
			"rec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told)",
			"if before == outdated { rec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told) }"},
	}},
	{name: "a resource that looks new is never loaded", edits: []edit{
		{managedDir, "untouched",
			"crd.Unobserved(&r.Unstructured) && !meta.FinalizerExists(r, xpmanaged.FinalizerName) && " +
				"!meta.WasDeleted(r) && time.Since(r.GetCreationTimestamp().Time) < fresh",
			"crd.Unobserved(&r.Unstructured) && !meta.FinalizerExists(r, xpmanaged.FinalizerName) && " +
				"(time.Since(r.GetCreationTimestamp().Time) < fresh || true)"},
		{managedDir, "connector.claim",
			"request.New = false",
			""},
	}},
	{name: "resources that are gone stay in memory", edits: []edit{
		{schedulerDir, "Scheduler.Gone",
			"s.places.gone(k)",
			"_ = s.places.gone"},
		{schedulerDir, "Scheduler.Forget",
			"s.places.remove(e.place)",
			"_ = s.places.remove"},
		{schedulerDir, "Scheduler.Deleted",
			"s.places.deleted(uid)",
			"_, _ = s.places.deleted, uid"},
	}},
	{name: "the former parts are deleted before the new ones are named", edits: []edit{
		{"internal/scheduler/store", "Secrets.saveSplit",
			`p.head.Labels[labelSplit] = "true"`,
			`p.head.Labels[labelSplit] = "true"
			_ = s.deleteParts(ctx, slices.DeleteFunc(slices.Clone(former), func(f part) bool { return slices.Contains(c.Parts, f) }))`},
	}},

	// The lease.
	{name: "the lease is not checked at the call", edits: []edit{
		{engineDir, "Engine.Apply",
			"if err := provider.Fence(ctx); err != nil",
			"if err := provider.Fence(ctx); err != nil && false"},
	}},
	{name: "the lease is never checked before an operation", edits: []edit{
		{schedulerDir, "Scheduler.fence",
			"!s.o.Leads()",
			"false"},
		{schedulerDir, "operation.dispatch",
			"!o.o.Leads()",
			"false"},
	}},

	// Modules.
	{name: "a module's changes are not recorded before they are made", edits: []edit{
		{moduleDir, "attached.ApplyResourceChange",
			"if err := s.journal.save(func() { s.journal.Changes = append(s.journal.Changes, c) }); err != nil",
			"s.journal.Changes = append(s.journal.Changes, c); if err != nil"},
	}},
	{name: "the lease is not checked at a module's call", edits: []edit{
		{moduleDir, "attached.ApplyResourceChange",
			"if err := provider.Fence(s.ctx); err != nil",
			"if err := provider.Fence(s.ctx); err != nil && false"},
	}},
	{name: "a module's interrupted create is taken for never made", edits: []edit{
		{moduleDir, "Executor.settle",
			"case target == nil: return unknown",
			"case target == nil: return none()"},
	}},
	{name: "a destruction in a module without a read proves that the object is gone", edits: []edit{
		{moduleDir, "visibility.changed",
			"(v.unread || v.hidden[known])",
			"v.hidden[known]"},
	}},
	{name: "an object that a module has destroyed is taken for another's", edits: []edit{
		{moduleDir, "attached.look",
			"s.visibility.destroyed.shows(o, time.Now(), s.visibility.grace)",
			"false && s.visibility.destroyed.shows(o, time.Now(), s.visibility.grace)"},
	}},
	{name: "an object is created by a module while the one that it has destroyed for it is shown", edits: []edit{
		{moduleDir, "attached.look",
			"s.journal.destroys(o)",
			"false && s.journal.destroys(o)"},
	}},
	{name: "what an earlier apply of a module has destroyed is forgotten", edits: []edit{
		{moduleDir, "Executor.ApplyJournaled",
			"w.session.visibility.recent(appearing, j, now)",
			"w.session.visibility.recent(appearing, nil, now)"},
	}},
	{name: "the state that a killed program left is trusted", edits: []edit{
		{moduleDir, "Executor.ApplyJournaled",
			"if err != nil || after == nil || !j.has(after, e.resourceType(ctx), !ok)",
			"if err != nil || after == nil"},
	}},

	// Marks. Those that are trusted wrongly have a lasting effect only without the next look.
	{name: "a mark is trusted whatever the custom resource is like", edits: []edit{
		{schedulerDir, "markOf",
			"r.Version, r.ConfigHash, rec.Version",
			"rec.Version"},
		{schedulerDir, "entry.answer",
			"e.view.unplanned = true",
			""},
	}},

	// Decisions.
	{name: "a delete is not carried out", edits: []edit{
		{"internal/scheduler/decision", "deleted",
			"!in.Exists",
			"true"},
	}},
	{name: "a destruction without a read proves that the object is gone", edits: []edit{
		{schedulerDir, "Scheduler.unseen",
			"r.Consists != nil",
			"r.WithoutRefresh || r.Consists != nil"},
	}},
	{name: "each attempt in a module repeats updates that do not settle", edits: []edit{
		{schedulerDir, "Scheduler.plan",
			"config.Keeps = o.Unsettled.Early(s.o.Clock.Now())",
			"config.Keeps = nil"},
	}},
	{name: "what exists is not looked for", edits: []edit{
		{schedulerDir, "operation.check",
			"met := o.look()",
			"met := o.look(); met, o.absent = instance.Instance{}, true"},
	}},

	// The reconciler.
	{name: "a resource is released while an operation runs", edits: []edit{
		{managedDir, "finalizer.remove",
			"known.Running",
			"false"},
	}},
	{name: "a resource is released before its interrupted create is forgotten", edits: []edit{
		{managedDir, "finalizer.remove",
			"if ok && known.Status == instance.Empty && len(known.Deposed) == 0 && !known.Interrupted",
			"if ok && known.Status == instance.Empty && len(known.Deposed) == 0"},
	}},
	{name: "a resource is always released before it is forgotten", edits: []edit{
		{managedDir, "finalizer.remove",
			"ok && known.Status == instance.Empty",
			"ok == ok || known.Status == instance.Empty"},
	}},
	{name: "the finalizer is lost with the annotations", edits: []edit{
		{managedDir, "replaceFinalizer",
			"meta.AddFinalizer(o, xpmanaged.FinalizerName)",
			""},
	}},
	{name: "connection details are published before the object exists", edits: []edit{
		{managedDir, "external.connectionDetails",
			"!o.Exists()",
			"o.Exists()"},
	}},

	// Approvals.
	// Triggers.
	{name: "a round begins anew until an operation of it has begun", triggers: true, edits: []edit{
		{triggerDir, "Round.Continues",
			"case r.Change == change:\n\t\treturn true",
			"case r.Change == change:\n\t\treturn p.Began"},
	}},
	{name: "an action is invoked before its round is stored", triggers: true, edits: []edit{
		{managedDir, "external.beginRound",
			"return e.awaits(round, 0, time.Now())",
			"return e.step(ctx, r, round, 0)"},
	}},
	{name: "an operation begins while an action before it runs", triggers: true, edits: []edit{
		{managedDir, "external.before",
			"i < 0",
			`i < 0 || round.Invocations[i].Phase != ""`},
	}},
	{name: "the round of an operation is not recorded", triggers: true, edits: []edit{
		{managedDir, "external.progress",
			"out.Began = known.Handled.Round == round.ID",
			"out.Began = known.Handled.Round == round.ID && false"},
	}},
	{name: "a change does not wait for the actions of the one before", triggers: true, edits: []edit{
		{managedDir, "external.awaitsAction",
			"reasonOf(e.awaited) == decision.ReasonAwaitingAction",
			"reasonOf(e.awaited) == decision.ReasonAwaitingAction && false"},
	}},
	{name: "an action that has failed is taken for one that has succeeded", triggers: true, edits: []edit{
		{triggerDir, "Round.Next",
			"case x.Phase == invocation.Succeeded, x.Phase == Skipped:",
			"case x.Phase.Final(), x.Phase == Skipped:"},
	}},

	{name: "any approval is taken for that of the plan", approvals: true, edits: []edit{
		{schedulerDir, "Scheduler.approved",
			"r.Asked.Approve != a.hash || handled.Approve == a.hash",
			`r.Asked.Approve == "" && handled != nil`},
	}},
	{name: "an approval is used more than once", approvals: true, edits: []edit{
		{schedulerDir, "Scheduler.approved",
			"r.Asked.Approve != a.hash || handled.Approve == a.hash",
			"r.Asked.Approve != a.hash && handled != nil"},
		{schedulerDir, "Scheduler.propose",
			"e.record.Handled.Approve",
			`""`},
	}},
	{name: "a lost record forgets that an approval was used", approvals: true, edits: []edit{
		{schedulerDir, "Scheduler.load",
			"withTold(e.withUnsaved(rec.Handled), r.Told)",
			"e.withUnsaved(rec.Handled); _ = withTold"},
	}},
	{name: "the hash of a plan leaves out its values", approvals: true, edits: []edit{
		{schedulerDir, "Scheduler.planHash",
			"h.Value(r.withoutToken(p, p.Config)); h.Instance(p.Prior); h.Value(r.withoutToken(p, p.State))",
			"h.Instance(p.Prior)"},
	}},

	// The brake.
	{name: "the brake does not hold", brake: true, edits: []edit{
		{"internal/scheduler/brake", "Brake.Reserve",
			"out != nil",
			"out != nil && false"},
	}},
	{name: "destroys of several namespaces are not added", brake: true, edits: []edit{
		{"internal/scheduler/brake", "Brake.Reserve",
			"p.of.others(d).exceed(d)",
			`""`},
	}},
	{name: "only the destroys of all namespaces are counted", brake: true, edits: []edit{
		{"internal/scheduler/brake", "Brake.Reserve",
			"p.why = others.exceed(d)",
			`p.why, _ = "", others`},
	}},
	{name: "a new process does not know what the brake holds", brake: true, edits: []edit{
		{schedulerDir, "Scheduler.restoreBrake",
			"r.Brake == nil || r.Brake.Held.IsZero() || x.braked.Load()",
			"true || r.Brake.Held.IsZero()"},
	}},
	{name: "each configuration of an account counts its own destroys", brake: true, replicas: 3, edits: []edit{
		{managedDir, "Kind.brake",
			`x.Account != ""`,
			`x.Account != "" && false`},
	}},

	// Versions of the provider.
	{name: "an object is not kept as it was before an upgrade", versions: true, edits: []edit{
		{schedulerDir, "rewrite.former",
			"w.before.Older(w.schema) && !w.after.Older(w.schema)",
			"false"},
	}},
	{name: "an earlier version goes on with what an object was before a change", versions: true, edits: []edit{
		{schedulerDir, "operation.intend",
			"intent.Owner, intent.Instance, intent.Former = r.UID, o.in, nil",
			"intent.Owner, intent.Instance = r.UID, o.in"},
	}},

	// Accounts.
	{name: "the account of an object is not looked at", accounts: true, edits: []edit{
		{schedulerDir, "entry.inAccount",
			"e.record.Account == account",
			"true"},
	}},
	{name: "what is not found in another account is taken for gone", accounts: true, edits: []edit{
		{schedulerDir, "Scheduler.prove",
			"open && seen != decision.Stranger && s.isProved(stored, r.StoredAccount)",
			"open && seen != decision.Stranger"},
	}},
	{name: "what a configuration has shown counts for what it was at any time", accounts: true, edits: []edit{
		{schedulerDir, "sameAccounts.joined",
			"a.sets[one] != 0 && a.sets[one] == a.sets[other]",
			"a.sets[other] != 0"},
	}},

	{name: "an object that a resource of another shard has, too, is destroyed", accounts: true, replicas: 3, edits: []edit{
		{schedulerDir, "Scheduler.perform",
			"s.twinElsewhere(ctx, &r, sightingsOf(&r, names, &e.record.Instance))",
			"s.twinElsewhere(ctx, &r, nil)"},
	}},
	{name: "records do not tell the objects that an operation works on", accounts: true, replicas: 3, edits: []edit{
		{"internal/scheduler/ownership", "Claiming.ObjectsIn",
			`identity != ""`,
			`identity != "" && in.Operation == nil`},
	}},
	{name: "records that a shard has left to another one are not asked", accounts: true, replicas: 3, edits: []edit{
		{"internal/scheduler/store", "Secrets.NamingElsewhere",
			"ShardOf(head) == than",
			"!than.conflicts(ShardOf(head))"},
	}},

	// Replicas that share the work.
	{name: "the record of another shard is used", replicas: 3, edits: []edit{
		{"internal/scheduler/store", "Secrets.Load",
			"s.Shard.conflicts(head.shard)",
			"s.Shard.conflicts(head.shard) && false"},
	}},
	{name: "a resource is left while an operation runs", replicas: 3, edits: []edit{
		{schedulerDir, "Scheduler.Leave",
			"e.view.state == decision.Running",
			"e.view.state == decision.Running && false"},
	}},
	{name: "an object is made for a resource that another shard has released", replicas: 3, edits: []edit{
		{schedulerDir, "Scheduler.reserve",
			`rec.Version != ""`,
			`rec.Version != "" || true`},
		{schedulerDir, "Scheduler.Retire",
			`r.Here != nil && e.record.Version == ""`,
			"false"},
	}},
	{name: "a resource is worked on by every shard", replicas: 3, edits: []edit{
		{managedDir, "Kind.belongs",
			"case Here:",
			"case Here, Elsewhere:"},
		{managedDir, "Kind.mayUse",
			"shards.Belong(use) != Here",
			"false"},
	}},
	{name: "a configuration is used before the objects of its resources are claimed", replicas: 3, edits: []edit{
		{managedDir, "activations.all",
			"active = active && a.of[name].active",
			"_ = active"},
		{managedDir, "Kind.mayUse",
			"err == nil && !k.active(use.Configurations)",
			"false"},
	}},
	{name: "configurations of one account are in several shards", replicas: 3, edits: []edit{
		{"internal/controller/shard", "companies",
			`value == ""`,
			`value == "" || kind != "group"`},
	}},
	{name: "a module is taken for one resource type", replicas: 3, edits: []edit{
		{managedDir, "Kind.objectType",
			"shard.Any",
			"k.Model.Type"},
	}},
	{name: "an object is taken over from another shard", replicas: 3, edits: []edit{
		{managedDir, "Kind.use",
			"out.Types[0] == shard.Any",
			`out.Types[0] != ""`},
	}},

	// References.
	{name: "a dependent is not held during a replacement", references: true, edits: []edit{
		{managedDir, "referrer.awaitReplacements",
			"if len(waits) == 0 { return nil }",
			"if len(waits) >= 0 { return w.failed }"},
	}},
	{name: "a new dependent is made on an object that is about to be destroyed", references: true, replicas: 3, edits: []edit{
		{managedDir, "referrer.changing",
			"before == nil",
			"true || before == nil"},
	}},
	{name: "a new dependent is made on an object that another shard is about to destroy", references: true, replicas: 3, edits: []edit{
		{managedDir, "referrer.changing",
			"!k.resolvesHere(u)",
			"!k.resolvesHere(u) && false"},
	}},
	{name: "a new dependent is made on an object that a status still shows", references: true, replicas: 3, edits: []edit{
		{managedDir, "referrer.changing",
			"len(recorded) == 0",
			"len(recorded) >= 0"},
	}},
	{name: "what uses a provider configuration with values of a replaced object goes on", references: true, edits: []edit{
		{managedDir, "referrer.resolve",
			"sources = append(sources, r.configuring...)",
			""},
	}},
	{name: "dependents are replaced though nothing allows it", references: true, edits: []edit{
		{managedDir, "Kind.judge",
			"v.destroys, v.approval = true, v.approval || !k.replacesDependents(u)",
			"v.destroys = true"},
	}},
	{name: "what refers to a destroyed dependent goes on", references: true, replicas: 3, edits: []edit{
		{managedDir, "referrer.passOn",
			`own != nil && own.Phase != phaseDestroying && !destroyed && r.string("status", "state") != "Empty"`,
			"own != nil && own.Phase != phaseDestroying && (!destroyed || true)"},
	}},
	{name: "what refers to an object goes on while it is not known whether that was destroyed", references: true, replicas: 3, edits: []edit{
		{schedulerDir, "stepOf",
			"in.Missing && (replaces || next == decision.RefuseUnapproved)",
			"in.Missing && false && (replaces || next == decision.RefuseUnapproved)"},
	}},
	{name: "an interrupt lets go on what refers to an object that may be destroyed", references: true, replicas: 3, edits: []edit{
		{managedDir, "keepReplacement",
			"if p == nil || r.GetDeletionTimestamp() != nil || o.Held && !o.Missing",
			"if p == nil || r.GetDeletionTimestamp() != nil || o.Held"},
	}},
	{name: "an operation on a dependent that an earlier process has begun is not awaited", references: true, replicas: 3, edits: []edit{
		{managedDir, "awaiting.effect",
			"w.busy = w.busy || is.operates",
			"is.operates = false"},
		{managedDir, "awaiting.effect",
			"is.operates && waits && !w.busy",
			"false"},
	}},
	{name: "a dependent that has got its object late is awaited for ever", references: true, replicas: 3, edits: []edit{
		{managedDir, "verdict.add",
			"holds(p) && lists(p, d.resource.GetUID()) && !holds(own)",
			"holds(p) && !holds(own)"},
	}},

	// Actions, ephemeral resources and data sources.
	{name: "an attempt begins before it is recorded", unmanaged: true, edits: []edit{
		{actionDir, "Reconciler.begin",
			"!kerrors.IsConflict(err)",
			`!kerrors.IsConflict(err) && k.Runs.start(o.GetUID(), o.GetNamespace(), release, func(ctx context.Context, of *run) { r.invoke(ctx, of, o, p, record) })`},
	}},
	{name: "an attempt begins without a write if the cache has the same record", unmanaged: true, edits: []edit{
		{actionDir, "Reconciler.begin",
			"err := o.Confirm(ctx, r.client)",
			"err := o.Write(ctx, r.client)"},
	}},
	{name: "an attempt of a former process is repeated", unmanaged: true, edits: []edit{
		{decidesDir, "Decide",
			"r.Phase, r.Ended = Unknown, in.Now",
			"r = Record{Phase: Pending}"},
	}},
	{name: "an unknown invocation is repeated as a failed one", unmanaged: true, edits: []edit{
		{decidesDir, "Record.End",
			"out.Phase = Unknown",
			"out.Phase = Failed"},
	}},
	{name: "the outcome of an attempt is not recorded", unmanaged: true, edits: []edit{
		{actionDir, "Reconciler.record",
			"u.GetUID() != of.GetUID() || !same",
			"u.GetUID() != of.GetUID() || !same || ended.Phase == invocation.Succeeded"},
	}},
	{name: "what was opened is shown and not stored", unmanaged: true, edits: []edit{
		{resultsDir, "Reconciler.keep",
			"err := k.save(ctx, h)",
			"err := error(nil)"},
	}},
	{name: "what could not be stored is forgotten", unmanaged: true, edits: []edit{
		{resultsDir, "Reconciler.open",
			"r.keep(ctx, h)",
			"func() error { defer func() { h.known.opened = nil }(); return r.keep(ctx, h) }()"},
	}},
	{name: "what is replaced is closed at once", unmanaged: true, edits: []edit{
		{leaseDir, "Input.wanted",
			"i >= 0 && !in.Now.Before(next)",
			"i >= 0"},
	}},
	{name: "a former leader closes what is open", unmanaged: true, edits: []edit{
		{"internal/controller/unmanaged", "Fenced",
			"leads != nil && !leads()",
			"false"},
	}},
	{name: "what was not opened keeps an object from being ready", unmanaged: true, edits: []edit{
		{resultsDir, "Kind.input",
			"h.known.opening, h.known.closing, failed = attempts{}, attempts{}, attempts{}",
			""},
	}},
	{name: "what has ended is still ready", unmanaged: true, edits: []edit{
		{resultsDir, "Reconciler.withdraw",
			"outdated || ended",
			"outdated || ended && false"},
	}},
	{name: "a data source is not read again by another process", unmanaged: true, edits: []edit{
		{resultsDir, "occasion.due",
			"o.last.hash != o.now",
			"false"},
	}},
}
