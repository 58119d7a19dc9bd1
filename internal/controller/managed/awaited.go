package managed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	smdpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// referencesOwner is the field manager of the values that references set. By it, what references have set is told apart from what
// another hand has.
const referencesOwner = client.FieldOwner("landbridge-references")

// replacements returns the resources among keys whose objects are being replaced, as the cache has them.
func (k *Kind) replacements(ctx context.Context, keys []store.Key) map[store.Key]*unstructured.Unstructured {
	out := map[store.Key]*unstructured.Unstructured{}
	for _, of := range keys {
		if u, err := k.target(ctx, of, false); err == nil && replacementOf(u) != nil {
			out[of] = u
		}
	}
	return out
}

// released returns the resources for whose replacement a dependent has waited, and waits no more, and those whose objects are still
// being replaced, as the API server has them. The cache may be older or newer: both must be known from one read.
func (k *Kind) released(ctx context.Context, r *CustomResource) (out map[store.Key]bool, still map[store.Key]*unstructured.Unstructured, _ error) {
	still = map[store.Key]*unstructured.Unstructured{}
	for _, a := range answersOf(&r.Unstructured) {
		if a.Follows {
			continue // it has followed already
		}
		key := keyOfAnswer(a)
		u, err := k.target(ctx, key, true)
		if err != nil {
			return nil, nil, fmt.Errorf("cannot read %s: %w", nameOf(key, r.GetNamespace()), err)
		}
		p := replacementOf(u)
		if p != nil {
			still[key] = u
		}
		if p == nil && !a.Waits || p != nil && p.Phase != phaseFollowing {
			continue
		}
		if out == nil {
			out = map[store.Key]bool{}
		}
		out[key] = true
	}
	return out, still, nil
}

func keyOfAnswer(a managed.AwaitedReplacement) store.Key {
	return store.Key{Group: a.Group, Kind: a.Kind, Namespace: a.Namespace, Name: a.Name}
}

// awaitsReplacement reports whether a dependent takes part in a replacement, or has to note that it does not any more.
func (r *CustomResource) awaitsReplacement() bool {
	return len(r.replaced) > 0 || len(answersOf(&r.Unstructured)) > 0
}

// awaitReplacements answers to the replacements of what a resource refers to. It returns an error while nothing may be done to the
// object of the resource.
func (f referrer) awaitReplacements(ctx context.Context, r *CustomResource) error {
	if !r.awaitsReplacement() {
		return nil
	}
	busy := f.kind.Scheduler.Operates(f.kind.key(&r.Unstructured))
	var known *effect
	planned := func() effect {
		if known == nil {
			of := f.effect(ctx, r)
			known = &of
		}
		return *known
	}
	own := replacementOf(r.read)
	isOwn := own != nil && !isPart(own)
	var answers []managed.AwaitedReplacement
	var waits []string
	destroy := false
	for _, of := range slices.SortedFunc(maps.Keys(r.replaced), store.Key.Compare) {
		x := r.replaced[of]
		p := replacementOf(x)
		a, answered := answerTo(&r.Unstructured, x.GetUID())
		if p.Phase == phaseFollowing {
			if answered {
				a.Waits = false
				answers = append(answers, a)
			}
			continue
		}
		if !answered {
			a = managed.AwaitedReplacement{Group: of.Group, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name, UID: string(x.GetUID())}
		}
		again := !answered || a.ID != p.ID || a.Generation != r.GetGeneration() || a.Refused != "" || holds(p) && !a.Waits ||
			a.Effect == "" && hadObject(r) // it had none yet
		destroyed := a.Effect == effectDestroyed
		if again && !destroyed || destroyed && (!holds(p) || a.ID != p.ID) {
			of := planned()
			if isOwn && isReplace(of.action) {
				of.refused = "its own object is being replaced"
			}
			a.Effect, a.Refused, a.Approval = of.action, of.refused, of.approval
		}
		a.ID, a.Generation, a.Follows = p.ID, r.GetGeneration(), false
		a.Waits = holds(p) && !busy
		if holds(p) {
			waits = append(waits, nameOf(of, r.GetNamespace()))
		}
		destroy = destroy || p.Phase == phaseDestroying && isReplace(a.Effect) && lists(p, r.GetUID())
		answers = append(answers, a)
	}
	f.passOn(r, own, answers)
	var failed error
	if destroy && !busy {
		var gone bool
		if gone, failed = f.destroy(ctx, r); gone {
			for i := range answers {
				if isReplace(answers[i].Effect) && lists(replacementOf(r.replaced[keyOfAnswer(answers[i])]), r.GetUID()) {
					answers[i].Effect = effectDestroyed
				}
			}
		}
	}
	for _, a := range answersOf(&r.Unstructured) {
		if r.released[keyOfAnswer(a)] && !slices.ContainsFunc(answers, func(b managed.AwaitedReplacement) bool { return b.UID == a.UID }) {
			answers = append(answers, a) // until what it refers to is set
		}
	}
	r.setAnswers(answers)
	if len(waits) == 0 {
		return nil
	}
	err := fmt.Errorf("nothing is done to the object until that of %s is replaced", listed(waits))
	return errors.Join(err, failed)
}

func (r *CustomResource) setAnswers(answers []managed.AwaitedReplacement) {
	list := make([]any, 0, len(answers))
	for i := range answers {
		if fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&answers[i]); err == nil {
			list = append(list, fields)
		}
	}
	if len(list) == 0 {
		unstructured.RemoveNestedField(r.Object, "status", "awaitedReplacements")
		return
	}
	r.set(list, "status", "awaitedReplacements")
}

// followed removes the answers to replacements that are over, when what the resource refers to is set.
func (f referrer) followed(r *CustomResource) {
	before := answersOf(&r.Unstructured)
	if len(before) == 0 {
		return
	}
	r.setAnswers(slices.DeleteFunc(before, func(a managed.AwaitedReplacement) bool { return r.replaced[keyOfAnswer(a)] == nil }))
}

// setFollows notes that the object fits the new objects of what it refers to.
func setFollows(r *CustomResource, o *scheduler.Observation) {
	answers := answersOf(&r.Unstructured)
	changed := false
	for i, a := range answers {
		p := replacementOf(r.replaced[keyOfAnswer(a)])
		if p != nil && p.Phase == phaseFollowing && !a.Follows && (o.UpToDate() || !o.Exists() && a.Effect == "") {
			answers[i].Follows, changed = true, true
		}
	}
	if changed {
		r.setAnswers(answers)
	}
}

// destroy destroys the object of a dependent that must be replaced, before the one that it refers to. It reports whether that is gone.
func (f referrer) destroy(ctx context.Context, r *CustomResource) (gone bool, _ error) {
	c := &connector{kind: f.kind, client: f.client}
	e, diags := c.external(ctx, r)
	if diags.HasErrors() {
		return false, c.explain(ctx, r, &scheduler.Error{Reason: scheduler.ReasonInvalidConfiguration, Diagnostics: diags})
	}
	o, err := f.kind.Scheduler.Observe(ctx, e.request)
	switch {
	case err != nil:
		return false, c.explain(ctx, r, err)
	case o.Operation != nil:
		return false, nil
	case !o.Exists() && len(o.Instance.Deposed) == 0:
		return true, nil
	}
	if err := e.mayWrite(ctx); err != nil {
		return false, err
	}
	own := replacementOf(&r.Unstructured)
	if err := e.begin(ctx, r, own, f.partID(own, r), scheduler.Replace, terraform.DeleteThenCreate); err != nil {
		return false, c.explain(ctx, r, err)
	}
	e.request.Consented = true
	if err := f.kind.Scheduler.Delete(ctx, e.request); err != nil {
		return false, c.explain(ctx, r, err)
	}
	return false, nil
}

// partID identifies the replacement of a dependent, which is part of those that it awaits. It stays the same while one of them lasts.
func (f referrer) partID(own *managed.Replacement, r *CustomResource) string {
	var id string
	for _, x := range r.replaced {
		of := partOf + replacementOf(x).ID
		if own != nil && own.ID == of {
			return of
		}
		id = max(id, of)
	}
	return id
}

// passOn plans the replacement of a dependent together with those of the objects that it refers to, for which it must be replaced: its
// own dependents answer to it, and wait when it does.
func (f referrer) passOn(r *CustomResource, own *managed.Replacement, answers []managed.AwaitedReplacement) {
	needed, held := false, false
	for _, a := range answers {
		p := replacementOf(r.replaced[keyOfAnswer(a)])
		if p.Phase == phaseFollowing || !isReplace(a.Effect) || a.Refused != "" {
			continue
		}
		needed, held = true, held || holds(p) && lists(p, r.GetUID())
	}
	by := f.kind.Neighbours.References().Referrers(f.kind.key(&r.Unstructured))
	switch {
	case own != nil && (!isPart(own) || own.Phase == phaseDestroying && held):
		return
	case !needed || len(by) == 0:
		destroyed := slices.ContainsFunc(answersOf(r.read), func(a managed.AwaitedReplacement) bool { return a.Effect == effectDestroyed })
		if own != nil && own.Phase != phaseDestroying && !destroyed && r.string("status", "state") != "Empty" { // keepReplacement ends those
			unstructured.RemoveNestedField(r.Object, "status", "replacement")
		}
		return
	}
	next := managed.Replacement{ID: f.partID(own, r), Phase: phasePlanned}
	if own != nil && own.ID == next.ID {
		next.Dependents = own.Dependents
		if !holds(own) {
			next.Dependents = f.kind.judge(own, &r.Unstructured, r.GetNamespace(), by, true).replaced
		}
	}
	if held {
		next.Phase = phaseStarted
	}
	r.setReplacement(next)
}

// effect is what replacements mean for the object of a dependent.
type effect struct {
	// action is that of the plan; empty if there is none.
	action string
	// refused is why it cannot take part.
	refused string
	// approval is set when the plan needs an approval.
	approval bool
}

func refusal(why string) effect { return effect{refused: why} }

// effect returns what the replacements of the objects that a resource refers to mean for its own.
func (f referrer) effect(ctx context.Context, r *CustomResource) effect {
	if f.kind.Options.Stored == nil {
		return refusal("it cannot be planned here")
	}
	as := &CustomResource{}
	as.assign(r.read.DeepCopy())
	refs, err := references.Of(&as.Unstructured, f.kind.Model)
	if err != nil {
		return refusal(err.Error())
	}
	unknown := references.NewPlaceholders()
	resolver := references.Resolver{
		Reader: plannedReader{f.client.Client, f.kind, r.replaced}, Served: f.kind.Neighbours.Served, Call: f.kind.caller(as), Wrote: f.wrote(r),
		Replaced: func(of store.Key) bool { return r.replaced[of] != nil },
		Unknown: func(x *unstructured.Unstructured) any {
			if r.replaced[keyOf(x)] == nil {
				return nil
			}
			return unknown.Of(x)
		},
	}
	found, err := resolver.Resolve(ctx, &as.Unstructured, refs)
	if err != nil {
		return refusal(err.Error())
	}
	p := f.kind.preview(as)
	if len(found.Missing) > 0 {
		if !hadObject(as) {
			return effect{} // it has no object yet
		}
		return refusal(waitsForOthers + strings.Join(found.Missing, "; "))
	}
	req, plan, err := p.planned(ctx, unknown.In)
	switch {
	case err != nil:
		return refusal(unknown.Conceal(p.conceal(err.Error(), as.secrets, &scheduler.Observation{Instance: p.stored})))
	case plan == nil:
		return refusal("it is only observed, by spec.managementPolicies")
	case plan.Action == terraform.Create:
		return effect{}
	case plan.Action == terraform.NoOp:
		return effect{action: string(terraform.NoOp)}
	}
	stops, approvals, _ := p.consequences(ctx, req, *plan)
	return effect{
		action: string(plan.Action), approval: len(approvals) > 0,
		refused: p.conceal(strings.Join(stops, "; "), as.secrets, &scheduler.Observation{Instance: p.stored}),
	}
}

// hadObject reports whether the resource has had an object.
func hadObject(r *CustomResource) bool {
	return meta.GetExternalName(r) != "" || r.string("status", "state") != "" && r.string("status", "state") != "Empty"
}

func keyOf(u *unstructured.Unstructured) store.Key {
	gk := u.GroupVersionKind().GroupKind()
	return store.Key{Group: gk.Group, Kind: gk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// plannedReader reads resources whose objects are being replaced as they are planned, without what is known only afterwards.
type plannedReader struct {
	client.Reader
	kind     *Kind
	replaced map[store.Key]*unstructured.Unstructured
}

// Get implements client.Reader.
func (p plannedReader) Get(ctx context.Context, name client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := p.Reader.Get(ctx, name, obj, opts...); err != nil {
		return err
	}
	if u, ok := obj.(*unstructured.Unstructured); ok && p.replaced[keyOf(u)] != nil {
		u.Object = planned(u).Object
	}
	return nil
}

// List implements client.Reader.
func (p plannedReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := p.Reader.List(ctx, list, opts...); err != nil {
		return err
	}
	if all, ok := list.(*unstructured.UnstructuredList); ok {
		for i := range all.Items {
			if p.replaced[keyOf(&all.Items[i])] != nil {
				all.Items[i] = *planned(&all.Items[i])
			}
		}
	}
	return nil
}

// planned returns a resource as it is after status.plan, without values that are known only afterwards. Of an object that is destroyed
// for the replacement of another one nothing is known.
func planned(u *unstructured.Unstructured) *unstructured.Unstructured {
	out := u.DeepCopy()
	annotations := out.GetAnnotations()
	delete(annotations, meta.AnnotationKeyExternalName)
	out.SetAnnotations(annotations)
	at, _, _ := unstructured.NestedMap(out.Object, "status", "atProvider")
	action, _, _ := unstructured.NestedString(u.Object, "status", "plan", "action")
	if a := terraform.Action(action); !a.IsReplace() && a != terraform.Create {
		at = nil
	}
	if at != nil {
		changes, _, _ := unstructured.NestedSlice(u.Object, "status", "plan", "changes")
		at = afterChanges(at, changes)
	}
	unstructured.RemoveNestedField(out.Object, "status", "atProvider")
	if at != nil {
		_ = unstructured.SetNestedMap(out.Object, at, "status", "atProvider") // both are JSON
	}
	return out
}

// afterChanges returns values as they are after the changes of status.plan, without those that are not known. Values that the status
// does not show count as unknown.
func afterChanges(at map[string]any, changes []any) map[string]any {
	paved := fieldpath.Pave(at)
	for _, x := range changes {
		change, _ := x.(map[string]any)
		path, _ := change["path"].(string)
		if path == "" || path == "…" {
			return nil
		}
		after, known := change["after"], change["afterUnknown"] != true
		// Former releases have placeholders for what is not known, so that these texts are not taken for values.
		if text, isText := after.(string); after == nil || isText && (text == translate.KnownAfterApply || text == translate.SensitiveValue || strings.HasSuffix(text, "…")) {
			known = false
		}
		if whole, _, within := strings.Cut(path, "[*]"); within {
			path, known = whole, false
		}
		if known && paved.SetValue(path, after) == nil {
			continue
		}
		if err := paved.DeleteField(path); err != nil && !fieldpath.IsNotFound(err) {
			return nil
		}
	}
	return paved.UnstructuredContent()
}

// wrote returns Resolver.Wrote of a resource. What the cache has of a resource has no managed fields, so it is read anew.
func (f referrer) wrote(r *CustomResource) func(context.Context, string) (bool, error) {
	var read *unstructured.Unstructured
	return func(ctx context.Context, path string) (bool, error) {
		if read == nil {
			u, err := f.kind.get(ctx, f.client.live, client.ObjectKeyFromObject(r))
			if err != nil {
				return false, err
			}
			read = u
		}
		return setByReferences(read, path), nil
	}
}

// setByReferences reports whether the value at a path was set by references, and by no other field manager.
func setByReferences(u *unstructured.Unstructured, path string) bool {
	segments, err := fieldpath.Parse(path)
	if err != nil {
		return false
	}
	ours := false
	for _, entry := range u.GetManagedFields() {
		if entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		set := &smdpath.Set{}
		if set.FromJSON(strings.NewReader(entry.FieldsV1.GetRawString())) != nil || !owns(set, segments) {
			continue
		}
		if entry.Manager != string(referencesOwner) {
			return false
		}
		ours = true
	}
	return ours
}

// owns reports whether a set has the field at a path, something above it that is owned as a whole, or something below it.
func owns(set *smdpath.Set, path fieldpath.Segments) bool {
	for _, s := range path {
		if s.Type != fieldpath.SegmentField {
			return !set.Empty() // elements of lists that are maps are not told apart
		}
		e := smdpath.PathElement{FieldName: &s.Field}
		below, ok := set.Children.Get(e)
		if !ok {
			return set.Members.Has(e)
		}
		set = below
	}
	return true
}
