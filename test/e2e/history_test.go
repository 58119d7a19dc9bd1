package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
)

// TestHistory checks what landbridge history tells of a resource that is created, updated, changed
// outside, approved, deleted and created again under the same name.
func TestHistory(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "history")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	kind := "thing.history.landbridge.io"
	// history returns the record of the resource; nil if there is none.
	history := func(args ...string) *state.History {
		t.Helper()
		out, errOut, ok := runCommand(t, append([]string{"history", kind + "/r", "-n", ns, "-o", "json"}, args...)...)
		var list struct {
			Resources []state.History `json:"resources"`
		}
		if err := json.Unmarshal([]byte(out), &list); !ok || err != nil {
			t.Fatalf("%v\n%s%s", err, out, errOut)
		}
		if len(list.Resources) == 0 {
			return nil
		}
		return &list.Resources[0]
	}
	// tells compares the entries: action, outcome, and the changes of the value.
	tells := func(h *state.History, want ...string) {
		t.Helper()
		got := []string{}
		for _, e := range h.Entries {
			line := fmt.Sprintf("%s %s, %s", e.Action, e.Outcome, e.Because)
			for _, c := range e.Changes {
				if c.Path == "value" {
					line += ": " + c.Text()
				}
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-want, +got:\n%s", diff)
		}
	}

	r := d.thing(ns, "r", m{"value": "a"})
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	first, created := r.GetUID(), time.Now()
	c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
	c.has(t, d, "thing", "r", "value", "b")
	c.WaitFor(t, r, "b is stored", func() bool { return text(r, "status", "atProvider", "value") == "b" })
	o, _ := d.Object("thing", "r")
	o.Attributes["value"] = "outside"
	d.Put(t, "thing", o)
	c.has(t, d, "thing", "r", "value", "b")
	c.WaitReady(t, r)
	c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"c"},"lifecycle":{"approvalPolicy":"Always"}}}`)
	c.WaitFor(t, r, "the plan waits", func() bool { return text(r, "status", "plan", "hash") != "" })
	eventually(t, "the API server notes who approves", func(ctx context.Context) bool {
		u := r.DeepCopy()
		err := c.Patch(ctx, u, client.RawPatch("application/merge-patch+json",
			[]byte(`{"metadata":{"annotations":{"landbridge.io/approve":"x"}}}`)), client.DryRunAll)
		return err == nil && u.GetAnnotations()["landbridge.io/approved-by"] != ""
	})
	if out, errOut, ok := runCommand(t, "approve", kind+"/r", "-n", ns, "--hash", text(r, "status", "plan", "hash")); !ok {
		t.Fatalf("%s%s", out, errOut)
	}
	c.has(t, d, "thing", "r", "value", "c")
	var by string
	c.WaitFor(t, r, "the approval is stored", func() bool {
		by, _, _ = unstructured.NestedString(r.Object, "status", "lastApproval", "by")
		return by != "" && text(r, "status", "atProvider", "value") == "c"
	})
	h := history()
	tells(h,
		`Create Succeeded, spec, generation 1: + value: "a"`,
		`Update Succeeded, spec, generation 2: ~ value: "a" → "b"`,
		`Drift , : ~ value: "b" → "outside"`,
		`Update Succeeded, the object was changed outside of the resource: ~ value: "outside" → "b"`,
		`Update Succeeded, spec, generation 3, approved by `+by+`: ~ value: "b" → "c"`)
	for _, e := range h.Entries {
		if e.UID != first {
			t.Errorf("%s is of the resource %s, want %s", e.Action, e.UID, first)
		}
	}
	tells(history("--by", "approved by "+by), h.Entries[4].What()+` Succeeded, spec, generation 3, approved by `+by+`: ~ value: "b" → "c"`)

	for at, want := range map[time.Time]string{created: `"a"`, time.Now(): `"c"`} {
		out, errOut, ok := runCommand(t, "history", kind+"/r", "-n", ns, "--at", at.Format(time.RFC3339Nano))
		if !ok || !strings.Contains(strings.Join(strings.Fields(out), " "), kind+" "+ns+"/r value "+want) {
			t.Errorf("at %s, the value is not %s:\n%s%s", at, want, out, errOut)
		}
	}

	// Another resource of the same name has a record of its own.
	c.MustPatch(t, r, `{"spec":{"lifecycle":{"approvalPolicy":"Never"}}}`)
	c.Remove(t, r)
	if h := history(); h != nil {
		t.Errorf("a deleted resource has a record: %+v", h)
	}
	r = d.thing(ns, "r", m{"value": "again"})
	c.MustCreate(t, r)
	c.WaitReady(t, r)
	h = history()
	tells(h, `Create Succeeded, spec, generation 1: + value: "again"`)
	if h.UID != r.GetUID() || h.UID == first || h.Entries[0].UID != h.UID {
		t.Errorf("the record is of %s, and its entry of %s; want %s", h.UID, h.Entries[0].UID, r.GetUID())
	}
}
