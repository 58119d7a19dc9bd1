package managed

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// lookAtRest looks at a resource at rest, of which nothing is known but its name and its status. It
// reports whether it still is at rest. Otherwise found is a look that failed, if any.
func (k *Kind) lookAtRest(ctx context.Context, of subject, s writtenStatus) (found look, unchanged bool) {
	ref := s.rested.Value().reference()
	ctx, cancel := context.WithTimeout(ctx, k.Options.Timeout)
	defer cancel()
	handle := k.ProviderConfigs.Resolve(ctx, ref, of.name.Namespace)
	if handle.Diagnostics.HasErrors() {
		return look{}, false
	}
	at := scheduler.Look{Key: k.keyOf(of.name), UID: of.uid, Type: terraform.ResourceType{Schema: k.Model.Schema}, Handles: k.handles}
	through(&at.Access, handle)
	if k.Options.Shards != nil {
		use := shard.Use{Configurations: k.namesOf(ref, nil, of.name.Namespace), Types: []string{k.objectType()}}
		if k.mayUse(ctx, use, at.Access).HasErrors() {
			return look{}, false
		}
	}
	err := k.Scheduler.Look(ctx, at)
	if err == nil {
		k.tracked.over(of.name)
		return look{}, true
	}
	if known := k.tracked.get(of).configuration; known != nil && !errors.Is(err, scheduler.ErrNotAtRest) {
		found = look{of: of, version: s.version, configHash: known.hash, err: err}
	}
	return found, false
}

// lookSteady looks at a resource that was steady when its status was written, by this process or an
// earlier one that has left its mark. It reports whether it still is, and when to look again: then
// the loop would do nothing more. Most looks are at unchanged resources, and the loop costs more
// than all other work of the controller for them. cached is the resource as the cache has it, and
// events the number of events before it was read.
func (r *Reconciler) lookSteady(
	ctx context.Context, cached *unstructured.Unstructured, events uint64,
) (found look, again time.Duration, unchanged bool) {
	k, of := r.kind, subjectOf(cached)
	newest := k.tracked.newer(of.name, cached)
	before := k.tracked.get(of).status
	resumes := before.observation == nil && k.Options.Marked != nil
	if !resumes && (before.version != newest.GetResourceVersion() || !before.observation.Steady()) {
		return look{}, 0, false
	}
	mg := &CustomResource{}
	mg.lend(newest)
	if !reconciled(mg) || published(mg) {
		return look{}, 0, false
	}
	refs, err := references.Of(newest, k.Model)
	refers := err != nil || len(refs) > 0
	if refers {
		mg.assign(newest) // what they refer to is set in it
	}
	ctx, cancel := context.WithTimeout(ctx, k.Options.Timeout)
	defer cancel()
	if changed, err := r.referrer.resolve(ctx, mg); changed || err != nil || mg.differsOtherwise() || mg.awaitsReplacement() {
		return look{}, 0, false
	}
	e, diags := r.connector.external(ctx, mg)
	if diags.HasErrors() {
		return look{}, 0, false
	}
	e.request.Resting = before.observation == scheduler.Rested
	found = k.look(ctx, of, mg.GetResourceVersion(), e.request)
	if o := found.observation; found.err != nil || o != before.observation && !(resumes && o.Resumed) {
		return found, 0, false
	}
	k.rest(of, mg.GetResourceVersion(), found.observation, e.request)
	if e.request.Resting && !refers {
		k.noteRest(mg, before.version, events)
	}
	return found, k.poll(mg), true
}
