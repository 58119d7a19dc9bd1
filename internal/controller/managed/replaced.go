package managed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// status.replacement has the replacement of the object of a resource, from its plan to its end.

// Phases of a replacement.
const (
	phasePlanned    = "Planned"
	phaseStarted    = "Started"
	phaseDestroying = "DestroyingDependents"
	phaseFollowing  = "Following"
)

// effectDestroyed is the effect on a dependent that was destroyed for the replacement. Others are
// actions of plans.
const effectDestroyed = "Destroyed"

// replacementOf returns the replacement that the status of a resource has; nil if there is none.
func replacementOf(u *unstructured.Unstructured) *managed.Replacement {
	if u == nil {
		return nil
	}
	raw, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "replacement")
	fields, _ := raw.(map[string]any)
	p := &managed.Replacement{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, p); err != nil || p.Phase == "" {
		return nil
	}
	return p
}

// partOf precedes the id of a replacement in the id of the one of a dependent that is part of it.
const partOf = "for "

// isPart reports whether a replacement is part of that of another object.
func isPart(p *managed.Replacement) bool { return p != nil && strings.HasPrefix(p.ID, partOf) }

// lists reports whether the object of a dependent is destroyed for a replacement.
func lists(p *managed.Replacement, uid types.UID) bool {
	return slices.ContainsFunc(p.Dependents, func(d managed.ReplacedDependent) bool { return d.UID == string(uid) })
}

// cascadeOf returns what a replacement destroys.
func cascadeOf(p *managed.Replacement) scheduler.Cascade {
	if p == nil || len(p.Dependents) == 0 {
		return scheduler.Cascade{Approval: p != nil && p.Approval}
	}
	h := sha256.New()
	for _, d := range p.Dependents {
		fmt.Fprintln(h, d.UID)
	}
	return scheduler.Cascade{Hash: hex.EncodeToString(h.Sum(nil)), Approval: p.Approval}
}

// withDependents returns what is replaced with an object, as a part of a message: those of other
// namespaces have no names.
func withDependents(p *managed.Replacement) string {
	if p == nil || len(p.Dependents) == 0 {
		return ""
	}
	var all dependentNames
	for _, d := range p.Dependents {
		if d.Name == "" {
			all.elsewhere++
		} else {
			all.names = append(all.names, d.Kind+" "+d.Name)
		}
	}
	return ", together with " + strings.Join(all.list("%d resources in other namespaces"), ", ") + ","
}

// holds reports whether dependents wait.
func holds(p *managed.Replacement) bool {
	return p != nil && (p.Phase == phaseStarted || p.Phase == phaseDestroying)
}

// fieldsOf returns a replacement as a status has it.
func fieldsOf(p *managed.Replacement) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(p)
	if err != nil {
		return map[string]any{"id": p.ID, "phase": p.Phase} // it has strings, booleans and lists only
	}
	return fields
}

func (r *CustomResource) setReplacement(p managed.Replacement) {
	r.set(fieldsOf(&p), "status", "replacement")
}

// newID returns the id of a replacement that is planned anew. Each is used once, so that an answer
// to an earlier one is none to it: a dependent that has waited for that may be busy again.
func (r *CustomResource) newID(id string) string {
	what, _, _ := strings.Cut(id, ".")
	return what + "." + r.GetResourceVersion()
}

// identifies reports whether an id is that of a replacement, or what it is for.
func identifies(id string, p *managed.Replacement) bool {
	return p != nil && (p.ID == id || strings.HasPrefix(p.ID, id+"."))
}

// replacementID identifies what a replacement is for, and not its values: plans of some providers
// differ with each look.
func (e *external) replacementID(r *CustomResource, p *terraform.Plan) string {
	h := sha256.New()
	fmt.Fprintln(h, r.GetGeneration(), p.Action, p.Reason, translate.FieldPaths(e.kind.Model, p.RequiresReplace))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// sameDependents reports whether two lists have the same resources, whose names depend on who reads
// them.
func sameDependents(a, b []managed.ReplacedDependent) bool {
	return slices.EqualFunc(a, b, func(x, y managed.ReplacedDependent) bool { return x.UID == y.UID })
}

// sameList reports whether two replacements destroy the same, and are asked for alike.
func sameList(a, b *managed.Replacement) bool {
	return a.Approval == b.Approval && sameDependents(a.Dependents, b.Dependents)
}

// keepReplacement keeps status.replacement in a new status until the replacement is over.
func keepReplacement(r *CustomResource, o *scheduler.Observation, status map[string]any) {
	p := replacementOf(&r.Unstructured)
	if p == nil || r.GetDeletionTimestamp() != nil || o.Held && !o.Missing {
		return
	}
	// One that is planned with that of what the resource refers to stays as long as that needs it.
	planned := isPart(p) && slices.ContainsFunc(answersOf(r.read), func(a managed.AwaitedReplacement) bool { return isReplace(a.Effect) })
	over := !planned && o.Operation == nil && o.Exists() && len(o.Instance.Deposed) == 0 && !o.Instance.Incomplete &&
		o.Plan != nil && !o.Plan.Replaces()
	if !over {
		status["replacement"] = fieldsOf(p)
	}
}

// abandonReplacement ends a replacement that was not begun and is refused for another reason than
// its dependents. While its plan waits for approval, they go on.
func abandonReplacement(r *CustomResource, err error) {
	o := r.observation
	if o == nil || o.Missing {
		return // what refers to the object must not use it
	}
	if p := replacementOf(&r.Unstructured); p != nil && awaitsApproval(reasonOf(err)) && !isPart(p) {
		if holds(p) {
			p.ID, p.Phase = r.newID(p.ID), phasePlanned
			r.setReplacement(*p)
		}
		return
	}
	if reasonOf(err) != decision.ReasonAwaitingDependents && o.Exists() && !o.Instance.Incomplete && len(o.Instance.Deposed) == 0 {
		unstructured.RemoveNestedField(r.Object, "status", "replacement")
	}
}
