package chaos

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// confirm matches a message that asks for the annotation.
var confirm = regexp.MustCompile(`annotation ` + regexp.QuoteMeta(v1alpha1.AnnotationConfirmCreate) + ` to \\?"([0-9a-f-]+)`)

// attend acts as a user whose resource reports that a create's outcome is unknown or that an object
// cannot be looked up: it looks for the object and sets the annotations. If creates have failed too
// often, it requests a retry. It ignores all other messages.
func (w *world) attend(ctx context.Context) {
	for ctx.Err() == nil {
		// A suspended controller may still create an object, which cannot be known.
		if w.suspended.Load() {
			pause(ctx, 100*time.Millisecond)
			continue
		}
		w.mu.Lock()
		all := slices.Concat(w.slots, w.others)
		w.mu.Unlock()
		for _, s := range all {
			if u := s.seen(); u != nil {
				s.attend(ctx, u)
			}
		}
		w.attendEstates(ctx)
		pause(ctx, 300*time.Millisecond)
	}
}

func (s *slot) attend(ctx context.Context, u *unstructured.Unstructured) {
	status, reason, message, generation := condition(u, "Synced")
	if status != "False" || generation != u.GetGeneration() {
		return // it has not been reconciled since the last annotation
	}
	if reason == string(v1alpha1.ReasonCreateAttemptsExhausted) {
		// A request that was not handled yet is not repeated.
		if u.GetAnnotations()[v1alpha1.AnnotationRetry] == at(u, "status", "lastHandled", "retry") {
			if err := s.annotate(ctx, v1alpha1.AnnotationRetry, randomText()); err == nil {
				s.note("%s: the user is told %s, and retries", s.label, reason)
			}
		}
		return
	}
	operation := confirm.FindStringSubmatch(message)
	exists := reason == string(v1alpha1.ReasonAlreadyExists) && s.kind.name == "Alias"
	// The annotated object cannot be looked up, for example because the importer fails with its own
	// message.
	unknown := strings.Contains(message, "If there is none, remove the annotations") && u.GetAnnotations()["crossplane.io/external-name"] != ""
	switch {
	case operation == nil && !exists && !unknown:
		return
	case operation != nil && u.GetAnnotations()[v1alpha1.AnnotationConfirmCreate] == operation[1]:
		return // it was confirmed
	case exists && at(u, "spec", "import") != "":
		return
	}
	// The user looks when no operation is in progress and the cloud is available.
	under, err := s.cloud.creating(ctx)
	if err != nil {
		return
	}
	for _, t := range under {
		if t.Collection == s.kind.collection {
			return
		}
	}
	all, err := s.objects(ctx)
	if err != nil {
		return
	}
	var left []object
	for _, o := range all {
		if !s.replaced(u, o) {
			left = append(left, o)
		}
	}
	patch := func(what string, p m) {
		_, err := s.client.Resource(gvr(s.form, s.kind)).Namespace(s.namespace).
			Patch(ctx, s.name, types.MergePatchType, encode(p), metav1.PatchOptions{})
		if err != nil {
			s.note("%s: the user cannot say %q: %v", s.label, what, err)
			return
		}
		s.note("%s: the user is told %s, and says: %s", s.label, reason, what)
		s.world.mu.Lock()
		s.resolved[s.kind.name+": "+what]++
		s.world.mu.Unlock()
	}
	confirmed := func(what string) {
		patch(what, m{"metadata": m{"annotations": m{v1alpha1.AnnotationConfirmCreate: operation[1]}}})
	}
	switch {
	case s.kind.module && operation != nil:
		s.attendModule(ctx, message, left, confirmed)
	case exists && operation == nil && len(left) == 1:
		patch("import it", m{"spec": m{"import": m{"id": s.kind.importID(left[0])}}})
	case operation == nil && unknown && len(left) == 0:
		patch("the annotations name nothing", m{
			"metadata": m{"annotations": m{"crossplane.io/external-name": nil, v1alpha1.AnnotationIdentity: nil}},
		})
	case operation == nil:
	case len(left) == 0:
		confirmed("there is no object")
	case len(left) == 1 && u.GetDeletionTimestamp() == nil && at(u, "spec", "import") == "":
		patch("import it", m{"spec": m{"import": m{"id": s.kind.importID(left[0])}}})
	default:
		// A user who deletes the resource, or has set an import before, removes the object.
		for _, o := range left {
			s.destroyed.Store(true)
			if err := s.cloud.remove(ctx, s.kind.collection, o.text("id")); err != nil {
				return
			}
		}
		confirmed("I removed it")
	}
}

// attendEstates gives resources that are being deleted another provider configuration if theirs has
// lost its credentials.
func (w *world) attendEstates(ctx context.Context) {
	for r, store := range w.stores {
		for _, x := range store.List() {
			u := x.(*unstructured.Unstructured)
			status, _, message, _ := condition(u, "Synced")
			if u.GetNamespace() == namespace || u.GetDeletionTimestamp() == nil || status != "False" ||
				!strings.Contains(message, "there is no Secret token in namespace") ||
				at(u, "spec", "providerConfigRef", "kind") != "ProviderConfig" {
				continue
			}
			patch := m{"spec": m{"providerConfigRef": m{"kind": "ClusterProviderConfig", "name": "default"}}}
			if _, err := w.client.Resource(r).Namespace(u.GetNamespace()).
				Patch(ctx, u.GetName(), types.MergePatchType, encode(patch), metav1.PatchOptions{}); err == nil {
				w.mu.Lock()
				w.resolved["credentials gone: take others"]++
				w.mu.Unlock()
			}
		}
	}
}

// replaced reports whether an object is the one that a create should replace.
func (s *slot) replaced(u *unstructured.Unstructured, o object) bool {
	if !s.createFirst {
		return false
	}
	id := o.text("id")
	return u.GetAnnotations()["crossplane.io/external-name"] == id || strings.Contains(at(u, "status", "deposed"), id)
}
