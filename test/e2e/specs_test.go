package e2e_test

import (
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Errors of a spec name its fields, are retried with a growing delay, and
// disappear when the spec is corrected.
func TestBadSpecs(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "specs")
	c.install(t, d.provider())
	ns := c.Namespace(t)

	t.Run("required field", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "required", nil)
		unstructured.RemoveNestedField(r.Object, "spec", "forProvider", "name")
		if err := c.Create(t.Context(), r); !kerrors.IsInvalid(err) ||
			!strings.Contains(err.Error(), "spec.forProvider.name is a required parameter") {
			t.Errorf("the API server says %v", err)
		}
	})

	for name, x := range map[string]struct {
		forProvider m
		path        string
		correct     string // patch
	}{
		"attribute": {
			m{"displayName": "invalid"}, "spec.forProvider.displayName: Invalid value",
			`{"spec":{"forProvider":{"displayName":"valid"}}}`,
		},
		"block": {
			m{"rule": []any{m{"portRange": "1"}, m{"portRange": "invalid"}}},
			"spec.forProvider.rule[1].portRange: Invalid range",
			`{"spec":{"forProvider":{"rule":[{"portRange":"1"}]}}}`,
		},
		"secret": {
			m{"passwordSecretRef": m{"name": "nowhere", "key": "password"}}, "there is no Secret nowhere",
			`{"spec":{"forProvider":{"passwordSecretRef":null}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := d.thing(ns, name, x.forProvider)
			c.MustCreate(t, r)
			c.WaitFalse(t, r, "Synced", "InvalidConfiguration", x.path)
			if name != "secret" {
				// The second refusal makes it stalled. A Secret may still be created.
				c.WaitFor(t, r, "stalled", func() bool { return isTrue(r, "Stalled") })
			}
			version, before := r.GetResourceVersion(), d.Calls("validate thing "+name)
			// Half a second, one, two, four: five tries in eight seconds, and no write without a
			// change.
			never(t, 4*poll, "another write", func() bool {
				c.WaitFor(t, r, "there", func() bool { return true })
				return r.GetResourceVersion() != version
			})
			if n := d.Calls("validate thing "+name) - before; n > 6 {
				t.Errorf("%d tries in four seconds", n)
			}
			c.MustPatch(t, r, x.correct)
			c.WaitReady(t, r)
			if n := d.Calls("create thing " + name); n != 1 {
				t.Errorf("%d creates", n)
			}
		})
	}

	t.Run("broken by an update", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "update", m{"displayName": "valid"})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		c.MustPatch(t, r, `{"spec":{"forProvider":{"displayName":"invalid"}}}`)
		c.WaitFalse(t, r, "Synced", "InvalidConfiguration", "spec.forProvider.displayName")
		if o, _ := d.Object("thing", "update"); o.Attributes["display_name"] != "valid" || !isTrue(r, "Ready") {
			t.Errorf("the object is %v", o)
		}
		c.Remove(t, r) // the invalid spec does not prevent the deletion
		if _, ok := d.Object("thing", "update"); ok {
			t.Error("the object is left")
		}
	})

	t.Run("secret that comes later", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "later", m{"passwordSecretRef": m{"name": "later", "key": "password"}})
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "InvalidConfiguration", "there is no Secret later in namespace "+ns, "spec.forProvider.passwordSecretRef")
		s := c.secret(t, ns, "later", map[string]string{"other": "x"})
		c.WaitFalse(t, r, "Synced", "InvalidConfiguration", "the Secret later in namespace "+ns+" has no key password")
		s.Data = map[string][]byte{"password": []byte("first password")}
		if err := c.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		c.has(t, d, "thing", "later", "password", "first password")
		c.WaitReady(t, r)
		s.Data["password"] = []byte("second password")
		if err := c.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		c.has(t, d, "thing", "later", "password", "second password")
		c.Remove(t, r)
	})

	t.Run("failing create", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "create", nil)
		d.Order(t, "create", "always fail")
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncCreateFailure", "Cannot create")
		c.WaitFalse(t, r, "Synced", "ReconcileError", "Cannot create")
		if s, reason, _ := condition(r, "Ready"); s != "False" || reason != "Creating" {
			t.Errorf("Ready is %s, %s", s, reason)
		}
		// One second, two, four, eight.
		before := d.Calls("create thing create")
		never(t, 6*poll, "a hot loop", func() bool { return d.Calls("create thing create")-before > 4 })
		d.Countermand(t, "create")
		// A corrected spec is tried at once, regardless of the delay.
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"better"}}}`)
		c.WaitReady(t, r)
	})

	t.Run("failing update", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "change", m{"value": "a"})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		d.Order(t, "change", "always fail")
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncUpdateFailure", "Cannot update")
		c.WaitFalse(t, r, "Synced", "ReconcileError", "Cannot update")
		c.WaitFor(t, r, "still ready", func() bool { return isTrue(r, "Ready") })
		d.Countermand(t, "change")
		c.has(t, d, "thing", "change", "value", "b")
		c.WaitReady(t, r)
	})

	t.Run("lifecycle", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "lifecycle", nil)
		set(t, r, "Sometimes", "spec", "lifecycle", "replacePolicy")
		if err := c.Create(t.Context(), r); !kerrors.IsInvalid(err) {
			t.Errorf("the API server says %v", err)
		}
	})
}
