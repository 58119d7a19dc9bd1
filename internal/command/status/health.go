package status

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Health is how an object is doing, in one word.
type Health string

// The values of Health, from the best to the worst.
const (
	// Ready: it is as declared, and can be used.
	Ready Health = "Ready"
	// Paused: it is not reconciled, by request.
	Paused Health = "Paused"
	// Changing: an operation runs, or the next one is about to begin.
	Changing Health = "Changing"
	// Unseen: the controller has not looked at it, or not since its spec was changed.
	Unseen Health = "Unseen"
	// Waiting: another object has to exist first, or a decision is needed.
	Waiting Health = "Waiting"
	// Retrying: something failed, and is tried again.
	Retrying Health = "Retrying"
	// Failed: nothing happens until something is changed.
	Failed Health = "Failed"
)

// waits are the reasons with which another object has to exist first, or a decision is needed.
var waits = map[string]bool{
	"AwaitingApproval": true, "PlanChanged": true, "DeniedByPolicy": true, "OperationsPaused": true,
	"DestroyBrake": true, "DestroyDelayed": true, "Deferred": true, "AwaitingDependents": true,
	"AwaitingAction": true, "AwaitingReplacement": true,
	"ReferenceNotResolved": true, "StillReferredTo": true, "ProviderConfigError": true, "ProviderMissing": true,
}

// begins are the reasons of kinds that are being served for the first time.
var begins = map[string]bool{"Installing": true, "Downloading": true, "Progressing": true, "Creating": true}

// healthOf returns the health of an object, given the row that is otherwise complete.
func (r Row) healthOf(u *unstructured.Unstructured, conditions map[string]condition) Health {
	synced, ready := conditions["Synced"], conditions["Ready"]
	// A paused resource that was never reconciled has no Ready.
	switch {
	case r.Paused:
		return Paused
	case r.Operation != nil:
		return Changing
	case unseen(u, conditions):
		return Unseen
	case conditions["Stalled"].status == "True":
		return Failed
	case waits[synced.reason] && synced.status == "False", synced.status != "False" && waits[ready.reason] && ready.status == "False":
		return Waiting
	case secretMissing(synced):
		return Waiting
	case synced.status == "False":
		return Retrying
	case r.Deleting:
		return Changing
	case ready.status == "True" && len(r.Deposed) == 0:
		return Ready
	case ready.status != "True" && conditions["LastAsyncOperation"].status == "False":
		return Retrying
	case ready.status == "True", begins[ready.reason], conditions["Reconciling"].reason == "Progressing":
		return Changing
	case synced.status == "True":
		return Changing
	default:
		return Retrying
	}
}

// secretMissing reports whether a resource is invalid only because a Secret does not exist yet.
func secretMissing(synced condition) bool {
	return synced.status == "False" && synced.reason == "InvalidConfiguration" && strings.Contains(synced.message, "there is no Secret ")
}

// unseen reports whether the status is of no generation of the object, or of an earlier one.
func unseen(u *unstructured.Unstructured, conditions map[string]condition) bool {
	if ready := conditions["Ready"]; u.GetDeletionTimestamp() != nil && ready.reason == "Deleting" {
		return false // the deletion has made another generation
	}
	observed, ok, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return len(conditions) == 0 || ok && observed < u.GetGeneration()
}
