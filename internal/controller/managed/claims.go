package managed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"runtime"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// claimAll claims the remote objects of all resources of the kind from the stored instances, as soon as listed returns: then
// the controller has heard of all of them, and knows their references. No remote object is changed before: a resource that is
// reconciled first must not change an object that belongs to a later one. Instances stay loaded.
func (r *Reconciler) claimAll(ctx context.Context, listed func(context.Context) error) {
	k := r.kind
	err := listed(ctx)
	if ctx.Err() != nil {
		return // the kind is stopped
	}
	if err != nil {
		k.Options.Logger.Error(err, "Cannot determine which objects resources manage. They are not changed until the controller is restarted", "kind", k.Model.Kind)
		return
	}
	waiting := map[store.Key]bool{}
	for _, name := range k.tracked.unclaimed() {
		waiting[k.keyOf(name)] = true
	}
	close(k.listed)
	if k.Options.Shards != nil {
		maps.DeleteFunc(waiting, func(key store.Key, _ bool) bool {
			u, err := k.get(ctx, k.reader, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
			return err == nil && !k.ClaimsHere(u)
		})
	}
	postponed := time.AfterFunc(turns.Postponement, k.turns.RecordsListed)
	defer postponed.Stop()
	r.claimListed(ctx, waiting)
	k.turns.RecordsListed()
	var group errgroup.Group
	group.SetLimit(max(1, k.Options.Workers))
	for key := range waiting {
		group.Go(func() error {
			backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 10, Cap: 10 * time.Second}
			return backoff.DelayFunc().Until(ctx, true, false, func(ctx context.Context) (bool, error) {
				err := r.claimCached(ctx, key)
				if err != nil {
					k.Options.Logger.Error(err, "Cannot determine which object a resource manages, trying again", "resource", key)
				}
				return err == nil, nil
			})
		})
	}
	if group.Wait() == nil {
		r.Claimed()
	}
}

// manyRecords is the number of records from which they are listed: one request for a hundred of them costs less than one
// request for each.
const manyRecords = 32

// claimListed claims the objects of resources whose records are found by listing those of the kind. Those that are left in waiting have to
// be loaded one by one.
func (r *Reconciler) claimListed(ctx context.Context, waiting map[store.Key]bool) {
	k := r.kind
	if len(waiting) < manyRecords || k.Options.EachStored == nil {
		return
	}
	err := k.Options.EachStored(ctx, k.Model.GroupVersionKind().GroupKind(), func(keys []store.Key) {
		failed := make([]bool, len(keys))
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, key := range keys {
			if waiting[key] {
				group.Go(func() error {
					failed[i] = r.claimCached(ctx, key) != nil
					return nil
				})
			}
		}
		_ = group.Wait() // failures are counted in failed
		for i, key := range keys {
			if !failed[i] {
				delete(waiting, key)
			}
		}
	})
	if err != nil && ctx.Err() == nil {
		k.Options.Logger.Error(err, "Cannot list the stored instances of a kind, loading them one by one", "kind", k.Model.Kind)
	}
}

// claimCached claims the remote objects of a resource as the cache has it now.
func (r *Reconciler) claimCached(ctx context.Context, key store.Key) error {
	u, err := r.kind.get(ctx, r.kind.reader, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	if kerrors.IsNotFound(err) || err == nil && !r.kind.ClaimsHere(u) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.Claim(ctx, u)
}

// Claim claims the remote objects of a resource from its stored instance. It does nothing if no operation was ever started.
func (r *Reconciler) Claim(ctx context.Context, u *unstructured.Unstructured) error {
	return r.connector.claim(ctx, u)
}

func (c *connector) claim(ctx context.Context, u *unstructured.Unstructured) error {
	if !held(u) {
		return nil
	}
	resource := &CustomResource{}
	resource.lend(u)
	// A request that cannot be carried out still identifies its object.
	spec, _ := c.kind.read(resource)
	request, _ := c.subject(ctx, resource, spec)
	request.New = false // load the record even if the resource looks new
	err := c.kind.Scheduler.Claim(ctx, request)
	if errors.Is(err, store.ErrUnreadable) {
		return nil // no operation can start either until it is repaired
	}
	return err
}

// ClaimsHere reports whether a resource is to be claimed when the controller starts. Others are claimed when their configuration
// becomes one of this shard.
func (k *Kind) ClaimsHere(u *unstructured.Unstructured) bool {
	return k.Options.Shards == nil || k.Options.Shards.Belong(k.use(u)) != Elsewhere
}

// Claimed is called when the remote objects of all resources of the kind are claimed. Until then, none is
// changed.
func (r *Reconciler) Claimed() { close(r.kind.claimed) }

// isClaimed reports whether the remote objects of all resources of the kind are claimed.
func (k *Kind) isClaimed() bool { return isClosed(k.claimed) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// mayImport reports whether the remote objects of all resources of all kinds are claimed. A resource of the kind of a
// module can have objects of any type.
func (k *Kind) mayImport() bool {
	select {
	case <-k.Neighbours.Claimed():
		return k.isClaimed() && (k.Options.Shards == nil || k.Options.Shards.Settled())
	default:
		return false
	}
}

// awaited waits until a channel is closed, and reports whether it is. If ctx is done, it does not wait.
func awaited(ctx context.Context, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true // even if ctx is done, too
	default:
	}
	select {
	case <-closed:
		return true
	case <-ctx.Done():
		return false
	}
}

// Exists reports whether there is a resource of the kind with the key and UID. The cache may still
// have a deleted resource, so only its absence there is conclusive; else the API server decides. It returns
// an error if the API server does not answer.
func (k *Kind) Exists(ctx context.Context, key store.Key, uid types.UID) (bool, error) {
	for _, reader := range []client.Reader{k.reader, k.live} {
		u, err := k.get(ctx, reader, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
		switch {
		case kerrors.IsNotFound(err), err == nil && u.GetUID() != uid:
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}

// handlesOf returns the handles of objects that the configuration of a kind adds.
func handlesOf(m *model.Resource) *scheduler.Handles {
	out := &scheduler.Handles{}
	if len(m.Settings.Identity) > 0 {
		out.Identity = func(object cty.Value) map[string]cty.Value { return translate.MappedIdentity(m, object) }
	}
	return out
}

// listArguments returns the arguments with which the objects of a kind are listed; nil if interrupted creates are not
// recovered by listing.
func listArguments(m *model.Resource) func(cty.Value) (map[string]cty.Value, string) {
	if m.Settings.ListArguments == nil {
		return nil
	}
	return func(planned cty.Value) (map[string]cty.Value, string) {
		return translate.ListArguments(m, m.Settings.ListArguments, planned)
	}
}

// listRefresh returns how an unchanged object is looked at by listing; nil if it is read.
func (k *Kind) listRefresh(r *CustomResource) *scheduler.ListRefresh {
	s := k.Model.Settings.ListRefresh
	if s == nil {
		return nil
	}
	return &scheduler.ListRefresh{
		Arguments: func(state cty.Value) (map[string]cty.Value, string) {
			return translate.ListArguments(k.Model, s.Arguments, state)
		},
		ReadEvery: s.ReadEvery, Interval: k.interval(ownInterval(r)),
	}
}

// spellImport returns a function that formats the spec.import of an object as JSON, which is also YAML.
func spellImport(k *Kind) func(terraform.ImportTarget) string {
	return func(t terraform.ImportTarget) string {
		spec := map[string]any{"id": t.ID}
		if t.Identity != cty.NilVal {
			spec = map[string]any{"identity": translate.Identity(k.Model, t.Identity)}
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(spec); err != nil {
			return ""
		}
		return string(bytes.TrimSpace(b.Bytes()))
	}
}
