package e2e_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var operationID = regexp.MustCompile(`operation ([0-9a-f-]{36})`)

// The provider exits in the middle of a change.
func TestProviderCrash(t *testing.T) {
	c := shared(t)
	for name, x := range map[string]struct{ order string }{"before": {"crash-before"}, "after": {"crash-after"}} {
		t.Run("update, "+name+" it was made", func(t *testing.T) {
			t.Parallel()
			d := newDouble(t, "updatecrash"+name)
			c.install(t, d.provider())
			ns := c.Namespace(t)
			r, other := d.thing(ns, "a", m{"value": "a"}), d.thing(ns, "b", nil)
			c.MustCreate(t, r)
			c.MustCreate(t, other)
			c.WaitReady(t, r)
			c.WaitReady(t, other)
			d.Order(t, "a", x.order)
			c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
			eventually(t, "the provider crashes", func(context.Context) bool { return d.CarriedOut("a") })
			c.has(t, d, "thing", "a", "value", "b")
			c.WaitReady(t, r)
			c.WaitReady(t, other)
			reads := d.Calls("read thing b")
			eventually(t, "others are looked at again", func(context.Context) bool { return d.Calls("read thing b") > reads })
			if n := d.Calls("create"); n != 2 {
				t.Errorf("%d creates", n)
			}
		})

		t.Run("create with an identity, "+name+" it was made", func(t *testing.T) {
			t.Parallel()
			d := newDouble(t, "identitycrash"+name)
			c.install(t, d.provider())
			ns := c.Namespace(t)
			// With an identity, Landbridge looks up the object of an interrupted create.
			r := d.place(ns, "a", m{"value": "a"})
			d.Order(t, "a", x.order)
			c.MustCreate(t, r)
			c.WaitReady(t, r)
			creates, deletes := d.Calls("create place a"), d.Calls("delete place a")
			// Either no object existed, or it was found, tainted and replaced.
			want := map[string]int{"before": 0, "after": 1}[name]
			if creates != 2 || deletes != want || d.Calls("import place") == 0 {
				t.Errorf("%d creates, %d deletes, %d imports", creates, deletes, d.Calls("import place"))
			}
			c.Remove(t, r)
		})
	}
}

// Without an identity it is unknown whether an interrupted create made an object.
func TestCreateOutcomeUnknown(t *testing.T) {
	c := shared(t)
	ns := c.Namespace(t)
	// A crash ends all calls of the process: each subtest has its own provider.
	install := func(t *testing.T, name string) *double {
		d := newDouble(t, "unknown"+name)
		c.install(t, d.provider())
		return d
	}
	unknown := func(t *testing.T, d *double, name, order string) (string, func(string)) {
		r := d.thing(ns, name, m{"value": "a"})
		d.Order(t, name, order)
		c.MustCreate(t, r)
		message := c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown", "spec.import", "landbridge.io/confirm-create")
		id := operationID.FindStringSubmatch(message)
		if id == nil {
			t.Fatalf("the message names no operation: %s", message)
		}
		never(t, 3*poll, "a second create", func() bool { return d.Calls("create thing "+name) > 1 })
		c.WaitFor(t, r, "not ready", func() bool { return !isTrue(r, "Ready") })
		return id[1], func(merge string) {
			c.MustPatch(t, r, merge)
			c.WaitReady(t, r)
		}
	}

	t.Run("confirmed", func(t *testing.T) {
		t.Parallel()
		d := install(t, "confirmed")
		op, heal := unknown(t, d, "confirmed", "crash-before")
		heal(`{"metadata":{"annotations":{"landbridge.io/confirm-create":"` + op + `"}}}`)
		if n := d.Calls("create thing confirmed"); n != 2 {
			t.Errorf("%d creates", n)
		}
	})
	t.Run("imported", func(t *testing.T) {
		t.Parallel()
		d := install(t, "imported")
		_, heal := unknown(t, d, "imported", "crash-after")
		o, ok := d.Object("thing", "imported")
		if !ok {
			t.Fatal("there is no object")
		}
		heal(`{"spec":{"import":{"id":"` + o.Attributes["id"] + `"}}}`)
		if n := d.Calls("create thing imported"); n != 1 {
			t.Errorf("%d creates", n)
		}
	})
	t.Run("imported while deleting", func(t *testing.T) {
		t.Parallel()
		d := install(t, "leaving")
		r := d.thing(ns, "leaving", nil)
		d.Order(t, "leaving", "crash-after")
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown")
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown", "spec.import")
		o, ok := d.Object("thing", "leaving")
		if !ok {
			t.Fatal("there is no object")
		}
		c.MustPatch(t, r, `{"spec":{"import":{"id":"`+o.Attributes["id"]+`"}}}`)
		c.WaitGone(t, r)
		if _, ok := d.Object("thing", "leaving"); ok || d.Calls("create thing leaving") != 1 {
			t.Errorf("the object is left: %t; %d creates", ok, d.Calls("create thing leaving"))
		}
	})
	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		d := install(t, "deleted")
		r := d.thing(ns, "deleted", nil)
		d.Order(t, "deleted", "crash-after")
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown")
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		// An object that may exist is not abandoned silently.
		never(t, 2*poll, "the resource is gone", func() bool { return c.Get(t.Context(), key(r), r) != nil })
		message := c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown", "landbridge.io/confirm-create")
		if err := os.Remove(filepath.Join(d.Dir, "objects", "thing.deleted")); err != nil {
			t.Fatal(err)
		}
		c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/confirm-create":"`+operationID.FindStringSubmatch(message)[1]+`"}}}`)
		c.WaitGone(t, r)
		if n := d.Calls("create thing deleted"); n != 1 {
			t.Errorf("%d creates", n)
		}
	})
}
