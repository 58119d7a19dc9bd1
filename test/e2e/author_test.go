package e2e_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/history"
)

// TestAuthor checks that the change record names the user who has changed the spec, and that no
// user can have it name another one.
func TestAuthor(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "author")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	alice, bob := c.as(t, ns, "alice", "landbridge-edit"), c.as(t, ns, "bob", "landbridge-edit")
	const noted = "landbridge.io/changed-by"
	merge := func(patch string) client.Patch { return client.RawPatch("application/merge-patch+json", []byte(patch)) }
	spec := func(value string) client.Patch { return merge(`{"spec":{"forProvider":{"value":"` + value + `"}}}`) }
	name := func(text string) client.Patch {
		return merge(`{"metadata":{"annotations":{"` + noted + `":` + text + `}}}`)
	}

	r := d.thing(ns, "r", m{"value": "a"})
	eventually(t, "the API server notes who changes specs", func(ctx context.Context) bool {
		u := d.thing(ns, "probe", m{"value": "a"})
		return alice.Create(ctx, u, client.DryRunAll) == nil && u.GetAnnotations()[noted] != ""
	})
	// change makes a change as a user, and returns what is noted then.
	change := func(who client.Client, p client.Patch) string {
		t.Helper()
		u := r.DeepCopy()
		if err := who.Patch(t.Context(), u, p, client.FieldOwner("test tool")); err != nil {
			t.Fatal(err)
		}
		return u.GetAnnotations()[noted]
	}
	r.SetAnnotations(map[string]string{noted: "1 test bob"})
	if err := alice.Create(t.Context(), r, client.FieldOwner("creator")); err != nil {
		t.Fatal(err)
	}
	c.WaitReady(t, r)
	got := []string{
		r.GetAnnotations()[noted],
		change(bob, spec("b")),
		change(alice, name(`"2 test-tool alice"`)),
		change(alice, name("null")),
	}
	c.has(t, d, "thing", "r", "value", "b")
	c.WaitFor(t, r, "b is stored", func() bool { return text(r, "status", "atProvider", "value") == "b" })
	if diff := cmp.Diff([]string{"1 creator alice", "2 test-tool bob", "2 test-tool bob", "2 test-tool bob"}, got); diff != "" {
		t.Errorf("what the API server has noted (-want, +got):\n%s", diff)
	}
	out, errOut, ok := runCommand(t, "history", "thing.author.landbridge.io/r", "-n", ns, "-o", "json")
	var list struct {
		Resources []state.History `json:"resources"`
	}
	if err := json.Unmarshal([]byte(out), &list); !ok || err != nil || len(list.Resources) != 1 {
		t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	var authors []history.Author
	for _, e := range list.Resources[0].Entries {
		authors = append(authors, e.Author)
	}
	if diff := cmp.Diff([]history.Author{{ChangedBy: "alice", FieldManager: "creator"},
		{ChangedBy: "bob", FieldManager: "test-tool"}}, authors); diff != "" {
		t.Errorf("authors in the change record (-want, +got):\n%s", diff)
	}
	if out, _, ok := runCommand(t, "history", "-n", ns, "--by", "bob", "-o", "wide"); !ok ||
		!strings.Contains(out, "bob with test-tool") || strings.Contains(out, "alice") {
		t.Errorf("what bob has changed:\n%s", out)
	}

	// Without a policy that notes it, users can name themselves for what they change, and no
	// others.
	query := func(author string) *unstructured.Unstructured {
		u := resource("landbridge.io/v1alpha1", "ResourceQuery", ns, "q",
			m{"resourceType": "author_thing", "terraformProvider": "author", "suspend": true})
		u.SetAnnotations(map[string]string{noted: author})
		return u
	}
	for author, permitted := range map[string]bool{"1 tool alice": true, "1 tool bob": false, "2 tool alice": false,
		"1 other alice": false, "alice": false} {
		err := alice.Create(t.Context(), query(author), client.DryRunAll, client.FieldOwner("tool"))
		if refused := err != nil && strings.Contains(err.Error(), noted); refused == permitted || permitted && err != nil {
			t.Errorf("alice notes %q: %v", author, err)
		}
	}
	if err := c.Create(t.Context(), query("7 tool bob"), client.DryRunAll); err != nil {
		t.Errorf("a user who may impersonate others restores a resource: %v", err)
	}
}
