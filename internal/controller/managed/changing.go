package managed

import (
	"context"
	"errors"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// An operation on an object that began before a resource was known does not await that resource,
// though it may replace the object to which the resource refers; one that begins later does. So a
// resource without an object waits until such an operation has ended, and until the status of the
// other one, from which the references are resolved, shows what it has left.

// unresolved returns a copy of a resource without an object, before its references are resolved;
// nil of one that has an object.
func (r *CustomResource) unresolved() *unstructured.Unstructured {
	if hadObject(r) {
		return nil
	}
	return r.Unstructured.DeepCopy()
}

// changing returns the targets whose objects an operation changes, or has changed without their
// status showing it. before is the resource before its references were resolved; nil if it has an
// object, and waits for none.
func (f referrer) changing(
	ctx context.Context, r *CustomResource, before *unstructured.Unstructured, targets []store.Key,
) (out []store.Key, _ error) {
	if before == nil {
		return nil, nil
	}
	recorded := map[store.Key]*unstructured.Unstructured{}
	for _, of := range targets {
		k := f.kind.Neighbours.Kind(schema.GroupKind{Group: of.Group, Kind: of.Kind})
		if k == nil {
			continue
		}
		u, err := k.target(ctx, of, false)
		in, keeps := k.Scheduler.ObjectOf(of)
		if err == nil && keeps && u != nil && !k.resolvesHere(u) {
			in, keeps, err = k.objectElsewhere(ctx, of)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("it is not known yet whether an operation changes the object of %s: %w", f.kind.called(r, of), err)
		case !keeps:
			out = append(out, of)
		case u != nil && in.Exists() && len(in.RawState) == 0:
			recorded[of] = k.recorded(u, in)
		}
	}
	if len(out) > 0 || len(recorded) == 0 || f.resolvesAlike(ctx, r, before, recorded) {
		return out, nil
	}
	for _, of := range targets {
		if recorded[of] != nil {
			out = append(out, of)
		}
	}
	return out, nil
}

// objectElsewhere returns the object of a resource of another shard as it is recorded. keeps is
// false while an operation changes it, or if there is none: an intent is stored before an operation
// begins.
func (k *Kind) objectElsewhere(ctx context.Context, of store.Key) (in instance.Instance, keeps bool, _ error) {
	if k.Options.Stored == nil {
		return in, true, nil
	}
	rec, err := k.Options.Stored(ctx, of, k.Model.Schema)
	if errors.Is(err, store.ErrNotFound) {
		return in, false, nil // it has no object any more
	}
	return rec.Instance, err == nil && rec.Instance.Operation == nil && rec.Instance.Exists(), err
}

// recorded returns a resource whose status and external name show its object as it is recorded.
func (k *Kind) recorded(u *unstructured.Unstructured, in instance.Instance) *unstructured.Unstructured {
	out := u.DeepCopy()
	at := translate.Observation(k.Model, in.State, translate.Concealed(k.Model, in.SensitivePaths)...)
	FitObject(at, MaxAtProvider)
	status, _ := out.Object["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
		out.Object["status"] = status
	}
	status["atProvider"] = at
	if in.HasIdentity() {
		status["identity"] = translate.Identity(k.Model, in.Identity)
	}
	if name := translate.ExternalName(k.Model, in.State, in.Identity); name != "" && k.Model.Settings.Argument == nil {
		meta.SetExternalName(out, name)
	}
	return out
}

// resolvesAlike reports whether the references of a resource have the values that they have of its
// targets as they are recorded.
func (f referrer) resolvesAlike(
	ctx context.Context, r *CustomResource, before *unstructured.Unstructured,
	recorded map[store.Key]*unstructured.Unstructured,
) bool {
	resolver := references.Resolver{
		Reader: overlay{f.kind.reader, recorded}, Served: f.kind.Neighbours.Served, Call: f.kind.caller(r),
		Lacks: f.kind.Neighbours.Lacks, Wrote: f.kind.wrote(r),
	}
	_, err := resolver.ResolveAll(ctx, before, f.kind.Model)
	return err == nil && equality.Semantic.DeepEqual(before.Object["spec"], r.Object["spec"])
}

// waitsFor is the error of a resource whose targets are being changed.
func (f referrer) waitsFor(r *CustomResource, changing []store.Key) error {
	names := make([]string, len(changing))
	for i, of := range changing {
		names[i] = f.kind.called(r, of)
	}
	return fmt.Errorf(waitsForOthers+"an operation changes the object of %s, or its status does not show yet what one has left", listed(names))
}
