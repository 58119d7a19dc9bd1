package managed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler/settling"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// maxValue bounds a value in a message.
const maxValue = 60

// neverSettles returns the condition NeverSettles. A resource that always settled has none.
func neverSettles(k *Kind, u *settling.Unsettled) xpv2.Condition {
	c := xpv2.Condition{
		Type: v1alpha1.TypeNeverSettles, Status: corev1.ConditionFalse, Reason: v1alpha1.ReasonSettled,
		LastTransitionTime: metav1.Now(),
	}
	if u == nil || !u.Never {
		return c
	}
	c.Status = corev1.ConditionTrue
	switch {
	case u.Replaces():
		c.Reason = v1alpha1.ReasonReplacementRepeats
	case u.Alternates:
		c.Reason = v1alpha1.ReasonReadsAlternate
	default:
		c.Reason = v1alpha1.ReasonUpdateRepeats
	}
	c.Message = Shorten(unsettledText(k, u))
	return c
}

// unsettledText says which fields do not settle, with both values, and what to do.
func unsettledText(k *Kind, u *settling.Unsettled) string {
	if len(u.Objects) > 0 {
		return unsettledObjects(u)
	}
	fields := unsettledFields(k, u.Plan)
	if u.Plan.Action.IsReplace() {
		return fmt.Sprintf("The remote object is kept, since its successor would have to be replaced likewise: %s. "+
			"Set these fields to the values that the provider returns, or list them in spec.lifecycle.ignoreChanges.", fields)
	}
	if u.Alternates {
		return fmt.Sprintf("Since %s, one look at the remote object has shown it otherwise than the look right "+
			"before, %d times, though nothing was done to it: %s. "+
			"List these fields in spec.lifecycle.ignoreChanges. The next update is at %s.",
			u.Since.UTC().Format(time.RFC3339), u.Updates, fields, u.NextAt.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("%d updates since %s have not made the remote object as declared: %s. "+
		"Set these fields to the values that the provider returns, or list them in spec.lifecycle.ignoreChanges. The next update is at %s.",
		u.Updates, u.Since.UTC().Format(time.RFC3339), fields, u.NextAt.UTC().Format(time.RFC3339))
}

// unsettledObjects says which objects of a module do not settle, with the arguments and both
// values, and what to do.
func unsettledObjects(u *settling.Unsettled) string {
	var of, remedies []string
	for i, o := range u.Objects {
		if !o.Never || u.Replaces() && !o.Replaces() {
			continue
		}
		if len(of) == maxPaths {
			of = append(of, fmt.Sprintf("%d more", len(u.Objects)-i))
			break
		}
		text, arguments := unsettledObject(o)
		of = append(of, text)
		if len(arguments) > 0 {
			remedies = append(remedies, fmt.Sprintf("ignore_changes = [%s] to lifecycle in the block of %s",
				strings.Join(arguments, ", "), o.Block()))
		}
	}
	remedy := "What refers to the time or to random values in the module changes each time, as does what the " +
		"provider leaves open in each plan."
	if len(remedies) > 0 {
		remedy = "In the module, set these arguments to the values that the provider returns, or add " +
			strings.Join(slices.Compact(remedies), ", and ") + "."
	}
	if u.Replaces() {
		return fmt.Sprintf("The objects are kept, since their successors would have to be replaced likewise: %s. %s",
			strings.Join(of, "; "), remedy)
	}
	if u.Alternates {
		return fmt.Sprintf("Since %s, one look at the module has shown objects of it otherwise than the look right "+
			"before, %d times, though nothing was done to them: %s. %s The next apply for that is at %s.",
			u.Since.UTC().Format(time.RFC3339), u.Updates, strings.Join(of, "; "), remedy, u.NextAt.UTC().Format(time.RFC3339))
	}
	return fmt.Sprintf("%d applies since %s have not made the module as declared: %s. %s The next apply for that is at %s.",
		u.Updates, u.Since.UTC().Format(time.RFC3339), strings.Join(of, "; "), remedy, u.NextAt.UTC().Format(time.RFC3339))
}

// unsettledObject says what of an object does not settle, and which arguments these are.
func unsettledObject(o settling.UnsettledObject) (text string, arguments []string) {
	if o.Address == "" {
		return "its outputs change each time", nil
	}
	var changes []string
	for i, c := range o.Changes {
		// What is not known beforehand is no argument that could be set, but follows from the
		// change.
		if c.After != nil && !slices.Contains(arguments, c.Argument()) {
			arguments = append(arguments, c.Argument())
		}
		switch {
		case i < maxPaths:
			changes = append(changes, fmt.Sprintf("%s is %s and should be %s", c.Path, c.BeforeText(), c.AfterText()))
		case i == maxPaths:
			changes = append(changes, fmt.Sprintf("%d more", len(o.Changes)-i))
		}
	}
	if len(changes) == 0 {
		return o.Address, nil // its values are known to the process that has seen it alternate
	}
	return fmt.Sprintf("%s, where %s", o.Address, strings.Join(changes, ", ")), arguments
}

func unsettledFields(k *Kind, p *terraform.Plan) string {
	var out []string
	changes := changesOf(k, p)
	for i, c := range changes {
		if i == maxPaths {
			out = append(out, fmt.Sprintf("%d more", len(changes)-i))
			break
		}
		out = append(out, fmt.Sprintf("%s is %s and should be %s", c.Path, c.BeforeText(shortValue), c.AfterText(shortValue)))
	}
	if len(out) == 0 {
		return "nothing that a field shows"
	}
	return strings.Join(out, ", ")
}

// changesOf returns what a plan changes, without sensitive values.
func changesOf(k *Kind, p *terraform.Plan) []translate.Change {
	return translate.Changes(k.Model, p.Prior.State, p.State,
		translate.Concealed(k.Model, slices.Concat(p.Prior.SensitivePaths, p.SensitivePaths))...)
}

func shortValue(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return Shortened(string(b), maxValue)
}
