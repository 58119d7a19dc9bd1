package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestStories checks that a resource's events report everything that happened to it, and nothing
// else.
func TestStories(t *testing.T) {
	c := shared(t)
	// steady waits for a few more reconciles, so that superfluous events would appear.
	steady := func(t *testing.T, d *double, u *unstructured.Unstructured) {
		t.Helper()
		read := "read " + strings.ToLower(u.GetKind())
		n := d.Calls(read)
		eventually(t, "it is looked at again", func(context.Context) bool { return d.Calls(read) >= n+2 })
	}
	type story struct {
		name string
		// happens is what happens to a resource called r, whose object is called r, too.
		happens func(t *testing.T, d *double, r *unstructured.Unstructured)
		place   bool // a Place, which has an identity
		want    []string
	}
	for _, s := range []story{
		{
			name: "created, updated, deleted",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
				c.has(t, d, "thing", "r", "value", "b")
				c.WaitReady(t, r)
				steady(t, d, r)
				c.Remove(t, r)
			},
			want: []string{
				"CreatedExternalResource: Created the remote object in ",
				"UpdatedExternalResource: Updated the remote object in ",
				"DeletedExternalResource: Destroyed the remote object in ",
			},
		},
		{
			name: "failed",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				d.Order(t, "r", "fail")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				steady(t, d, r)
			},
			want: []string{
				"CannotCreateExternalResource: Create failed ",
				"CreatedExternalResource: Created the remote object in ",
			},
		},
		{
			name: "half created",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				d.Order(t, "r", "half")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
			},
			want: []string{
				"CannotCreateExternalResource: Create failed ",
				"Tainted: The remote object is tainted, because its creation failed or was interrupted. It will be destroyed and recreated.",
				"DeletedExternalResource: Destroyed the remote object in ",
				"ReplacedExternalResource: Created the replacement of the object destroyed before, in ",
			},
		},
		{
			name: "tainted and untainted",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				set(t, r, "Keep", "spec", "lifecycle", "taintPolicy")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/taint":"1"}}}`)
				c.WaitFalse(t, r, "Synced", "ReplaceRefused")
				steady(t, d, r)
				c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/untaint":"1"}}}`)
				c.WaitReady(t, r)
			},
			want: []string{
				"CreatedExternalResource: ",
				"Tainted: The remote object is tainted, as asked. It is kept, because of spec.lifecycle.taintPolicy,",
				"CannotUpdateExternalResource: ",
				"Untainted: The remote object is no longer tainted, as requested.",
				"ReadExternalResource: ",
			},
		},
		{
			name: "replaced",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"other"}}}`)
				eventually(t, "the new object is there", func(context.Context) bool { _, ok := d.Object("thing", "other"); return ok })
				c.WaitReady(t, r)
			},
			want: []string{
				"CreatedExternalResource: ",
				"DeletedExternalResource: Destroyed the remote object in ",
				"ReplacedExternalResource: ",
			},
		},
		{
			name: "replaced, created first",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				set(t, r, true, "spec", "lifecycle", "createBeforeDestroy")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"other"}}}`)
				eventually(t, "the old object is gone", func(context.Context) bool { _, ok := d.Object("thing", "r"); return !ok })
				c.WaitReady(t, r)
			},
			want: []string{
				"CreatedExternalResource: Created the remote object in ",
				"CreatedExternalResource: Created a replacement in ",
				"ReplacedExternalResource: Destroyed the replaced object (deposed object ",
			},
		},
		{
			name: "imported",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				d.Put(t, "thing", remote{Attributes: map[string]string{"name": "r", "id": "thing-1", "token": "t", "value": "a"}})
				set(t, r, "thing-1", "spec", "import", "id")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
			},
			want: []string{"ImportedExternalResource: "},
		},
		{
			name: "refused",
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				set(t, r, "invalid", "spec", "forProvider", "value")
				c.MustCreate(t, r)
				c.WaitFalse(t, r, "Synced", "InvalidConfiguration", "Say something else")
				c.tells(t, r, "CannotObserveExternalResource: ") // reported after a while
				c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"a"}}}`)
				c.WaitReady(t, r)
			},
			want: []string{"CannotObserveExternalResource: ", "CreatedExternalResource: "},
		},
		{
			name: "gone", happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				c.MustCreate(t, r)
				c.WaitReady(t, r)
				d.Order(t, "r", "slow 300ms") // otherwise the message may be the same, which is one event
				if err := os.Remove(filepath.Join(d.Dir, "objects", "thing.r")); err != nil {
					t.Fatal(err)
				}
				eventually(t, "it is made again", func(context.Context) bool { _, ok := d.Object("thing", "r"); return ok })
				c.WaitReady(t, r)
			},
			want: []string{"CreatedExternalResource: ", "ExternalResourceGone: ", "CreatedExternalResource: "},
		},
		{
			name: "recovered, made", place: true,
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				d.Order(t, "r", "crash-after")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
			},
			want: []string{
				"CannotCreateExternalResource: Create failed ",
				"RecoveredExternalResource: Create was interrupted. The remote object that it made was found.",
				"Tainted: ",
				"DeletedExternalResource: ",
				"ReplacedExternalResource: ",
			},
		},
		{
			name: "recovered, not made", place: true,
			happens: func(t *testing.T, d *double, r *unstructured.Unstructured) {
				d.Order(t, "r", "crash-before")
				c.MustCreate(t, r)
				c.WaitReady(t, r)
			},
			want: []string{
				"CannotCreateExternalResource: Create failed ",
				"RecoveredExternalResource: Create was interrupted before it made an object.",
				"CreatedExternalResource: ",
			},
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			ns := c.Namespace(t)
			// A crash ends all calls of the process: each subtest has its own provider.
			d := newDouble(t, "story"+strings.NewReplacer(" ", "", ",", "").Replace(s.name))
			c.install(t, d.provider())
			r := d.thing(ns, "r", m{"value": "a"})
			if s.place {
				r = d.place(ns, "r", m{"value": "a"})
			}
			s.happens(t, d, r)
			var got []string
			eventually(t, "the events are written", func(context.Context) bool {
				got = c.events(t, r)
				return len(got) >= len(s.want)
			})
			for i, e := range got {
				if i >= len(s.want) || !strings.HasPrefix(e, s.want[i]) {
					t.Errorf("the story is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(s.want, "\n"))
					break
				}
			}
		})
	}
}
