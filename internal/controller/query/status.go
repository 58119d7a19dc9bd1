package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/controller/managed"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Reasons of events.
const (
	eventChanged  event.Reason = "ObjectsChanged"
	eventFailed   event.Reason = "QueryFailed"
	eventViolated event.Reason = "EstatePolicyWarning"
)

// set sets the status of a query that was run. With a problem, what was found before stays.
func (o *outcome) set(q *v1alpha1.ResourceQuery) {
	if t := o.result; t != nil {
		s := &q.Status
		s.Total, s.Managed, s.Declared, s.Unmanaged, s.OtherNamespaces = t.total, t.managed, t.declared, t.unmanaged, t.others
		s.Objects, s.Violations = first(t.shown), t.sorted()
		if o.problem == nil || len(o.pages) > 0 {
			s.Pages = o.pages
		}
		o.setCompleteness(q)
		o.setCompliance(q)
	}
	if o.problem != nil {
		o.problem.set(q)
		return
	}
	ready(q, corev1.ConditionTrue, v1alpha1.ReasonListed, o.warnings)
}

func (o *outcome) setCompleteness(q *v1alpha1.ResourceQuery) {
	c := xpv2.Condition{Type: v1alpha1.TypeComplete, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonAllListed}
	switch {
	case o.more:
		c.Status, c.Reason = corev1.ConditionFalse, v1alpha1.ReasonLimitReached
		c.Message = fmt.Sprintf("There may be more than %d objects. Raise spec.limit, or narrow the list down in spec.config.", o.result.total)
	case o.left > 0:
		c.Status, c.Reason = corev1.ConditionFalse, v1alpha1.ReasonPagesFull
		c.Message = fmt.Sprintf("%d objects are in no page, since there may be at most %d pages. Narrow the list "+
			"down in spec.config.", o.left, maxPages)
	}
	set(q, c)
}

func (o *outcome) setCompliance(q *v1alpha1.ResourceQuery) {
	violations := o.result.violations
	switch {
	case !o.judged:
		remove(q, v1alpha1.TypeCompliant)
	case len(violations) == 0:
		set(q, xpv2.Condition{Type: v1alpha1.TypeCompliant, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonNoViolations})
	default:
		set(q, xpv2.Condition{
			Type: v1alpha1.TypeCompliant, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonPolicyViolated,
			Message: violationsText(violations),
		})
	}
}

// violationsText tells the first violations.
func violationsText(all []v1alpha1.EstateViolation) string {
	const few = 5
	lines := make([]string, 0, few)
	for _, v := range all[:min(len(all), few)] {
		lines = append(lines, fmt.Sprintf("EstatePolicy %s: %s: %s", v.Policy, objects(v.Objects), v.Message))
	}
	if left := len(all) - few; left > 0 {
		lines = append(lines, fmt.Sprintf("status.violations has %d more.", left))
	}
	return strings.Join(lines, "\n")
}

func objects(n int64) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}

// set sets the conditions of a query that has a problem.
func (p *problem) set(q *v1alpha1.ResourceQuery) {
	ready(q, corev1.ConditionFalse, p.reason, managed.Shortened(p.message, 4096))
	kind, reason := v1alpha1.TypeReconciling, v1alpha1.ReasonRetrying
	if p.stalled {
		kind, reason = v1alpha1.TypeStalled, p.reason
	}
	set(q, xpv2.Condition{Type: kind, Status: corev1.ConditionTrue, Reason: reason})
}

// ready sets the condition Ready. The query is neither stalled nor tried again, and not suspended.
func ready(q *v1alpha1.ResourceQuery, status corev1.ConditionStatus, reason xpv2.ConditionReason, message string) {
	q.Status.ObservedGeneration = q.Generation
	for _, t := range []xpv2.ConditionType{v1alpha1.TypeSuspended, v1alpha1.TypeReconciling, v1alpha1.TypeStalled} {
		remove(q, t)
	}
	set(q, xpv2.Condition{Type: xpv2.TypeReady, Status: status, Reason: reason, Message: message})
}

// setSuspended sets the conditions of a query that is suspended. What it has found stays.
func setSuspended(q *v1alpha1.ResourceQuery) {
	q.Status.ObservedGeneration = q.Generation
	remove(q, v1alpha1.TypeReconciling)
	remove(q, v1alpha1.TypeStalled)
	set(q, xpv2.Condition{
		Type: v1alpha1.TypeSuspended, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonSuspended,
		Message: "The query does not run, since spec.suspend is true.",
	})
}

func set(q *v1alpha1.ResourceQuery, c xpv2.Condition) {
	c.LastTransitionTime = metav1.Now()
	q.Status.SetConditions(c.WithObservedGeneration(q.Generation))
}

func remove(q *v1alpha1.ResourceQuery, t xpv2.ConditionType) {
	q.Status.Conditions = slices.DeleteFunc(q.Status.Conditions, func(c xpv2.Condition) bool { return c.Type == t })
}

// sameStatus reports whether two statuses are the same as JSON: the API server writes the JSON in
// them in its own way.
func sameStatus(a, b v1alpha1.ResourceQueryStatus) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(s v1alpha1.ResourceQueryStatus) (out any) {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_ = json.Unmarshal(b, &out) // it was just made
	return out
}

// events returns what is told when a status has changed.
func events(before, now v1alpha1.ResourceQueryStatus) (out []event.Event) {
	counts := func(s v1alpha1.ResourceQueryStatus) [5]int64 {
		return [5]int64{s.Total, s.Managed, s.Declared, s.Unmanaged, s.OtherNamespaces}
	}
	if counts(before) != counts(now) {
		out = append(out, event.Normal(eventChanged, fmt.Sprintf("%s: %d managed, %d declared, %d unmanaged, %d of other namespaces.",
			objects(now.Total), now.Managed, now.Declared, now.Unmanaged, now.OtherNamespaces)))
	}
	if len(now.Violations) > 0 && !slices.Equal(before.Violations, now.Violations) {
		out = append(out, event.Warning(eventViolated, errors.New(violationsText(now.Violations))))
	}
	was, is := before.GetCondition(xpv2.TypeReady), now.GetCondition(xpv2.TypeReady)
	if is.Status == corev1.ConditionFalse && (was.Status != is.Status || was.Reason != is.Reason) {
		out = append(out, event.Warning(eventFailed, errors.New(is.Message)))
	}
	return out
}
