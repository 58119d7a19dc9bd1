package managed_test

import (
	"context"
	"errors"
	"testing"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// remembering is a scheduler that knows something of a resource, and records that it has forgotten
// it.
type remembering struct {
	scheduler.Interface
	known  *scheduler.Remembered
	failed error
	done   *[]string
}

func (s remembering) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	if s.known == nil {
		return scheduler.Remembered{}, false
	}
	return *s.known, true
}

func (s remembering) Retire(context.Context, scheduler.Request) error {
	*s.done = append(*s.done, "retire")
	return s.failed
}

func (s remembering) Forget(context.Context, scheduler.Request) error {
	*s.done = append(*s.done, "forget")
	return s.failed
}

// releasing is a client that records that the last finalizer was removed.
type releasing struct {
	client.Client
	done *[]string
}

func (c releasing) Update(_ context.Context, o client.Object, _ ...client.UpdateOption) error {
	if len(o.GetFinalizers()) == 0 {
		*c.done = append(*c.done, "release")
	}
	return nil
}

// What is stored of a resource is removed last only if it records that there is no object.
// Otherwise nothing would remove it after a crash between the two.
func TestRemoveFinalizer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		known  *scheduler.Remembered
		failed error
		want   []string
		// fails is set when the resource is not released yet.
		fails bool
	}{
		"nothing is known":   {want: []string{"forget", "release"}},
		"no object":          {known: &scheduler.Remembered{}, want: []string{"retire", "release", "forget"}},
		"no object, failing": {known: &scheduler.Remembered{}, failed: errors.New("no"), want: []string{"retire"}, fails: true},
		"an object":          {known: &scheduler.Remembered{Status: instance.Full}, want: []string{"forget", "release"}},
		"an object, failing": {
			known: &scheduler.Remembered{Status: instance.Full}, failed: errors.New("no"),
			want: []string{"forget"}, fails: true,
		},
		"a deposed object":      {known: &scheduler.Remembered{Deposed: []instance.Deposed{{Key: "1"}}}, want: []string{"forget", "release"}},
		"an interrupted create": {known: &scheduler.Remembered{Interrupted: true}, want: []string{"forget", "release"}},
		"an interrupted create, failing": {
			known: &scheduler.Remembered{Interrupted: true}, failed: errors.New("no"), want: []string{"forget"}, fails: true,
		},
		"an operation runs": {known: &scheduler.Remembered{Running: true}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var done []string
			k := kind(t)
			k.ProviderConfigs, k.Options.Logger = unconfigured{}, logr.Discard()
			k.Scheduler = remembering{known: test.known, failed: test.failed, done: &done}
			r := managed.ResourceOf(&unstructured.Unstructured{Object: m{
				"metadata": m{
					"name": "x", "namespace": "team", "deletionTimestamp": "2026-01-01T00:00:00Z",
					"finalizers": []any{xpmanaged.FinalizerName},
				},
			}})
			err := managed.RemoveFinalizer(t.Context(), k, releasing{done: &done}, r)
			if (err != nil) != test.fails {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(test.want, done); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
