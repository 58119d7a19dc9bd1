package main

// mutant is a deliberate fault. Those that another guard makes harmless are not here: tests of the
// package notice them.
type mutant struct {
	name string
	edit
	// also are further edits. Some faults show only where two guards are missing.
	also []edit
	// approvals is set for faults that only schedules with approvals find.
	approvals bool
	// references is set for faults that only schedules with references find.
	references bool
	// brake is set for faults that only schedules with the brake find.
	brake bool
	// accounts is set for faults that only schedules with several accounts find.
	accounts bool
	// replicas is the number of replicas that share the work, for faults that only they show.
	replicas int
}

// edit replaces one text in a file, whose path is relative to the root of the repository.
type edit struct{ file, old, new string }

const (
	schedulerDir  = "internal/scheduler/"
	controllerDir = "internal/controller/"
	managedDir    = "internal/controller/managed/"
	engineDir     = "internal/terraform/engine/"
	moduleDir     = "internal/terraform/module/"
)

var mutants = []mutant{
	// The journal.
	{name: "the intent is not stored", edit: edit{schedulerDir + "run.go",
		"o.rec, err = o.store(o.ctx, r, intent)", "o.rec = intent"}},
	{name: "the outcome is not stored", edit: edit{schedulerDir + "conclude.go",
		"out, err := o.store(ctx, &o.r, rec)\n\tif !errors.Is(err, store.ErrConflict) {\n\t\treturn out, err\n\t}", "if rec.Version != \"\" {\n\t\treturn rec, nil\n\t}\n\tout, err := o.store(ctx, &o.r, rec)\n\tif !errors.Is(err, store.ErrConflict) {\n\t\treturn out, err\n\t}"}},
	{name: "the outcome overwrites the intent of another operation", edit: edit{schedulerDir + "conclude.go",
		"stored.Instance.Operation != nil && stored.Instance.Operation.ID == op.ID", "stored.Instance.Operation != nil"}},
	{name: "a create without an answer is taken for failed", edit: edit{schedulerDir + "conclude.go",
		"terraform.OutcomeUnknown(diags) {\n\t\t\tout.Operation = op", "terraform.OutcomeUnknown(diags) && false {\n\t\t\tout.Operation = op"}},
	{name: "the provider's silence is not noticed", edit: edit{engineDir + "apply.go",
		"diags = append(diags, terraform.OutcomeUnknownError(c.schema.Type)...)", "diags = append(diags, terraform.OutcomeUnknownError(c.schema.Type)[:0]...)"}},
	{name: "the doubt about an earlier create is forgotten", edit: edit{schedulerDir + "conclude.go",
		"out.Operation = doubt; terraform", "out.Operation = nil; terraform"}},
	{name: "the replaced objects are forgotten", edit: edit{schedulerDir + "conclude.go",
		"out.Operation, out.Deposed = nil, in.Deposed", "out.Operation, out.Deposed = nil, nil"}},
	{name: "the outcome is told before it is stored", edit: edit{schedulerDir + "run.go",
		"if o.rec, err = o.storeOutcome(o.rec); err != nil {", "outcome := o.rec\n\tgo func() { _, _ = o.storeOutcome(outcome) }()\n\tif err != nil {"}},

	// Recovery.
	{name: "interrupted creates are not recovered", edit: edit{schedulerDir + "recovery.go",
		"if op.Kind != instance.Create || op.ID", "if true || op.ID"}},
	{name: "the object of an interrupted create is taken for whole", edit: edit{schedulerDir + "recovery.go",
		"found.Status = instance.Tainted // it may be incomplete", ""}},
	{name: "not found is taken for never made", edit: edit{schedulerDir + "doubt.go",
		"case !s.o.Clock.Now().Before(op.Deadline):", "case true:"}},
	{name: "an interrupted create needs no recovery before a deletion", edit: edit{schedulerDir + "decision/observe.go",
		"!in.Deposed && !in.Interrupted && (in.Stored || !in.Named)", "!in.Deposed && (in.Stored || !in.Named)"}},

	{name: "spec.import is not looked at while a resource is deleted", edit: edit{schedulerDir + "recovery.go",
		"if r.Import.Target != nil {\n\t\tfound, diags := ex.Import(ctx, r.Type, *r.Import.Target)", "if r.Import.Target != nil && !r.Deleted {\n\t\tfound, diags := ex.Import(ctx, r.Type, *r.Import.Target)"}},
	{name: "a look that fails is taken for not found", edit: edit{schedulerDir + "existing.go",
		"o.absent = terraform.NonExistent(diags)", "o.absent = true"}},

	// Creates that are answered with neither an object nor an error.
	{name: "a create without an object in its answer has failed", edit: edit{engineDir + "apply.go",
		"p.Action != terraform.Delete {\n\t\t\treturn c.unanswered(p, diags)", "false {\n\t\t\treturn c.unanswered(p, diags)"}},
	{name: "a create in a module without an object in its answer has made none", edit: edit{moduleDir + "session.go",
		"c.Kind == instance.Create && none && !hasErrors", "false && none && !hasErrors"}},

	// What never settles.
	{name: "a replacement that does not help is made again", edit: edit{schedulerDir + "observation.go",
		"return u != nil && u.Replaces()", "return false && u.Replaces()"}},
	{name: "an update that does not help is made at each look", edit: edit{schedulerDir + "observation.go",
		"return u != nil && !u.refuses() &&", "return false && !u.refuses() &&"}},
	{name: "an object that was not made as planned is created again", edit: edit{schedulerDir + "settle.go",
		"return u != nil && u.Inconsistent &&", "return false && u.Inconsistent &&"}},
	{name: "a change of policies replaces an object that was not made as planned", edit: edit{schedulerDir + "settle.go",
		"texts := []string{instance.Digest(c.Value)}", "texts := []string{r.ConfigHash}"}},
	{name: "replacements in a module count whatever their values are", edit: edit{schedulerDir + "settle_module.go",
		"string(x.Before), string(x.After)), known", "x.Path), known"}},

	{name: "a read that may be outdated shows that an update has settled", edit: edit{schedulerDir + "plan.go",
		"settled := !p.Outdated && !e.shownOutdated(s.o.Clock.Now(), s.gracePeriod(&r)) && e.settled()", "settled := e.settled()"}},
	{name: "updates that do not help are not counted", edit: edit{schedulerDir + "settle.go",
		"\t\tout.Updates++", "\t\tout.Updates = 0"}},
	{name: "updates in a module that do not help are not counted", edit: edit{schedulerDir + "settle_module.go",
		"\t\t\tof.Updates++", "\t\t\tof.Updates = 0"}},
	{name: "a replacement in a module that does not help is made again", edit: edit{schedulerDir + "settle_module.go",
		"if o.Never = again ||", "if o.Never = false && again && left.helpless(c) ||"},
		also: []edit{{schedulerDir + "settle_module.go", "of.Replacements >= maxReplacements && sameCause(of.Replaced, containedBecause(r, c)); !o.Never", "false; !o.Never"}}},
	{name: "a replacement that fails halfway does not count", edit: edit{schedulerDir + "run.go",
		"beginning(o.in.Unsettled, r, t)", "o.in.Unsettled"}},

	// Visibility.
	{name: "not found right after a create is taken for gone", edit: edit{schedulerDir + "visibility.go",
		"return !in.CreatedAt.IsZero() && now.Sub(in.CreatedAt) < s.gracePeriod(r)", "return false"}},
	{name: "the time of a create is not stored", edit: edit{schedulerDir + "visibility.go",
		"out.CreatedAt = s.o.Clock.Now()\n\tcase t.kind == instance.Delete", "out.CreatedAt = time.Time{}\n\tcase t.kind == instance.Delete"}},
	{name: "a deletion that does not find the object is believed", edit: edit{schedulerDir + "visibility.go",
		"return t.kind == instance.Delete && t.unseen &&", "return false && t.kind == instance.Delete && t.unseen &&"}},
	{name: "the object of an interrupted create is looked for once", edit: edit{schedulerDir + "visibility.go",
		"if now.After(op.Deadline.Add(s.gracePeriod(r))) {", "if true {"}},

	{name: "an object of a module is gone if a read does not find it", edit: edit{moduleDir + "visibility.go",
		"return ok && key != \"\" && now.Sub(at).Abs() < v.grace", "return false && ok && now.Before(at)"}},
	{name: "the times of a module's creates are not stored", edit: edit{moduleDir + "executor.go",
		"mem.Doubts, mem.Created = doubts, w.session.visibility.left(now)", "mem.Doubts, mem.Created = doubts, nil"}},
	{name: "an object of a module whose create has failed is not recent", edit: edit{moduleDir + "visibility.go",
		"case kind == instance.Create:\n\t\tv.at[left]", "case kind == instance.Create && failed:\n\tcase kind == instance.Create:\n\t\tv.at[left]"}},
	{name: "an object of a module that is in doubt counts as found", edit: edit{moduleDir + "session.go",
		"s.unlessDoubted(q, s.unlessHidden(q, answer))", "s.unlessHidden(q, s.unlessDoubted(q, answer))"}},
	{name: "a destroy in a module that does not find the object is believed", edit: edit{moduleDir + "visibility.go",
		"	if !unproven {\n", "	if true || !unproven {\n"}},

	// What an API shows as it was.
	{name: "a read of what an object was before its update is believed", edit: edit{schedulerDir + "visibility.go",
		"return u != nil && now.Sub(u.at) < within &&", "return false && u != nil && now.Sub(u.at) < within &&"}},

	{name: "an object that is still shown after its destruction is taken for another one", edit: edit{schedulerDir + "visibility.go",
		"return d != nil && now.Sub(d.at) < within &&", "return false && d != nil && now.Sub(d.at) < within &&"}},
	{name: "a read in a module of what an object was before its update is believed", edit: edit{moduleDir + "visibility.go",
		"return ok && known != \"\" && read == u.Before &&", "return false && ok && read == u.Before &&"}},

	// Ownership after a start.
	{name: "the objects of others are not claimed before a write", edit: edit{managedDir + "rivals.go",
		"if !(e.kind.isClaimed() || e.rivalsClaimed(ctx) || awaited(ctx, e.kind.claimed)) || !awaited(ctx, others()) {", "if others == nil {"}},

	// Rest.
	{name: "the object of a resource at rest is forgotten", edit: edit{schedulerDir + "entry.go",
		"e.record.Instance = in\n", "e.record.Instance = in\n\te.record.Instance.State = instance.Instance{}.State\n"}},
	{name: "a change of a resource at rest is not heard", edit: edit{managedDir + "written.go",
		"if x.status.version != version {", "if version == \"\" {"}},

	// The record.
	{name: "New is believed again after a conflict", edit: edit{schedulerDir + "record.go",
		"if r.New && before == unloaded {", "if r.New && before != loaded {"}},
	{name: "a deleted record is not restored", edit: edit{schedulerDir + "record.go",
		"before != unloaded && known.Version != \"\"", "false && known.Version != \"\""}},
	{name: "a deleted record is not noticed", edit: edit{schedulerDir + "observe.go",
		" && !e.lost.Load(),", ","}},
	{name: "a retry is forgotten when the store fails", edit: edit{schedulerDir + "record.go",
		"rec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told)", "if before == outdated {\n\t\trec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told)\n\t}"}},

	{name: "a resource that looks new is never loaded", edit: edit{managedDir + "request.go",
		"return crd.Unobserved(&r.Unstructured) && !meta.FinalizerExists(r, xpmanaged.FinalizerName) && !meta.WasDeleted(r) && time.Since(r.GetCreationTimestamp().Time) < fresh", "return crd.Unobserved(&r.Unstructured) && !meta.FinalizerExists(r, xpmanaged.FinalizerName) && (time.Since(r.GetCreationTimestamp().Time) < fresh || true)"},
		also: []edit{{managedDir + "claims.go", "request.New = false //", "//"}}},
	{name: "resources that are gone stay in memory", edit: edit{schedulerDir + "leave.go", "s.places.gone(k)", "_ = s.places.gone"},
		also: []edit{{schedulerDir + "leave.go", "s.places.remove(e.place)", "_ = s.places.remove"}, {schedulerDir + "leave.go", "s.places.deleted(uid)", "_, _ = s.places.deleted, uid"}}},
	{name: "the former parts are deleted before the new ones are named", edit: edit{schedulerDir + "store/parts.go",
		"p.head.Labels[labelSplit] = \"true\"\n\tnow, err", "p.head.Labels[labelSplit] = \"true\"\n\t_ = s.deleteParts(ctx, slices.DeleteFunc(slices.Clone(former), func(f part) bool { return slices.Contains(c.Parts, f) }))\n\tnow, err"}},

	// The lease.
	{name: "the lease is not checked at the call", edit: edit{engineDir + "apply.go",
		"if err := provider.Fence(ctx); err != nil {", "if err := provider.Fence(ctx); err != nil && false {"}},

	{name: "the lease is never checked before an operation", edit: edit{schedulerDir + "operation.go",
		"if !s.o.Leads() {\n\t\treturn errSuccessor", "if false {\n\t\treturn errSuccessor"},
		also: []edit{{schedulerDir + "run.go", "if !o.o.Leads() {\n\t\treturn out, nil, o.notStarted(nil,", "if false {\n\t\treturn out, nil, o.notStarted(nil,"}}},

	// Modules.
	{name: "a module's changes are not recorded before they are made", edit: edit{moduleDir + "session.go",
		"if err := s.journal.save(func() { s.journal.Changes = append(s.journal.Changes, c) }); err != nil {", "s.journal.Changes = append(s.journal.Changes, c)\n\tif err != nil {"}},
	{name: "the lease is not checked at a module's call", edit: edit{moduleDir + "session.go",
		"if err := provider.Fence(s.ctx); err != nil {", "if err := provider.Fence(s.ctx); err != nil && false {"}},
	{name: "a module's interrupted create is taken for never made", edit: edit{moduleDir + "recovery.go",
		"case target == nil:\n\t\treturn unknown", "case target == nil:\n\t\treturn none()"}},
	{name: "a destruction in a module without a read proves that the object is gone", edit: edit{moduleDir + "visibility.go",
		"(v.unread || v.hidden[known])", "v.hidden[known]"}},
	{name: "an object that a module has destroyed is taken for another's", edit: edit{moduleDir + "session.go",
		"if s.visibility.destroyed.shows(", "if false && s.visibility.destroyed.shows("}},
	{name: "an object is created by a module while the one that it has destroyed for it is shown", edit: edit{moduleDir + "session.go",
		"s.journal.destroys(o) || s.visibility", "s.visibility"}},
	{name: "what an earlier apply of a module has destroyed is forgotten", edit: edit{moduleDir + "executor.go",
		"recent := w.session.visibility.recent(doubts, j, now)", "recent := w.session.visibility.recent(doubts, nil, now)"}},
	{name: "the state that a killed program left is believed", edit: edit{moduleDir + "executor.go",
		"if err != nil || after == nil || !j.has(after, e.resourceType(ctx), !ok) {", "if err != nil || after == nil {"}},

	// Marks. Those that are believed wrongly have a lasting effect only without the next look.
	{name: "a mark is believed whatever the custom resource is like", edit: edit{schedulerDir + "mark.go",
		"string(r.UID), r.Version, r.ConfigHash,", "string(r.UID),"},
		also: []edit{{schedulerDir + "observe.go", "\t\te.view.unplanned = true\n\t}\n\treturn", "\t}\n\treturn"}}},

	// Decisions.
	{name: "a delete is not carried out", edit: edit{schedulerDir + "decision/delete.go",
		"return Step{Deed: Nothing}, !in.Exists", "return Step{Deed: Nothing}, true"}},
	{name: "a destruction without a read proves that the object is gone", edit: edit{schedulerDir + "visibility.go",
		"if !r.WithoutRefresh {\n\t\treturn true\n\t}", "if r.WithoutRefresh {\n\t\treturn false\n\t}"}},
	{name: "what exists is not looked for", edit: edit{schedulerDir + "run.go",
		"met := o.look()\n", "met := o.look()\n\tmet, o.absent = instance.Instance{}, true\n"}},

	// The reconciler.
	{name: "a resource is released while an operation runs", edit: edit{managedDir + "finalizer.go",
		"if known.Running {", "if false {"}},
	{name: "a resource is released before its interrupted create is forgotten", edit: edit{managedDir + "finalizer.go",
		" && !known.Interrupted {", " {"}},
	{name: "a resource is always released before it is forgotten", edit: edit{managedDir + "finalizer.go",
		"if ok && known.Status == instance.Empty", "if ok == ok || known.Status == instance.Empty"}},
	{name: "the finalizer is lost with the annotations", edit: edit{managedDir + "finalizers.go",
		"meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)\n\tmeta.AddFinalizer(o, xpmanaged.FinalizerName)", "meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)"}},
	{name: "connection details are published before the object exists", edit: edit{managedDir + "connection.go",
		"if !published(r) || !o.Exists() {", "if !published(r) || o.Exists() {"}},

	// Approvals.
	{name: "any approval is taken for that of the plan", approvals: true, edit: edit{schedulerDir + "approval.go",
		"case r.Asked.Approve != a.hash || handled.Approve == a.hash:", "case r.Asked.Approve == \"\" && handled != nil:"}},
	{name: "an approval is used more than once", approvals: true, edit: edit{schedulerDir + "approval.go",
		"case r.Asked.Approve != a.hash || handled.Approve == a.hash:", "case r.Asked.Approve != a.hash && handled != nil:"},
		also: []edit{{schedulerDir + "approval.go", "s.planHash(r, e.record.Handled.Approve, p)", "s.planHash(r, \"\", p)"}}},
	{name: "a lost record forgets that an approval was used", approvals: true, edit: edit{schedulerDir + "record.go",
		"rec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told)", "rec.Handled = e.withUnsaved(rec.Handled)\n\t_ = withTold"}},
	{name: "the hash of a plan leaves out its values", approvals: true, edit: edit{schedulerDir + "approval.go",
		"h.value(r.withoutToken(p, p.Config))\n\th.instance(p.Prior)\n\th.value(r.withoutToken(p, p.State))\n", "h.instance(p.Prior)\n"}},

	// The brake.
	{name: "the brake does not hold", brake: true, edit: edit{schedulerDir + "brake/brake.go",
		"if out := p.refusal(); out != nil {", "if out := p.refusal(); out != nil && false {"}},
	{name: "destroys of several namespaces are not added", brake: true, edit: edit{schedulerDir + "brake/brake.go",
		"p.of.why = p.of.others(d).exceed(d)", "p.of.why = \"\""}},
	{name: "only the destroys of all namespaces are counted", brake: true, edit: edit{schedulerDir + "brake/brake.go",
		"p.why = others.exceed(d)", "p.why, _ = \"\", others"}},
	{name: "a new process does not know what the brake holds", brake: true, edit: edit{schedulerDir + "brake.go",
		"if r.Brake == nil || r.Brake.Held.IsZero() || x.braked.Load() {", "if true || r.Brake.Held.IsZero() {"}},
	// Accounts.
	{name: "the account of an object is not looked at", accounts: true, edit: edit{schedulerDir + "account.go",
		"if e.record.Account == account || e.record.Account", "if true || e.record.Account"}},
	{name: "what is not found in another account is taken for gone", accounts: true, edit: edit{schedulerDir + "account.go",
		"case open && seen != decision.Stranger && s.isProved(stored, r.StoredAccount):", "case open && seen != decision.Stranger:"}},
	{name: "what a configuration has shown counts for what it was at any time", accounts: true, edit: edit{schedulerDir + "shared.go",
		"return a.sets[one] != 0 && a.sets[one] == a.sets[other]", "return a.sets[other] != 0"}},

	// Replicas that share the work.
	{name: "the record of another shard is used", replicas: 3, edit: edit{schedulerDir + "store/secrets.go",
		"case s.Shard.conflicts(head.shard):", "case s.Shard.conflicts(head.shard) && false:"}},
	{name: "a resource is left while an operation runs", replicas: 3, edit: edit{schedulerDir + "leave.go",
		"if e.view.state == decision.Running {\n\t\t\treturn false", "if e.view.state == decision.Running && false {\n\t\t\treturn false"}},
	{name: "an object is made for a resource that another shard has released", replicas: 3, edit: edit{schedulerDir + "record.go",
		"if r.Here == nil || rec.Version != \"\" {", "if r.Here == nil || rec.Version != \"\" || true {"},
		also: []edit{{schedulerDir + "leave.go", "if r.Here != nil && e.record.Version == \"\" {", "if false {"}}},
	{name: "a resource is worked on by every shard", replicas: 3, edit: edit{managedDir + "belonging.go",
		"switch shards.Belong(use) {\n\tcase Here:", "switch shards.Belong(use) {\n\tcase Here, Elsewhere:"},
		also: []edit{{managedDir + "belonging.go", "if shards.Belong(use) != Here {\n\t\terr", "if false {\n\t\terr"}}},
	{name: "a configuration is used before the objects of its resources are claimed", replicas: 3, edit: edit{managedDir + "division.go",
		"active = active && a.of[name].active", "_ = active"},
		also: []edit{{managedDir + "belonging.go", "if err == nil && !k.active(use.Configurations) {", "if false {"}}},
	{name: "configurations of one account are in several shards", replicas: 3, edit: edit{controllerDir + "shard/settle.go",
		"if value == \"\" {", "if value == \"\" || kind != \"group\" {"}},
	{name: "a module is taken for one resource type", replicas: 3, edit: edit{managedDir + "shards.go",
		"return shard.Any\n", "return k.Model.Type\n"}},
	{name: "an object is taken over from another shard", replicas: 3, edit: edit{managedDir + "shards.go",
		"if !ok || out.Types[0] == shard.Any {", "if !ok || out.Types[0] != \"\" {"}},

	// References.
	{name: "a dependent is not held during a replacement", references: true, edit: edit{managedDir + "awaited.go",
		"if len(waits) == 0 {\n\t\treturn nil\n\t}", "if len(waits) >= 0 {\n\t\treturn w.failed\n\t}"}},
	{name: "a new dependent is made on an object that is about to be destroyed", references: true, edit: edit{managedDir + "references.go",
		"if hadObject(r) {\n\t\treturn nil\n\t}\n\tfor _, of := range targets", "if hadObject(r) || true {\n\t\treturn nil\n\t}\n\tfor _, of := range targets"}},
	{name: "what uses a provider configuration with values of a replaced object goes on", references: true, edit: edit{managedDir + "references.go",
		"sources = append(sources, r.configuring...)", ""}},
	{name: "dependents are replaced though nothing allows it", references: true, edit: edit{managedDir + "dependents.go",
		"v.destroys, v.approval = true, v.approval || !k.replacesDependents(u)", "v.destroys = true"}},
	{name: "what refers to a destroyed dependent goes on", references: true, edit: edit{managedDir + "awaited.go",
		`own.Phase != phaseDestroying && !destroyed && r.string("status", "state") != "Empty"`, "own.Phase != phaseDestroying && (!destroyed || true)"},
		replicas: 3},
	{name: "what refers to an object goes on while it is not known whether that was destroyed", references: true, edit: edit{schedulerDir + "dependents.go",
		"in.Missing && (replaces", "in.Missing && false && (replaces"}, replicas: 3},
	{name: "an interrupt lets go on what refers to an object that may be destroyed", references: true, edit: edit{managedDir + "replaced.go",
		"o.Held && !o.Missing", "o.Held"}, replicas: 3},
	{name: "an operation on a dependent that an earlier process has begun is not awaited", references: true, edit: edit{managedDir + "awaited.go",
		"w.busy = w.busy || is.operates", "is.operates = false"}, also: []edit{{managedDir + "awaited.go", "is.operates && waits && !w.busy", "false"}}, replicas: 3},
	{name: "a dependent that has got its object late is awaited for ever", references: true, edit: edit{managedDir + "dependents.go",
		"holds(p) && lists(p, d.resource.GetUID()) && !holds(own)", "holds(p) && !holds(own)"}, replicas: 3},
}
