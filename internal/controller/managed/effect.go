package managed

import (
	"context"
	"errors"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// effect is what replacements mean for the object of a dependent.
type effect struct {
	// action is that of the plan; empty if there is none.
	action string
	// refused is why it cannot take part.
	refused string
	// approval is set when the plan needs an approval.
	approval bool
	// destroys is set when the plan destroys objects within the object, or when it is not known
	// what it destroys.
	destroys bool
	// operates is set when an operation on the object was begun, whose outcome is not stored.
	operates bool
}

func refusal(why string) effect { return effect{refused: why} }

// effect returns what the replacements of the objects that a resource depends on mean for its own.
func (k *Kind) effect(ctx context.Context, r *CustomResource) effect {
	if k.Options.Stored == nil {
		return refusal("it cannot be planned here")
	}
	as := &CustomResource{}
	as.assign(r.read.DeepCopy())
	p := k.preview(as)
	as.later = k.knownLater(k.key(&r.Unstructured), r.replaced)
	out := k.planEffect(ctx, r, p)
	out.operates = p.operates
	if p.held && out.refused == "" {
		out.refused = "its last operation was interrupted, and nothing is done until its spec changes or a retry is requested"
	}
	return out
}

// planEffect returns the effect on the object of a resource by the plan of a preview of it, without
// the values that are known later.
func (k *Kind) planEffect(ctx context.Context, r *CustomResource, p *preview) effect {
	as := p.resource
	unknown := references.NewPlaceholders()
	resolver := references.Resolver{
		Reader: k.plannedReader(r.replaced), Served: k.Neighbours.Served, Call: k.caller(as), Wrote: k.wrote(r),
		Replaced: func(of store.Key) bool { return r.replaced[of] != nil },
		Unknown: func(x *unstructured.Unstructured) any {
			if r.replaced[keyOf(x)] == nil {
				return nil
			}
			return unknown.Of(x)
		},
	}
	found, err := resolver.ResolveAll(ctx, &as.Unstructured, k.Model)
	if err != nil {
		return refusal(err.Error())
	}
	if len(found.Missing) > 0 {
		if !hadObject(as) {
			return effect{} // it has no object yet
		}
		return refusal(waitsForOthers + strings.Join(found.Missing, "; "))
	}
	later := false
	req, plan, err := p.planned(ctx, func(v cty.Value) (cty.Value, error) {
		v, err := unknown.In(v)
		if later = err == nil && k.HasObjectsOfAnyType() && !v.IsWhollyKnown(); later {
			err = errKnownLater
		}
		return v, err
	})
	switch {
	case later:
		return effect{action: string(terraform.Update), destroys: true}
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
		action: string(plan.Action), approval: len(approvals) > 0, destroys: len(plan.Destroys()) > 0,
		refused: p.conceal(strings.Join(stops, "; "), as.secrets, &scheduler.Observation{Instance: p.stored}),
	}
}

// errKnownLater ends the plan of a module whose variables are not known: its program plans with
// values only.
var errKnownLater = errors.New("variables of the module are known later")

// hadObject reports whether the resource has had an object.
func hadObject(r *CustomResource) bool {
	return meta.GetExternalName(r) != "" || r.string("status", "state") != "" && r.string("status", "state") != "Empty"
}

func keyOf(u *unstructured.Unstructured) store.Key {
	gk := u.GroupVersionKind().GroupKind()
	return store.Key{Group: gk.Group, Kind: gk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}

// overlay reads some resources as they are given, and all others with its reader.
type overlay struct {
	client.Reader
	of map[store.Key]*unstructured.Unstructured
}

// Get implements client.Reader.
func (o overlay) Get(ctx context.Context, name client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := o.Reader.Get(ctx, name, obj, opts...); err != nil {
		return err
	}
	if u, ok := obj.(*unstructured.Unstructured); ok && o.of[keyOf(u)] != nil {
		u.Object = o.of[keyOf(u)].DeepCopy().Object
	}
	return nil
}

// List implements client.Reader.
func (o overlay) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if err := o.Reader.List(ctx, list, opts...); err != nil {
		return err
	}
	if all, ok := list.(*unstructured.UnstructuredList); ok {
		for i := range all.Items {
			if x := o.of[keyOf(&all.Items[i])]; x != nil {
				all.Items[i] = *x.DeepCopy()
			}
		}
	}
	return nil
}

// plannedReader reads resources whose objects are being replaced as they are planned, without what
// is known only afterwards.
func (k *Kind) plannedReader(replaced map[store.Key]*unstructured.Unstructured) overlay {
	out := overlay{k.reader, map[store.Key]*unstructured.Unstructured{}}
	for key, u := range replaced {
		if u != nil {
			out.of[key] = k.planned(u)
		}
	}
	return out
}

// planned returns a resource as it is after status.plan, without values that are known only
// afterwards. Of an object that is destroyed for the replacement of another one nothing is known.
// The plan of a module that replaces objects within it is an update.
func (k *Kind) planned(u *unstructured.Unstructured) *unstructured.Unstructured {
	out := u.DeepCopy()
	annotations := out.GetAnnotations()
	delete(annotations, meta.AnnotationKeyExternalName)
	out.SetAnnotations(annotations)
	at, _, _ := unstructured.NestedMap(out.Object, "status", "atProvider")
	action, _, _ := unstructured.NestedString(u.Object, "status", "plan", "action")
	of := k.Neighbours.Kind(u.GroupVersionKind().GroupKind())
	module := of != nil && of.HasObjectsOfAnyType() && !isPart(replacementOf(u))
	if a := terraform.Action(action); !a.IsReplace() && a != terraform.Create && !(a == terraform.Update && module) {
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

// afterChanges returns values as they are after the changes of status.plan, without those that are
// not known. Values that the status does not show count as unknown.
func afterChanges(at map[string]any, changes []any) map[string]any {
	paved := fieldpath.Pave(at)
	for _, x := range changes {
		change, _ := x.(map[string]any)
		path, _ := change["path"].(string)
		if path == "" || path == "…" {
			return nil
		}
		after, known := change["after"], change["afterUnknown"] != true
		// Former releases have placeholders for what is not known, so that these texts are not
		// taken for values.
		if text, isText := after.(string); after == nil ||
			isText && (text == translate.KnownAfterApply || text == translate.SensitiveValue ||
				strings.HasSuffix(text, "…")) {
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
