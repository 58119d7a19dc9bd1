package e2e_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/child"
)

const (
	random       = "random.landbridge.io/v1alpha1"
	local        = "local.landbridge.io/v1alpha1"
	externalName = "crossplane.io/external-name"
)

// real installs released providers in the shared cluster.
func (c *cluster) real(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		c.install(t, realProvider(name))
	}
}

// realProvider returns the TerraformProvider of a real provider. That of files can write those of
// tests.
func realProvider(name string) *unstructured.Unstructured {
	p := terraformProvider(name, "hashicorp/"+name)
	if name == "local" {
		p.Object["spec"].(m)["sandbox"] = m{"writePaths": []any{filepath.Join(scratch, "files")}}
	}
	return p
}

// The life of resources of a real provider, from creation to deletion.
func TestLifeOfString(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	ns := c.Namespace(t)
	s := resource(random, "String", ns, "s", m{"forProvider": m{"length": int64(12), "special": false}})
	c.MustCreate(t, s)
	c.WaitReady(t, s)

	result := text(s, "status", "atProvider", "result")
	if len(result) != 12 {
		t.Errorf("the result is %q", result)
	}
	for kind, want := range map[string]string{"Ready": "Available", "Synced": "ReconcileSuccess", "LastAsyncOperation": "Success"} {
		if status, reason, message := condition(s, kind); status != "True" || reason != want || message != "" {
			t.Errorf("condition %s is %s, %s, %q", kind, status, reason, message)
		}
	}
	conditions, _, _ := unstructured.NestedSlice(s.Object, "status", "conditions")
	for _, x := range conditions {
		if x := x.(m); x["type"] != "LastAsyncOperation" && x["observedGeneration"] != s.GetGeneration() {
			t.Errorf("condition %v is of generation %v, want %d", x["type"], x["observedGeneration"], s.GetGeneration())
		}
	}
	if got := text(s, "status", "state"); got != "Full" {
		t.Errorf("state %q", got)
	}
	c.MustGet(t, s)
	for _, f := range s.GetManagedFields() {
		if fields := f.FieldsV1.GetRawString(); f.Subresource == "status" && fields != `{"f:status":{}}` {
			t.Errorf("The managed fields of the status are %s, which is large for a large status.", fields)
		}
	}
	if got := s.GetAnnotations()[externalName]; got != result {
		t.Errorf("external name %q, want %q", got, result)
	}
	for name := range s.GetAnnotations() {
		if strings.HasPrefix(name, "crossplane.io/external-create-") {
			t.Errorf("there is an annotation %s", name)
		}
	}
	if got := s.GetFinalizers(); !slices.Equal(got, []string{"finalizer.managedresource.crossplane.io"}) {
		t.Errorf("finalizers %v", got)
	}
	stored := c.stored(t, ns)
	if len(stored) != 1 || stored[0].Type != "landbridge.io/instance" || !strings.Contains(string(stored[0].Data["instance.json"]), result) {
		t.Fatalf("what is stored: %d Secrets", len(stored))
	}

	// A change that cannot be made in place replaces the object.
	c.MustPatch(t, s, `{"spec":{"forProvider":{"length":20}}}`)
	c.WaitFor(t, s, "replaced", func() bool { return len(text(s, "status", "atProvider", "result")) == 20 && current(s) })
	c.WaitReady(t, s)
	if got := s.GetAnnotations()[externalName]; len(got) != 20 {
		t.Errorf("external name %q", got)
	}
	if stored := c.stored(t, ns); len(stored) != 1 {
		t.Errorf("%d Secrets are stored", len(stored))
	}

	c.Remove(t, s)
	if left := c.stored(t, ns); len(left) != 0 {
		t.Errorf("the Secret %s is left", left[0].Name)
	}
}

func TestConnectionSecret(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	ns := c.Namespace(t)
	p := resource(random, "Password", ns, "p", m{"forProvider": m{"length": int64(24)}, "writeConnectionSecretToRef": m{"name": "details"}})
	c.MustCreate(t, p)
	c.WaitReady(t, p)
	if text(p, "status", "atProvider", "result") != "" || text(p, "status", "atProvider", "bcryptHash") != "" {
		t.Error("the status shows what is sensitive")
	}
	details := &corev1.Secret{}
	key := client.ObjectKey{Namespace: ns, Name: "details"}
	eventually(t, "there is a connection secret", func(ctx context.Context) bool { return c.Get(ctx, key, details) == nil })
	if len(details.Data["attribute.result"]) != 24 || len(details.Data["attribute.bcrypt_hash"]) == 0 {
		t.Errorf("it has %d keys", len(details.Data))
	}
	if !metav1.IsControlledBy(details, p) || details.Type != "connection.crossplane.io/v1alpha1" {
		t.Errorf("it is of type %s and owned by %v", details.Type, details.OwnerReferences)
	}
	password := string(details.Data["attribute.result"])

	// A deleted Secret is created again with the same content.
	if err := c.Delete(t.Context(), details); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection secret is back", func(ctx context.Context) bool {
		again := &corev1.Secret{}
		return c.Get(ctx, key, again) == nil && string(again.Data["attribute.result"]) == password
	})
	c.Remove(t, p)
	eventually(t, "the connection secret is gone", func(ctx context.Context) bool {
		return kerrors.IsNotFound(c.Get(ctx, key, &corev1.Secret{}))
	})
}

// A provider runs in a sandbox: it writes files where spec.sandbox permits it, and reads no others.
func TestSandbox(t *testing.T) {
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	c := shared(t)
	c.real(t, "local")
	p := realProvider("local")
	c.WaitFor(t, p, "in a sandbox", func() bool { return text(p, "status", "sandbox") == "Enforced" })
	ns := c.Namespace(t)
	outside := filepath.Join(t.TempDir(), "outside")
	f := resource(local, "File", ns, "outside", m{"forProvider": m{"filename": outside, "content": "x"}})
	token := resource(local, "File", ns, "token", m{"forProvider": m{"filename": filepath.Join(directory(t), "copy"), "source": os.Args[0]}})
	for _, r := range []*unstructured.Unstructured{f, token} {
		c.MustCreate(t, r)
	}
	for _, r := range []*unstructured.Unstructured{f, token} {
		c.WaitFor(t, r, "refused", func() bool {
			_, _, message := condition(r, "LastAsyncOperation")
			_, _, other := condition(r, "Synced")
			return strings.Contains(message+other, "permission denied")
		})
	}
	if _, err := os.Stat(outside); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file outside was made: %v", err)
	}
}

func TestDriftOfFile(t *testing.T) {
	c := shared(t)
	c.real(t, "local")
	ns, path := c.Namespace(t), filepath.Join(directory(t), "greeting")
	f := resource(local, "File", ns, "f", m{"forProvider": m{"filename": path, "content": "hello"}})
	c.MustCreate(t, f)
	c.WaitReady(t, f)
	is := func(want string) func(context.Context) bool {
		return func(context.Context) bool {
			content, err := os.ReadFile(path)
			return err == nil && string(content) == want
		}
	}
	if !is("hello")(t.Context()) {
		t.Fatal("the file is not as it should be")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the removed file is back", is("hello"))
	c.WaitReady(t, f)
	if err := os.WriteFile(path, []byte("tampered with"), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the edited file is repaired", is("hello"))
	c.WaitReady(t, f)
	c.MustPatch(t, f, `{"spec":{"forProvider":{"content":"good bye"}}}`)
	eventually(t, "the file is changed", is("good bye"))
	c.WaitReady(t, f)
	c.Remove(t, f)
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
	if left := c.stored(t, ns); len(left) != 0 {
		t.Errorf("the Secret %s is left", left[0].Name)
	}
}

// Updates in place, lifecycle and annotations, with a provider that records its calls.
func TestLifecycle(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "lifecycle")
	c.install(t, d.provider())
	ns := c.Namespace(t)

	t.Run("update in place", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "update", m{"value": "a", "rule": []any{m{"portRange": "1-2"}}})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		id := r.GetAnnotations()[externalName]
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b","displayName":"B","rule":[{"portRange":"1-2"},{"portRange":"3"}]}}}`)
		c.has(t, d, "thing", "update", "value", "b")
		c.WaitReady(t, r)
		o, _ := d.Object("thing", "update")
		if o.Attributes["display_name"] != "B" || !slices.Equal(o.Rules, []string{"1-2", "3"}) || o.Attributes["id"] != id {
			t.Errorf("the object is %v", o)
		}
		if text(r, "status", "atProvider", "displayName") != "B" || r.GetAnnotations()[externalName] != id {
			t.Errorf("the resource does not show it: %v", r.Object["status"])
		}
		// A field that is removed from the spec is unset.
		c.MustPatch(t, r, `{"spec":{"forProvider":{"displayName":null}}}`)
		eventually(t, "displayName is unset", func(context.Context) bool {
			o, _ := d.Object("thing", "update")
			_, ok := o.Attributes["display_name"]
			return !ok
		})
		if n := d.Calls("create thing update"); n != 1 {
			t.Errorf("%d creates", n)
		}
	})

	t.Run("replacement refused", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "never", nil)
		set(t, r, "Never", "spec", "lifecycle", "replacePolicy")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"never-again"}}}`)
		c.WaitFalse(t, r, "Synced", "ReplaceRefused", "spec.forProvider.name", "spec.lifecycle")
		c.WaitFor(t, r, "still ready, with a plan", func() bool {
			return isTrue(r, "Ready") && text(r, "status", "plan", "action") != "" && text(r, "status", "plan", "requiresReplace") == "[name]"
		})
		if _, ok := d.Object("thing", "never"); !ok || d.Calls("delete thing never") != 0 {
			t.Error("the object was touched")
		}
		// One remedy: revert the change.
		c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"never"}}}`)
		c.WaitReady(t, r)
		// The other: allow the replacement.
		c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"never-again"},"lifecycle":{"replacePolicy":"Automatic"}}}`)
		eventually(t, "it is replaced", func(context.Context) bool {
			_, old := d.Object("thing", "never")
			_, made := d.Object("thing", "never-again")
			return !old && made
		})
		c.WaitReady(t, r)
	})

	t.Run("initProvider", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "init", m{"value": "kept"})
		set(t, r, m{"displayName": "first", "value": "not this"}, "spec", "initProvider")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		o, _ := d.Object("thing", "init")
		if o.Attributes["display_name"] != "first" || o.Attributes["value"] != "kept" {
			t.Errorf("the object is %v", o)
		}
		o.Attributes["display_name"], o.Attributes["value"] = "of others", "drifted"
		d.Put(t, "thing", o)
		c.has(t, d, "thing", "init", "value", "kept")
		if o, _ := d.Object("thing", "init"); o.Attributes["display_name"] != "of others" {
			t.Errorf("initProvider was enforced: %v", o)
		}
	})

	t.Run("ignoreChanges", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "ignore", m{"value": "a", "displayName": "a", "rule": []any{m{"portRange": "1"}}})
		set(t, r, []any{"displayName", "rule[0].portRange"}, "spec", "lifecycle", "ignoreChanges")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		o, _ := d.Object("thing", "ignore")
		o.Attributes["display_name"], o.Attributes["value"], o.Rules = "drifted", "drifted", []string{"2"}
		d.Put(t, "thing", o)
		c.has(t, d, "thing", "ignore", "value", "a")
		if o, _ := d.Object("thing", "ignore"); o.Attributes["display_name"] != "drifted" || o.Rules[0] != "2" {
			t.Errorf("an ignored change was reverted: %v", o)
		}
		c.WaitReady(t, r)
		c.MustPatch(t, r, `{"spec":{"lifecycle":{"ignoreChanges":["noSuchField"]}}}`)
		c.WaitFor(t, r, "refused", func() bool {
			s, _, message := condition(r, "Synced")
			return s == "False" && strings.Contains(message, "noSuchField")
		})
	})

	t.Run("paused by annotation", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "pause", m{"value": "a"})
		r.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
		c.MustCreate(t, r)
		c.WaitFor(t, r, "paused", func() bool { _, reason, _ := condition(r, "Synced"); return reason == "ReconcilePaused" })
		never(t, 2*poll, "a paused resource was created", func() bool { return d.Calls("create thing pause") > 0 })
		c.MustPatch(t, r, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
		c.WaitReady(t, r)
	})

	t.Run("paused by policy", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "nothing", m{"value": "a"})
		set(t, r, []any{}, "spec", "managementPolicies")
		c.MustCreate(t, r)
		c.WaitFor(t, r, "paused", func() bool { _, reason, _ := condition(r, "Synced"); return reason == "ReconcilePaused" })
		if d.Calls("create thing nothing") > 0 {
			t.Error("it was created")
		}
		c.MustPatch(t, r, `{"spec":{"managementPolicies":["*"]}}`)
		c.WaitReady(t, r)
	})

	t.Run("observe without update", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "restricted", m{"value": "a"})
		set(t, r, []any{"Observe", "Create", "Delete"}, "spec", "managementPolicies")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"b"}}}`)
		c.WaitFor(t, r, "shown with the change that is not made", func() bool {
			return current(r) && text(r, "status", "plan", "action") == "Update" && isTrue(r, "Synced", "Ready")
		})
		if d.Calls("update thing restricted") > 0 {
			t.Error("it was updated")
		}
		c.Remove(t, r)
		if _, ok := d.Object("thing", "restricted"); ok {
			t.Error("the object is left")
		}
	})

	t.Run("orphaned", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "orphan", nil)
		set(t, r, []any{"Observe", "Create", "Update"}, "spec", "managementPolicies")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		id := r.GetAnnotations()[externalName]
		c.Remove(t, r)
		if o, ok := d.Object("thing", "orphan"); !ok || o.Attributes["id"] != id {
			t.Error("the object is not left")
		}
		for _, s := range c.stored(t, ns) {
			if s.Annotations["landbridge.io/owner"] == ns+"/orphan" {
				t.Error("its stored state is left")
			}
		}
	})

	t.Run("reconcile on request", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "request", nil)
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		c.MustPatch(t, r, `{"metadata":{"annotations":{"crossplane.io/reconcile-requested-at":"now"}}}`)
		c.WaitFor(t, r, "handled", func() bool { return text(r, "status", "lastHandledReconcileAt") == "now" })
		c.WaitReady(t, r)
	})

	t.Run("created by others in the meantime", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "vanish", m{"value": "a"})
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		first := r.GetAnnotations()[externalName]
		if err := os.Remove(filepath.Join(d.Dir, "objects", "thing.vanish")); err != nil {
			t.Fatal(err)
		}
		c.has(t, d, "thing", "vanish", "value", "a")
		c.WaitFor(t, r, "another object", func() bool { name := r.GetAnnotations()[externalName]; return name != "" && name != first })
		c.WaitReady(t, r)
	})

	t.Run("deletion fails", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "stuck", nil)
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		d.Order(t, "stuck", "always fail")
		if err := c.Delete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncDeleteFailure", "It is in use")
		c.WaitFor(t, r, "not synced", func() bool {
			s, _, message := condition(r, "Synced")
			return s == "False" && strings.Contains(message, "It is in use")
		})
		if _, reason, _ := condition(r, "Ready"); reason != "Deleting" {
			t.Errorf("Ready is %s", reason)
		}
		d.Countermand(t, "stuck")
		c.WaitGone(t, r)
		if _, ok := d.Object("thing", "stuck"); ok {
			t.Error("the object is left")
		}
	})

	t.Run("creation half done", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "half", nil)
		set(t, r, "Keep", "spec", "lifecycle", "taintPolicy")
		d.Order(t, "half", "half")
		c.MustCreate(t, r)
		c.WaitFor(t, r, "tainted", func() bool {
			_, reason, _ := condition(r, "Ready")
			return reason == "Tainted" && text(r, "status", "state") == "Tainted"
		})
		c.WaitFalse(t, r, "Synced", "ReplaceRefused", "tainted")
		c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/untaint":"true"}}}`)
		c.WaitReady(t, r)
		if n := d.Calls("create thing half"); n != 1 {
			t.Errorf("%d creates", n)
		}

		again := d.thing(ns, "replace", nil)
		d.Order(t, "replace", "half")
		c.MustCreate(t, again)
		c.WaitReady(t, again)
		if c, d := d.Calls("create thing replace"), d.Calls("delete thing replace"); c != 2 || d != 1 {
			t.Errorf("a tainted object: %d creates, %d deletes", c, d)
		}
	})
}

func TestImport(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	d := newDouble(t, "imports")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	exists := func(t *testing.T, kind, name, id string) {
		d.Put(t, kind, remote{Attributes: map[string]string{"name": name, "id": id, "token": "t", "value": "as it was"}})
	}

	t.Run("a string, only observed", func(t *testing.T) {
		t.Parallel()
		r := resource(random, "String", ns, "s", m{"forProvider": m{}, "import": m{"id": "Qx7Zk2"}, "managementPolicies": []any{"Observe"}})
		c.MustCreate(t, r)
		c.WaitFor(t, r, "observed", func() bool {
			return isTrue(r, "Ready", "Synced") && text(r, "status", "atProvider", "result") == "Qx7Zk2" &&
				r.GetAnnotations()[externalName] == "Qx7Zk2"
		})
		c.Remove(t, r)
	})
	t.Run("by id", func(t *testing.T) {
		t.Parallel()
		exists(t, "thing", "byid", "thing-77")
		r := d.thing(ns, "byid", m{"value": "as it shall be"})
		set(t, r, "thing-77", "spec", "import", "id")
		c.MustCreate(t, r)
		c.has(t, d, "thing", "byid", "value", "as it shall be")
		c.WaitReady(t, r)
		if d.Calls("create thing byid") != 0 || r.GetAnnotations()[externalName] != "thing-77" {
			t.Errorf("it was not imported: %v", r.GetAnnotations())
		}
		if err := c.Patch(t.Context(), r, client.RawPatch("application/merge-patch+json",
			[]byte(`{"spec":{"import":{"id":"other"}}}`))); !kerrors.IsInvalid(err) {
			t.Errorf("spec.import was changed: %v", err)
		}
	})
	t.Run("by identity", func(t *testing.T) {
		t.Parallel()
		exists(t, "place", "byidentity", "place-9")
		r := d.place(ns, "byidentity", m{"value": "as it was"})
		set(t, r, "byidentity", "spec", "import", "identity", "name")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		if d.Changes() > 0 && d.Calls("create place byidentity")+d.Calls("update place byidentity") > 0 {
			t.Error("it was changed")
		}
		if got := text(r, "status", "identity", "name"); got != "byidentity" ||
			r.GetAnnotations()["landbridge.io/identity"] != `{"name":"byidentity"}` {
			t.Errorf("identity %q, annotations %v", got, r.GetAnnotations())
		}
	})
	t.Run("what is not there", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "missing", nil)
		set(t, r, "thing-404", "spec", "import", "id")
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "ImportFailed", "Cannot import non-existent remote object")
		if d.Calls("create thing missing") > 0 {
			t.Error("it was created instead")
		}
		exists(t, "thing", "missing", "thing-404")
		c.WaitFor(t, r, "imported", func() bool { return r.GetAnnotations()[externalName] == "thing-404" && isTrue(r, "Ready", "Synced") })
	})
	t.Run("only observed and not there", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "unborn", nil)
		set(t, r, []any{"Observe"}, "spec", "managementPolicies")
		c.MustCreate(t, r)
		c.WaitFor(t, r, "told", func() bool {
			s, _, message := condition(r, "Synced")
			return s == "False" && strings.Contains(message, "does not exist")
		})
		if d.Calls("create thing unborn") > 0 {
			t.Error("it was created")
		}
		c.Remove(t, r)
	})
}

// The status is one value for server-side apply. What others apply of it does not stay.
func TestAppliedStatus(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	s := resource(random, "String", c.Namespace(t), "s", m{"forProvider": m{"length": int64(12)}})
	c.MustCreate(t, s)
	c.WaitReady(t, s)
	result := text(s, "status", "atProvider", "result")

	applied := resource(random, "String", s.GetNamespace(), s.GetName(), nil)
	delete(applied.Object, "spec")
	applied.Object["status"] = m{"state": "Tainted"}
	options := &client.SubResourceApplyOptions{ApplyOptions: client.ApplyOptions{FieldManager: "another", Force: new(true)}}
	if err := c.Status().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(applied), options); err != nil {
		t.Fatal(err)
	}
	c.WaitReady(t, s)
	if got := text(s, "status", "atProvider", "result"); got != result || text(s, "status", "state") != "Full" {
		t.Errorf("The status is %v after another one was applied, want that of %q.", s.Object["status"], result)
	}
}
