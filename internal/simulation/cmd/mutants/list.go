package main

// mutant is a deliberate fault: in a file, relative to the root of the repository, one text is replaced.
type mutant struct{ name, file, old, new string }

const (
	schedulerDir = "internal/scheduler/"
	managedDir   = "internal/controller/managed/"
	engineDir    = "internal/terraform/engine/"
)

var mutants = []mutant{
	// The journal.
	{"the intent is not stored", schedulerDir + "operation.go",
		"rec, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, intent)", "rec, err := intent, error(nil)"},
	{"the outcome is not stored", schedulerDir + "conclude.go",
		"out, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, rec)\n\tif !errors.Is(err, store.ErrConflict) {\n\t\treturn out, err\n\t}", "if rec.Version != \"\" {\n\t\treturn rec, nil\n\t}\n\tout, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, rec)\n\tif !errors.Is(err, store.ErrConflict) {\n\t\treturn out, err\n\t}"},
	{"the outcome overwrites the intent of another operation", schedulerDir + "conclude.go",
		"stored.Instance.Operation != nil && stored.Instance.Operation.ID == op.ID", "stored.Instance.Operation != nil"},
	{"a create without an answer is taken for failed", schedulerDir + "operation.go",
		"terraform.OutcomeUnknown(diags) {\n\t\t\tout.Operation = op", "terraform.OutcomeUnknown(diags) && false {\n\t\t\tout.Operation = op"},
	{"the provider's silence is not noticed", engineDir + "apply.go",
		"diags = append(diags, terraform.OutcomeUnknownError(c.schema.Type)...)", "diags = append(diags, terraform.OutcomeUnknownError(c.schema.Type)[:0]...)"},
	{"the doubt about an earlier create is forgotten", schedulerDir + "operation.go",
		"out.Operation = doubt; terraform", "out.Operation = nil; terraform"},
	{"the replaced objects are forgotten", schedulerDir + "operation.go",
		"out.Operation, out.Deposed = nil, in.Deposed", "out.Operation, out.Deposed = nil, nil"},
	{"the outcome is stored for a released resource", schedulerDir + "conclude.go",
		"errors.Is(loadErr, store.ErrNotFound) && s.o.Exists != nil && !s.o.Exists(ctx, r.Key, r.UID):", "false:"},

	// Recovery.
	{"interrupted creates are not recovered", schedulerDir + "recovery.go",
		"if op.Kind != instance.Create || op.ID", "if true || op.ID"},
	{"the object of an interrupted create is taken for whole", schedulerDir + "recovery.go",
		"found.Status = instance.Tainted // it may be incomplete", ""},
	{"not found is taken for never made", schedulerDir + "doubt.go",
		"case !s.o.Clock.Now().Before(op.Deadline):", "case true:"},
	{"without a look before it, not found is taken for never made", schedulerDir + "doubt.go",
		"case !s.o.Clock.Now().Before(op.Deadline):", "case !op.Absent, !s.o.Clock.Now().Before(op.Deadline):"},
	{"the intent of an earlier resource is taken for one's own", schedulerDir + "record.go",
		"op.Absent, rec.Instance.Operation = false, &op", "rec.Instance.Operation = &op"},
	{"an interrupted create needs no recovery before a deletion", schedulerDir + "decide.go",
		"!in.Deposed && !in.Interrupted && (in.Stored || !in.Named)", "!in.Deposed && (in.Stored || !in.Named)"},

	// The record.
	{"New is believed again after a conflict", schedulerDir + "record.go",
		"if r.New && before == unloaded {", "if r.New && before != loaded {"},
	{"the record of another owner is removed", schedulerDir + "record.go",
		"case rec.Owner != r.UID:\n\t\treturn nil", "case false:\n\t\treturn nil"},
	{"a deleted record is not restored", schedulerDir + "record.go",
		"before != unloaded && known.Version != \"\"", "false && known.Version != \"\""},
	{"a deleted record is not noticed", schedulerDir + "observe.go",
		" && !e.lost.Load(),", ","},
	{"a retry is forgotten when the store fails", schedulerDir + "record.go",
		"retried := e.unsavedRetry", "retried := \"\"\n\tif before == outdated {\n\t\tretried = e.unsavedRetry\n\t}"},

	// The lease.
	{"the lease is not checked at the call", engineDir + "apply.go",
		"if err := provider.Fence(ctx); err != nil {", "if err := provider.Fence(ctx); err != nil && false {"},

	// Decisions.
	{"a delete is not carried out", schedulerDir + "decide.go",
		"func deleted(in deleteInput) bool { return !in.Exists }", "func deleted(deleteInput) bool { return true }"},
	{"objects of other resources are not refused", schedulerDir + "decide.go",
		"func ownedByAnother(in observeInput) bool { return in.Contested }", "func ownedByAnother(observeInput) bool { return false }"},
	{"what exists is not looked for", schedulerDir + "operation.go",
		"met, absent := look(ctx, ex, r, in, op.Kind, p)", "met, absent := instance.Instance{}, true"},
	{"every resource is taken for a new one", managedDir + "request.go",
		"New:           untouched(r),", "New:           true || untouched(r),"},

	// The reconciler.
	{"a resource is released while an operation runs", managedDir + "finalizer.go",
		"if known.Running {", "if false {"},
	{"a resource is released before its interrupted create is forgotten", managedDir + "finalizer.go",
		" && !known.Interrupted {", " {"},
	{"a resource is always released before it is forgotten", managedDir + "finalizer.go",
		"if ok && known.Status == instance.Empty", "if known.Status == known.Status || known.Status == instance.Empty"},
	{"the finalizer is lost with the annotations", managedDir + "finalizer.go",
		"meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)\n\tmeta.AddFinalizer(o, xpmanaged.FinalizerName)", "meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)"},
	{"a stale cache is believed", managedDir + "client.go",
		"if err == nil && (cmp < 0 || cmp == 0 && released(written)) {", "if err == nil && cmp < 0 && false {"},
	{"connection details are published before the object exists", managedDir + "external.go",
		"out.ConnectionDetails, r.detailsKnown = details, true", "_ = details"},
}
