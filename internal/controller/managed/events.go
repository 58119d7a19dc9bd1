package managed

import (
	"fmt"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// teller returns a function that turns the scheduler's events into Kubernetes events. It is
// called during the reconcile and after it, so it holds nothing that the reconcile may change.
func (c *connector) teller(r *CustomResource, policies desired.Policies) func(scheduler.Event) {
	ref := &corev1.ObjectReference{
		APIVersion: r.GetAPIVersion(), Kind: r.GetKind(), Namespace: r.GetNamespace(), Name: r.GetName(),
		UID: r.GetUID(), ResourceVersion: r.GetResourceVersion(),
	}
	secrets, of := slices.Clone(r.secrets), subjectOf(r)
	namespace, name := r.GetNamespace(), r.GetName()
	return func(e scheduler.Event) {
		why := ""
		if e.Kind == scheduler.Failed {
			why = c.text(&scheduler.Error{Diagnostics: e.Diagnostics}, secrets,
				c.kind.tracked.last(of), &scheduler.Observation{Instance: e.Instance})
		}
		if e.Kind == scheduler.Drifted {
			why = driftText(c.kind, e.Drift)
		}
		told := story(e, policies, why)
		c.log(namespace, name, e, told)
		c.kind.Options.Recorder.Event(ref, told)
	}
}

// log writes an event of the scheduler to the log: a line for each operation, when it has ended,
// and for what else has happened.
func (c *connector) log(namespace, name string, e scheduler.Event, told event.Event) {
	values := []any{"object", c.kind.Model.GroupVersionKind().GroupKind().String(), "namespace", namespace, "name", name}
	if e.Kind == scheduler.Succeeded || e.Kind == scheduler.Failed {
		now := time.Now()
		values = append(values, "type", c.kind.Model.Schema.Type, "operation", string(e.Operation), "outcome",
			string(e.Kind), "began", now.Add(-e.Took).UTC().Format(time.RFC3339Nano),
			"took", duration(e.Took), "because", e.Because)
	} else {
		values = append(values, "event", string(e.Kind))
	}
	c.kind.Options.Logger.Info(told.Message, values...)
}

// taintedMessage says why an object is tainted, and what becomes of it.
func taintedMessage(e scheduler.Event, policies desired.Policies) string {
	because, kept := "because its creation failed or was interrupted", ""
	const otherwise = ", until it is untainted or its replacement is allowed"
	inconsistent := !e.Asked && e.Instance.Unsettled != nil && e.Instance.Unsettled.Inconsistent
	switch {
	case e.Asked:
		because = "as asked"
	case inconsistent:
		because = "because it was not created as planned"
	}
	switch {
	case !policies.ReplaceTainted:
		kept = "because of spec.lifecycle.taintPolicy" + otherwise
	case policies.Protected:
		kept = "because of spec.lifecycle.deletionProtection" + otherwise
	case !policies.Replace:
		kept = "because of spec.lifecycle.replacePolicy or spec.managementPolicies" + otherwise
	case inconsistent:
		kept = "since its successor would be the same: change the configuration, request a retry, or untaint it"
	case e.Exhausted:
		kept = "since its creation has failed too often: change the configuration, request a retry, or untaint it"
	default:
		return fmt.Sprintf("The remote object is tainted, %s. It will be destroyed and recreated.", because)
	}
	return fmt.Sprintf("The remote object is tainted, %s. It is kept, %s.", because, kept)
}

// story returns the text of an event of a resource with policies. why is the cause of a failure, or
// what has drifted.
func story(e scheduler.Event, policies desired.Policies, why string) event.Event {
	took := duration(e.Took)
	switch e.Kind {
	case scheduler.Succeeded:
		return succeeded(e, took)
	case scheduler.Failed:
		what := string(e.Operation)
		if e.Operation == instance.Delete && e.Deposed != "" {
			what = "Delete of the replaced object (deposed object " + e.Deposed + ")"
		}
		// Rounded, so that a repeated failure is the same event, with a count.
		after := "at once"
		if e.Took >= time.Second {
			after = "after " + e.Took.Round(time.Second).String()
		}
		return warning(reasonsFailed[e.Operation], fmt.Sprintf("%s failed %s: %s", what, after, why))
	case scheduler.Tainted:
		return warning(reasonTainted, taintedMessage(e, policies))
	case scheduler.Untainted:
		return event.Normal(reasonUntainted, "The remote object is no longer tainted, as requested. It is Partial until it is read.")
	case scheduler.Read:
		return event.Normal(reasonRead, "The remote object was read: it is Full.")
	case scheduler.IdentityChanged:
		return event.Normal(reasonIdentityChanged, fmt.Sprintf("The identity of the remote object changed from %s to %s.",
			translate.CanonicalIdentity(e.From), translate.CanonicalIdentity(e.To)))
	case scheduler.Contradicted:
		return warning(reasonContradicted, contradicted(e.Why))
	case scheduler.Approved:
		return event.Normal(reasonApproved, approvedMessage(string(e.Action), e.Hash, e.By))
	case scheduler.Drifted:
		return event.Normal(reasonDrifted, why)
	case scheduler.NotReapplied:
		return warning(reasonNotReapplied, "No argument of the remote object can be set again without replacing it. "+
			"Use landbridge taint to have it replaced.")
	case scheduler.Warned:
		return warning(reasonPolicyWarning, fmt.Sprintf("%s: %s", e.Action, e.Why))
	case scheduler.Imported:
		return event.Normal(reasonImported, "Imported an existing remote object.")
	case scheduler.Left:
		return warning(reasonLeft, e.Why+".")
	case scheduler.TakenOver:
		return event.Normal(reasonTakenOver, fmt.Sprintf("Took the remote object of %s over. Remove that resource.", e.Why))
	case scheduler.Recovered:
		return event.Normal(reasonRecovered, recovered(e))
	default:
		return warning(reasonGone, "The remote object no longer exists: it was destroyed outside of this resource.")
	}
}

func succeeded(e scheduler.Event, took string) event.Event {
	switch {
	case e.Operation == instance.Create && e.Deposed != "":
		return event.Normal(reasonCreated,
			fmt.Sprintf("Created a replacement in %s. The replaced object (deposed object %s) is destroyed next.",
				took, e.Deposed))
	case e.Operation == instance.Create && e.Replacement:
		return event.Normal(reasonReplaced, fmt.Sprintf("Created the replacement of the object destroyed before, in %s.", took))
	case e.Operation == instance.Create:
		return event.Normal(reasonCreated, fmt.Sprintf("Created the remote object in %s.", took))
	case e.Operation == instance.Update:
		return event.Normal(reasonUpdated, fmt.Sprintf("Updated the remote object in %s.", took))
	case e.Deposed != "":
		return event.Normal(reasonReplaced, fmt.Sprintf("Destroyed the replaced object (deposed object %s) in %s.", e.Deposed, took))
	case e.Replacement:
		return event.Normal(reasonDeleted, fmt.Sprintf("Destroyed the remote object in %s. Its replacement is created next.", took))
	default:
		return event.Normal(reasonDeleted, fmt.Sprintf("Destroyed the remote object in %s.", took))
	}
}

func recovered(e scheduler.Event) string {
	switch {
	case e.Operation != instance.Create:
		return fmt.Sprintf("%s was interrupted. Reading the remote object determines its outcome.", e.Operation)
	case e.Repeated:
		return "Create was interrupted. It is repeated with the same create token."
	case e.Found:
		return "Create was interrupted. The remote object that it made was found."
	default:
		return "Create was interrupted before it made an object."
	}
}

// duration formats d with at most two or three significant digits.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}
