package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

const (
	system = statetest.System
	held   = statetest.Finalizer
	paused = statetest.Paused
)

var thing = &schema.Resource{
	Type: statetest.ResourceType, Version: 2,
	Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Optional: true}, "big": {Type: cty.Number, Optional: true},
			"password": {Type: cty.String, Optional: true, Sensitive: true},
			"nested": {Optional: true, Nested: &schema.NestedAttributes{Nesting: schema.NestingMap, Attributes: map[string]*schema.Attribute{
				"token": {Type: cty.String, Optional: true, Sensitive: true}, "plain": {Type: cty.String, Optional: true},
			}}},
		},
		Blocks: map[string]*schema.NestedBlock{
			"rule": {Nesting: schema.NestingList, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"key": {Type: cty.String, Optional: true, Sensitive: true}, "port": {Type: cty.Number, Optional: true},
			}}},
		},
	},
	Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{"id": {Type: cty.String, RequiredForImport: true}}},
}

// serving is the cluster of all tests. It serves the kind, and has no controller.
var serving = sync.OnceValues(func() (*state.Cluster, error) {
	_, c, err := statetest.Serve(context.Background(), thing, &schema.Block{})
	return c, err
})

func object(namespace, name string, annotations map[string]string) *unstructured.Unstructured {
	u := statetest.Object(namespace, name, m{})
	u.SetAnnotations(annotations)
	return u
}

// world is a namespace of one test.
type world struct {
	*state.Cluster
	t         *testing.T
	kinds     state.Kinds
	namespace string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c, err := serving()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Cluster: c, t: t}
	if w.kinds, err = c.Kinds(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.namespace = w.makeNamespace()
	return w
}

func (w *world) makeNamespace() string {
	w.t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := w.Create(w.t.Context(), ns); err != nil {
		w.t.Fatal(err)
	}
	return ns.Name
}

func (w *world) key(name string) store.Key {
	return store.Key{Group: "one.landbridge.io", Kind: "Thing", Namespace: w.namespace, Name: name}
}

func (w *world) create(name string, annotations map[string]string) *unstructured.Unstructured {
	w.t.Helper()
	u := object(w.namespace, name, annotations)
	if err := w.Create(w.t.Context(), u); err != nil {
		w.t.Fatal(err)
	}
	return u
}

func (w *world) save(k store.Key, rec store.Record) store.Record {
	w.t.Helper()
	out, err := w.Stored.Save(w.t.Context(), k, thing, rec)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// load returns what is stored, encoded and without the time of its create, and its version;
// "nothing" if nothing is.
func (w *world) load(name string) (content, version string) {
	w.t.Helper()
	rec, err := (&store.Secrets{Client: w.Stored.Client}).Load(w.t.Context(), w.key(name), thing)
	if errors.Is(err, store.ErrNotFound) {
		return "nothing", ""
	}
	if err != nil {
		w.t.Fatal(err)
	}
	rec.Instance.CreatedAt = time.Time{}
	b, err := instance.Encode(rec.Instance, thing)
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf("%s %+v", b, rec.Handled), rec.Version
}

func (w *world) remove(name string) {
	w.t.Helper()
	_, version := w.load(name)
	if err := w.Stored.Delete(w.t.Context(), w.key(name), version); err != nil {
		w.t.Fatal(err)
	}
}

func value(id, password string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal(id), "name": cty.StringVal("a <b> & c"),
		"big": cty.MustParseNumberVal("12345678901234567890.5"), "password": cty.StringVal(password),
		"nested": cty.MapVal(map[string]cty.Value{
			"x": cty.ObjectVal(map[string]cty.Value{
				"token": cty.StringVal("a-token"), "plain": cty.StringVal("plain"),
			}),
		}),
		"rule": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal("a-key"), "port": cty.NumberIntVal(1)})}),
	})
}

// everything is a record that uses everything that a record can have but an operation.
func everything() store.Record {
	id := func(s string) cty.Value { return cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(s)}) }
	return store.Record{
		Owner: "uid-1",
		Instance: instance.Instance{
			State: value("i-1", "a-password"), Identity: id("i-1"), Private: []byte("private-bytes"),
			Status: instance.Partial, CreateBeforeDestroy: true,
			SensitivePaths: []cty.Path{cty.GetAttrPath("name"), cty.GetAttrPath("nested").IndexString("x").GetAttr("plain")},
			Deposed: []instance.Deposed{{
				Key: "01234567", SensitivePaths: []cty.Path{cty.GetAttrPath("name")}, Status: instance.Tainted,
				State: value("i-0", "old-password"), Identity: id("i-0"),
			}},
			IdentityHistory: []instance.FormerIdentity{{
				Identity: json.RawMessage(`{"id":"i-00"}`), Until: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			}},
		},
		Handled: store.Tokens{Taint: "t", Untaint: "u", Retry: "r", Interrupt: "i", Imported: true},
	}
}

var secrets = []string{"a-password", "old-password", "a-token", "a-key", "private-bytes", "cHJpdmF0ZS1ieXRlcw==", "a <b>"}

func TestEntries(t *testing.T) {
	w := newWorld(t)
	other := newWorld(t)
	w.create("there", nil)
	w.save(w.key("there"), everything())
	w.save(w.key("gone"), everything())
	other.save(other.key("elsewhere"), everything())
	unserved := w.key("there")
	unserved.Kind = "Other"
	w.save(unserved, everything())

	entry := func(kind, name string, p state.Presence) state.Entry {
		e := state.Entry{Group: "one.landbridge.io", Kind: kind, Namespace: w.namespace, Name: name, Resource: p}
		if kind == "Thing" {
			e.Type = "one_thing"
		}
		return e
	}
	for name, test := range map[string]struct {
		args []string
		want []state.Entry
	}{
		"a namespace": {
			want: []state.Entry{
				entry("Other", "there", state.NotServed), entry("Thing", "gone", state.Missing),
				entry("Thing", "there", state.Exists),
			},
		},
		"a kind": {
			args: []string{"things"},
			want: []state.Entry{entry("Thing", "gone", state.Missing), entry("Thing", "there", state.Exists)},
		},
		"a resource": {args: []string{"thing/gone"}, want: []state.Entry{entry("Thing", "gone", state.Missing)}},
		"none":       {args: []string{"thing/none"}, want: []state.Entry{}},
	} {
		t.Run(name, func(t *testing.T) {
			selection, err := w.kinds.Select(w.namespace, test.args)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.Entries(t.Context(), w.kinds, selection)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("error %v, entries (-want +got):\n%s", err, diff)
			}
		})
	}
	all, err := w.Entries(t.Context(), w.kinds, state.Selection{})
	if err != nil || len(all) < 4 {
		t.Errorf("all namespaces: %v, error %v", all, err)
	}
	for _, args := range [][]string{{"nokind"}, {"thing/"}} {
		if _, err := w.kinds.Select("", args); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}

// Sensitive values are shown only without a schema.
func TestShow(t *testing.T) {
	w := newWorld(t)
	rec := everything()
	rec.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, StartedAt: time.Now()}
	w.save(w.key("a"), rec)
	stored, err := w.Load(t.Context(), w.key("a"))
	if err != nil {
		t.Fatal(err)
	}
	text := func(r *schema.Resource) string {
		t.Helper()
		d, err := state.Show(w.key("a"), "one_thing", stored, r)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(d); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole, concealed := text(nil), text(thing)
	for _, secret := range secrets {
		if secret != "private-bytes" && !strings.Contains(whole, secret) {
			t.Errorf("%q is not in %s", secret, whole)
		}
		if strings.Contains(concealed, secret) {
			t.Errorf("%q is in %s", secret, concealed)
		}
	}
	for _, plain := range []string{
		`"i-1"`, `"i-0"`, `"port":1`, "12345678901234567890.5", `"status":"Partial"`, `"key":"01234567"`,
		`"kind":"Update"`, `"type":"one_thing"`,
	} {
		if !strings.Contains(concealed, plain) {
			t.Errorf("%q is not in %s", plain, concealed)
		}
	}
	// What another version of the schema does not have may be sensitive.
	older := &schema.Resource{Block: &schema.Block{Attributes: map[string]*schema.Attribute{"id": {Type: cty.String}}}}
	if d := text(older); strings.Contains(d, "a-key") || strings.Contains(d, "plain") || !strings.Contains(d, `"id":"i-1"`) {
		t.Errorf("with another schema: %s", d)
	}
}

// What is exported and imported again is the same, byte for byte, and Terraform's reader gets it
// too.
func TestExportAndRestore(t *testing.T) {
	w := newWorld(t)
	records := map[string]store.Record{
		"full.web": everything(),
		"plain":    {Instance: instance.Instance{State: value("i-2", "p"), Status: instance.Tainted}},
	}
	before := map[string]string{}
	for name, rec := range records {
		w.create(name, map[string]string{paused: "true"})
		w.save(w.key(name), rec)
		before[name], _ = w.load(name)
	}
	w.save(w.key("empty"), store.Record{})
	running := everything()
	running.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Delete, StartedAt: time.Now()}
	w.save(w.key("running"), running)
	unserved := w.key("plain")
	unserved.Kind = "Other"
	w.save(unserved, everything())

	exported, err := w.Export(t.Context(), w.kinds, state.Selection{Namespace: w.namespace})
	if err != nil {
		t.Fatal(err)
	}
	title := "thing.one.landbridge.io " + w.namespace + "/"
	if diff := cmp.Diff([]string{title + "full.web", title + "plain", title + "running"}, exported.Resources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	wantLeft := []state.Left{
		{
			Title:  "other.one.landbridge.io " + w.namespace + "/plain",
			Reason: "the cluster does not serve its kind, so its resource type is not known",
		},
		{Title: title + "running", Reason: "its Delete has not ended: the state has what was known before"},
	}
	if diff := cmp.Diff(wantLeft, exported.Left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	file, err := tfstate.Read(exported.State, func(string) *schema.Resource { return thing })
	if err != nil {
		t.Fatal(err)
	}
	block := file.Resources[0]
	in := block.Instances[0]
	if block.Address() != "one_thing.full_web" || block.Provider != `provider["registry.terraform.io/hashicorp/one"]` ||
		!in.State.RawEquals(value("i-1", "a-password")) || string(in.Private) != "private-bytes" || len(in.Deposed) != 1 {
		t.Errorf("read as %+v", block)
	}
	if file.Resources[1].Instances[0].Status != instance.Tainted {
		t.Error("the taint is lost")
	}

	restore := func(o state.RestoreOptions) state.Restored {
		t.Helper()
		out, err := w.Restore(t.Context(), w.kinds, exported.State, o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	// What is there is not written again.
	_, version := w.load("plain")
	got := restore(state.RestoreOptions{})
	if diff := cmp.Diff([]string{title + "full.web", title + "plain"}, got.Unchanged); diff != "" ||
		len(got.Written) != 0 || len(got.Left) != 1 {
		t.Errorf("restored %+v", got)
	}
	if _, now := w.load("plain"); now != version {
		t.Error("it was written again")
	}
	// What is lost is restored, but not with DryRun.
	w.remove("plain")
	w.remove("full.web")
	if got := restore(state.RestoreOptions{DryRun: true}); len(got.Written) != 2 {
		t.Errorf("restored %+v", got)
	}
	if now, _ := w.load("plain"); now != "nothing" {
		t.Errorf("a dry run stores %s", now)
	}
	if got := restore(state.RestoreOptions{}); len(got.Written) != 2 {
		t.Errorf("restored %+v", got)
	}
	for name := range records {
		now, _ := w.load(name)
		if diff := cmp.Diff(before[name], now); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
		u := object(w.namespace, name, nil)
		if err := w.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil || len(u.GetFinalizers()) != 1 ||
			u.GetFinalizers()[0] != held {
			t.Errorf("%s has the finalizers %v, error %v", name, u.GetFinalizers(), err)
		}
	}
	// What differs is overwritten on request.
	rec, err := w.Stored.Load(t.Context(), w.key("plain"), thing)
	if err != nil {
		t.Fatal(err)
	}
	rec.Instance.State = value("i-3", "newer")
	w.save(w.key("plain"), rec)
	newer, _ := w.load("plain")
	only := state.RestoreOptions{Addresses: []string{"one_thing.plain"}}
	if got := restore(only); len(got.Left) != 1 || !strings.Contains(got.Left[0].Reason, "may be newer; --overwrite replaces it") {
		t.Errorf("restored %+v", got)
	}
	if now, _ := w.load("plain"); now != newer {
		t.Errorf("a newer instance was overwritten by %s", now)
	}
	only.Overwrite = true
	if got := restore(only); len(got.Written) != 1 || len(got.Left) != 0 {
		t.Errorf("restored %+v", got)
	}
	if now, _ := w.load("plain"); now != before["plain"] {
		t.Errorf("stored %s", now)
	}
	// An address that the file does not have is an error.
	if _, err := w.Restore(t.Context(), w.kinds, exported.State, state.RestoreOptions{Addresses: []string{"one_thing.none"}}); err == nil {
		t.Error("an unknown address is accepted")
	}
}

// Resources that a controller may reconcile, and operations in progress, are left alone.
func TestRestoreRefuses(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"reconciled", "fresh", "busy", "missing", "deleted"} {
		w.save(w.key(name), everything())
	}
	exported, err := w.Export(t.Context(), w.kinds, state.Selection{Namespace: w.namespace})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"reconciled", "fresh", "missing", "deleted"} {
		w.remove(name)
	}
	rec, err := w.Stored.Load(t.Context(), w.key("busy"), thing)
	if err != nil {
		t.Fatal(err)
	}
	rec.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Create, StartedAt: time.Now()}
	w.save(w.key("busy"), rec)
	busy, _ := w.load("busy")
	reconciled := w.create("reconciled", nil)
	reconciled.SetFinalizers([]string{held})
	if err := w.Update(t.Context(), reconciled); err != nil {
		t.Fatal(err)
	}
	w.create("fresh", nil)
	w.create("busy", map[string]string{paused: "true"})
	deleted := w.create("deleted", map[string]string{paused: "true"})
	deleted.SetFinalizers([]string{held})
	if err := errors.Join(w.Update(t.Context(), deleted), w.Delete(t.Context(), deleted)); err != nil {
		t.Fatal(err)
	}

	got, err := w.Restore(t.Context(), w.kinds, exported.State, state.RestoreOptions{Overwrite: true})
	if err != nil {
		t.Fatal(err)
	}
	title := "thing.one.landbridge.io " + w.namespace + "/"
	want := state.Restored{Written: []string{title + "fresh"}, Left: []state.Left{
		{Title: title + "busy", Reason: "its Create has not ended, and its outcome would be lost"},
		{Title: title + "deleted", Reason: "the resource is being deleted"},
		{Title: title + "missing", Reason: `there is no such resource: create it with the annotation crossplane.io/paused set to "true" first, or let landbridge import --state create it`},
		{Title: title + "reconciled", Reason: `the resource is being reconciled: set its annotation crossplane.io/paused to "true" first`},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("restored (-want +got):\n%s", diff)
	}
	if now, _ := w.load("busy"); now != busy {
		t.Errorf("busy: stored %s", now)
	}
}

// A state of Terraform is stored for the resources that landbridge import would make of it, and
// what they ask for does not act on it.
func TestRestoreFromTerraform(t *testing.T) {
	w := newWorld(t)
	w.create("net-web-0", map[string]string{paused: "true", "landbridge.io/taint": "once"})
	file := `{"version":4,"terraform_version":"1.14.0","serial":7,"lineage":"x","resources":[
		{"mode":"managed","module":"module.net","type":"one_thing","name":"web","provider":"provider[\"registry.terraform.io/x/one\"]","instances":[
			{"index_key":0,"schema_version":1,"attributes":{"id":"i-9","secret":"s"},"private":"AAEC"},
			{"index_key":1,"schema_version":1,"attributes":{"id":"i-10"}}]},
		{"mode":"data","type":"one_thing","name":"d","provider":"provider[\"registry.terraform.io/x/one\"]","instances":[{"schema_version":1,"attributes":{}}]},
		{"mode":"managed","type":"two_thing","name":"t","provider":"provider[\"registry.terraform.io/x/two\"]","instances":[{"schema_version":0,"attributes":{"id":"1"}}]}]}`
	began := time.Now()
	got, err := w.Restore(t.Context(), w.kinds, []byte(file), state.RestoreOptions{Namespace: w.namespace})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Written) != 1 || len(got.Left) != 2 ||
		got.Left[1] != (state.Left{Title: "two_thing.t", Reason: "the cluster serves no kind for two_thing"}) {
		t.Errorf("restored %+v", got)
	}
	now, _ := w.load("net-web-0")
	want := fmt.Sprintf(
		`{"version":1,"status":"Full","schemaVersion":1,"state":{"id":"i-9","secret":"s"},"private":"AAEC"} %+v`,
		store.Tokens{Taint: "once"},
	)
	if now != want {
		t.Errorf("stored %s\nwant %s", now, want)
	}
	// Others may just have made the object: it may not be visible yet.
	rec, err := w.Load(t.Context(), w.key("net-web-0"))
	if err != nil || rec.Instance.CreatedAt.Before(began) {
		t.Errorf("created at %s: %v", rec.Instance.CreatedAt, err)
	}
}

// The stored identity is forgotten, of a resource that is paused and has no operation; everything
// else stays.
func TestForgetIdentity(t *testing.T) {
	w := newWorld(t)
	kind := w.kinds[0]
	forget := func(name string) (string, error) {
		raw, err := w.ForgetIdentity(t.Context(), kind, w.namespace, name)
		return string(raw), err
	}
	with := func(change func(*store.Record)) store.Record {
		rec := everything()
		rec.Instance.Operation = nil
		change(&rec)
		return rec
	}
	w.create("changed", map[string]string{paused: "true"})
	before := w.save(w.key("changed"), with(func(*store.Record) {}))
	got, err := forget("changed")
	if err != nil || got != `{"id":"i-1"}` {
		t.Fatalf("got %q, %v", got, err)
	}
	after, err := (&store.Secrets{Client: w.Stored.Client}).Load(t.Context(), w.key("changed"), thing)
	if err != nil {
		t.Fatal(err)
	}
	want, err := instance.Encode(before.Instance.WithoutIdentity(), thing)
	if err != nil {
		t.Fatal(err)
	}
	have, err := instance.Encode(after.Instance, thing)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" || after.Instance.HasIdentity() {
		t.Errorf("stored (-want +got):\n%s", diff)
	}

	w.create("reconciled", nil)
	w.save(w.key("reconciled"), with(func(*store.Record) {}))
	w.create("busy", map[string]string{paused: "true"})
	w.save(w.key("busy"), with(func(r *store.Record) {
		r.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, StartedAt: time.Now()}
	}))
	w.create("unknown", map[string]string{paused: "true"})
	for name, says := range map[string]string{
		"reconciled": "is being reconciled", "busy": "has not ended", "unknown": "nothing is stored",
		"missing": "there is no", "changed": "no identity is stored",
	} {
		if _, err := forget(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
}
