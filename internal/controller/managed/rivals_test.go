package managed_test

import (
	"context"
	"errors"
	"testing"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// seeking is a scheduler that knows the objects of a resource, and records which resources are
// claimed.
type seeking struct {
	scheduler.Interface
	sought scheduler.Sought
	known  bool
	fails  error
	done   *[]string
}

func (s seeking) Sought(scheduler.Request) (scheduler.Sought, bool) { return s.sought, s.known }

func (s seeking) Claim(_ context.Context, r scheduler.Request) error {
	*s.done = append(*s.done, r.Key.Name)
	return s.fails
}

// claimable is an API server whose resources all exist, except for the one named gone.
type claimable struct{ client.Client }

func (claimable) Get(_ context.Context, name client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if name.Name == "gone" {
		return kerrors.NewNotFound(runtimeschema.GroupResource{}, name.Name)
	}
	o.SetNamespace(name.Namespace)
	o.SetName(name.Name)
	o.SetFinalizers([]string{xpmanaged.FinalizerName})
	return nil
}

// Before all objects of a kind are claimed, something is written for a resource if those are
// claimed that may have its object.
func TestMayWrite(t *testing.T) {
	t.Parallel()
	an := scheduler.Sought{By: "1", Objects: []string{"a"}}
	for name, test := range map[string]struct {
		sought  scheduler.Sought
		unknown bool
		rivals  []string
		many    bool
		failed  error // to list
		fails   error // to claim
		claimed bool
		modules bool // that are not claimed
		without bool
		want    bool
		done    []string
	}{
		"all are claimed":                 {unknown: true, claimed: true, want: true},
		"those of modules are not":        {unknown: true, claimed: true, modules: true},
		"no other but modules":            {sought: an, rivals: []string{"own"}, modules: true},
		"its objects are not known":       {unknown: true},
		"others may have its objects":     {want: true},
		"no other":                        {sought: an, rivals: []string{"own"}, want: true},
		"another":                         {sought: an, rivals: []string{"own", "other"}, want: true, done: []string{"other"}},
		"another, which is gone":          {sought: an, rivals: []string{"gone", "other"}, want: true, done: []string{"other"}},
		"another, which cannot be loaded": {sought: an, rivals: []string{"other", "more"}, fails: errors.New("no"), done: []string{"other"}},
		"too many":                        {sought: an, rivals: []string{"other"}, many: true},
		"the list fails":                  {sought: an, failed: errors.New("no")},
		"records do not tell":             {sought: an, without: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var done []string
			k := things()
			r := managed.NewReconciler(k, claimable{}, claimable{})
			k.ProviderConfigs, k.Options.Logger, k.Neighbours = unconfigured{}, logr.Discard(), alone{unclaimedModules: test.modules}
			k.Scheduler = seeking{sought: test.sought, known: !test.unknown, fails: test.fails, done: &done}
			own := store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: "team", Name: "own"}
			if !test.without {
				k.Options.Naming = func(
					_ context.Context, kind runtimeschema.GroupKind, of scheduler.Sought, most int,
				) (keys []store.Key, few bool, _ error) {
					if diff := cmp.Diff(test.sought, of); diff != "" || kind != k.Model.GroupVersionKind().GroupKind() || most < 2 {
						t.Errorf("asked for %d of %s (-want +got):\n%s", most, kind, diff)
					}
					for _, name := range test.rivals {
						key := own
						key.Name = name
						keys = append(keys, key)
					}
					return keys, !test.many, test.failed
				}
			}
			if test.claimed {
				r.Claimed()
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // nothing is awaited
			if err := managed.MayWrite(ctx, k, scheduler.Request{Resource: scheduler.Resource{Key: own}}); (err == nil) != test.want {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(test.done, done); diff != "" {
				t.Errorf("claimed (-want +got):\n%s", diff)
			}
		})
	}
}

// With many changes at once, all objects are claimed sooner than the rivals of each are found.
func TestManyRivalsAreNotSought(t *testing.T) {
	t.Parallel()
	k := things()
	managed.NewReconciler(k, claimable{}, claimable{})
	k.Scheduler, k.Neighbours = seeking{sought: scheduler.Sought{By: "1", Objects: []string{"a"}}, known: true}, alone{}
	asked := 0
	k.Options.Naming = func(context.Context, runtimeschema.GroupKind, scheduler.Sought, int) ([]store.Key, bool, error) {
		asked++
		return nil, true, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	const changes = 1000
	for range changes {
		_ = managed.MayWrite(ctx, k, scheduler.Request{})
	}
	if asked == 0 || asked > changes/5 {
		t.Errorf("%d requests for %d changes", asked, changes)
	}
}
