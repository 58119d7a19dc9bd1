package module_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
)

// rack is an object of the module racks as it is claimed.
func rack(name string) terraform.Object {
	return terraform.Object{
		Configuration: "landbridge/examplecloud", Type: "examplecloud_datastore",
		Identity: fmt.Sprintf(`{"cluster_info_id":"c","hci_cluster_uuid":"c-1","name":%q}`, name),
	}
}

// named are objects as they are named.
func named(all []terraform.Object) (out []terraform.Object) {
	for _, o := range all {
		out = append(out, o.Named())
	}
	return out
}

// TestObjects: a module's objects are known from its stored instance, from the plan of one that
// creates them, and from the journal of one that was interrupted.
func TestObjects(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	x := e.executor(e.server)
	consists := func(when string, in instance.Instance, held, begun []terraform.Object) {
		t.Helper()
		gotHeld, gotBegun := module.Consists(in)
		if diff := cmp.Diff([][]terraform.Object{held, begun}, [][]terraform.Object{named(gotHeld), named(gotBegun)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	p := e.plan(x, instance.Instance{}, e.config(1, "a", "b"))
	if diff := cmp.Diff([]terraform.Object{rack("a"), rack("b")}, named(p.Creates)); diff != "" || len(p.Imports) > 0 {
		t.Errorf("planned (-want +got):\n%s\nand imported %v", diff, p.Imports)
	}
	journal := &recording{}
	out, diags := x.ApplyJournaled(t.Context(), p, journal.record)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	consists("created", out, []terraform.Object{rack("a"), rack("b")}, nil)
	interrupted := instance.Instance{Operation: &instance.Operation{Kind: instance.Create, Journal: journal.last}}
	consists("interrupted after the creates", interrupted, []terraform.Object{rack("a"), rack("b")}, nil)
	recovered, diags := x.Recover(t.Context(), e.resource(), instance.Instance{}, interrupted.Operation, false, time.Now())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	consists("recovered", recovered, []terraform.Object{rack("a"), rack("b")}, nil)

	refreshed, diags := x.Refresh(t.Context(), e.resource(), out)
	if diags.HasErrors() || !refreshed.Unchanged {
		t.Errorf("it is unchanged, but %v", diags)
	}
	if out, diags = x.Apply(t.Context(), e.plan(x, out, e.config(2, "b"))); diags.HasErrors() {
		t.Fatal(diags)
	}
	consists("one destroyed", out, []terraform.Object{rack("b")}, nil)

	// Without an answer, it may have been created.
	lost := e.executor(&watched{
		Server: e.server,
		apply: func(
			context.Context, *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return nil, status.Error(codes.Unavailable, "the connection is lost")
		},
	})
	_, diags = lost.ApplyJournaled(t.Context(), e.plan(lost, instance.Instance{}, e.config(1, "c")), journal.record)
	if !terraform.OutcomeUnknown(diags) {
		t.Fatal(diags)
	}
	consists("no answer", instance.Instance{
		Operation: &instance.Operation{Kind: instance.Create, Journal: journal.last},
	}, nil, []terraform.Object{rack("c")})
}

// TestObjectsOfKilledProgram: the state that a killed program has left still has an object that it
// has destroyed. It is claimed until it is read again, since what another resource creates in its
// place would be taken for it.
func TestObjectsOfKilledProgram(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	out, diags := e.executor(e.server).Apply(t.Context(), e.plan(e.executor(e.server), instance.Instance{}, e.config(1, "a", "b")))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	killing := e.executor(&watched{
		Server: e.server,
		apply: func(
			ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			a, err := e.server.ApplyResourceChange(ctx, q)
			if killed := e.killPrograms(); killed == 0 {
				t.Error("no program runs")
			}
			return a, err
		},
	})
	out, diags = killing.Apply(t.Context(), e.plan(killing, out, e.config(1, "b")))
	if !diags.HasErrors() || e.cloud.Audit(t).Live != 1 {
		t.Fatalf("%d objects are left, and %v", e.cloud.Audit(t).Live, diags)
	}
	if held, _ := module.Consists(out); !cmp.Equal(named(held), []terraform.Object{rack("a"), rack("b")}) {
		t.Errorf("it has %v", held)
	}
	read, diags := e.executor(e.server).Refresh(t.Context(), e.resource(), out)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if held, _ := module.Consists(read.Instance); !cmp.Equal(named(held), []terraform.Object{rack("b")}) {
		t.Errorf("when it is read, it has %v", held)
	}
}

// What the provider has made of the objects is stored with them, and found when they are looked
// for.
func TestWhatIsMadeOfObjects(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	x := e.executor(e.server)
	p := e.plan(x, instance.Instance{}, e.config(1, "a"))
	if diff := cmp.Diff(terraform.Found{Looked: true}, x.Find(t.Context(), p.Creates[0])); diff != "" {
		t.Errorf("found before it is created (-want +got):\n%s", diff)
	}
	journal := &recording{}
	out, diags := x.ApplyJournaled(t.Context(), p, journal.record)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	recovered, diags := x.Recover(t.Context(), e.resource(), instance.Instance{},
		&instance.Operation{Kind: instance.Create, Journal: journal.last}, false, time.Now())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e.cloud.Remove(t, "datastores", e.cloud.Find(t, "datastores", "a"))
	e.cloud.Make(t, "datastores", map[string]any{
		"name": "a", "hci_cluster_uuid": "c-1", "cluster_info": map[string]any{"id": "c", "name": "north"},
		"capacity_gib": 1,
	})
	other := x.Find(t.Context(), rack("a"))
	for name, in := range map[string]instance.Instance{"created": out, "recovered": recovered} {
		held, _ := module.Consists(in)
		if len(held) != 1 || held[0].Made == "" {
			t.Fatalf("%s: it has %+v", name, held)
		}
		if same, different := held[0].Made.Compare(held[0].Made); !same || different {
			t.Errorf("%s: the same object is told apart, or shows nothing: %q", name, held[0].Made)
		}
		if same, different := held[0].Made.Compare(other.Made); same || !different || !other.Exists {
			t.Errorf("%s: another object is not told apart: %q, %+v", name, held[0].Made, other)
		}
	}
	for name, o := range map[string]terraform.Object{
		"of another version of the identity": {
			Configuration: rack("a").Configuration, Type: rack("a").Type, Identity: rack("a").Identity,
			IdentityVersion: 7,
		},
		"of another configuration": {Configuration: "other", Type: rack("a").Type, Identity: rack("a").Identity},
		"with settings": {
			Configuration: rack("a").Configuration, Settings: "s", Type: rack("a").Type, Identity: rack("a").Identity,
		},
		"of no type": {Configuration: rack("a").Configuration, Type: "examplecloud_none", ID: "a"},
	} {
		if found := x.Find(t.Context(), o); found.Looked {
			t.Errorf("an object %s is looked for: %+v", name, found)
		}
	}
}

// A change of a module does not destroy an object that is refused.
func TestRefusedDestructions(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	x := e.executor(e.server)
	out := e.applied(x, instance.Instance{}, 1)
	p := e.plan(x, out, e.config(1, "b"))
	var asked []terraform.Object
	p.Refuses = func(_ context.Context, o terraform.Object) error {
		asked = append(asked, o.Named())
		return errors.New("it is another's")
	}
	after, diags := x.Apply(t.Context(), p)
	if !strings.Contains(diags.String(), "it is another's") {
		t.Errorf("the error is %v", diags)
	}
	held, _ := module.Consists(after)
	if !cmp.Equal(asked, []terraform.Object{rack("a")}) || !slices.Contains(named(held), rack("a")) {
		t.Errorf("asked for %v, and %v are left", asked, held)
	}
}

// Objects that are kept are not updated by an apply of other changes, also if a read shows them
// changed.
func TestKeptObjects(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	x := e.executor(e.server)
	in := e.applied(x, instance.Instance{}, 1)
	e.cloud.Change(t, "datastores", e.cloud.Find(t, "datastores", "a"), map[string]any{"capacity_gib": 5})
	config := e.config(2, "a", "b")
	config.Keeps = []string{`examplecloud_datastore.rack["a"]`}
	p := e.plan(x, in, config)
	var planned []string
	for _, c := range p.Contained {
		planned = append(planned, string(c.Action)+" "+c.Address)
	}
	if diff := cmp.Diff([]string{`Create examplecloud_datastore.rack["b"]`}, planned); diff != "" {
		t.Errorf("planned (-want +got):\n%s", diff)
	}
	p.Keeps = config.Keeps
	out, diags := x.Apply(t.Context(), p)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	sizes := map[string]any{}
	for _, o := range e.cloud.List(t, "datastores", "") {
		sizes[o["name"].(string)] = o["capacity_gib"]
	}
	if diff := cmp.Diff(map[string]any{"a": 5.0, "b": 2.0}, sizes); diff != "" {
		t.Errorf("sizes (-want +got):\n%s", diff)
	}
	config.Keeps = nil
	if p = e.plan(x, out, config); len(p.Contained) != 1 || p.Contained[0].Action != terraform.Update {
		t.Errorf("without that, it plans %+v", p.Contained)
	}
}

// killPrograms kills the programs that work in the estate's directory, and returns their number.
func (e *estate) killPrograms() (killed int) {
	for _, pid := range processtest.Within(e.dir) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// TestImportedObjects: the objects that import blocks take are known from the plan.
func TestImportedObjects(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	x := e.executor(e.server)
	e.apply(e.plan(x, instance.Instance{}, e.config(1, "a")))
	importing := newEstateOf(t, strings.ReplaceAll(racks, "var.names", `toset(["a"])`)+`
import {
  to = examplecloud_datastore.rack["a"]
  id = "c-1/c/a"
}
`, commandline.Options{})
	p := importing.plan(importing.executor(e.server), instance.Instance{}, importing.config(1, "a"))
	if diff := cmp.Diff([]terraform.Object{rack("a")}, named(p.Imports)); diff != "" || len(p.Creates) > 0 {
		t.Errorf("imported (-want +got):\n%s\nand created %v", diff, p.Creates)
	}
	// Once it is imported, it is the module's.
	out, diags := importing.executor(e.server).Apply(t.Context(), p)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if held, _ := module.Consists(out); !cmp.Equal(named(held), named(p.Imports)) {
		t.Errorf("it has %v", held)
	}
	if p = importing.plan(importing.executor(e.server), out, importing.config(1, "a")); len(p.Imports) > 0 {
		t.Errorf("it is imported again: %v", p.Imports)
	}
}

// TestObjectsOfProviderBlocks: provider blocks with the same settings are for the same objects.
// What is stored of the settings is keyed, since they may be secrets.
func TestObjectsOfProviderBlocks(t *testing.T) {
	t.Parallel()
	key := "one"
	settings := func(block string) string {
		t.Helper()
		e := newEstateOf(t, racks+"\nprovider \"examplecloud\" {\n"+block+"\n}\n", commandline.Options{})
		x := e.executor(e.server).WithSettings(func(context.Context, string, cty.Value) (provider.Server, func(), diagnostic.Diagnostics) {
			return e.server, func() {}, nil
		}, []byte(key))
		p := e.plan(x, instance.Instance{}, e.config(1, "a"))
		if len(p.Creates) != 1 {
			t.Fatalf("%s: it creates %v", block, p.Creates)
		}
		want := rack("a")
		want.Settings = p.Creates[0].Settings
		if diff := cmp.Diff(want, p.Creates[0].Named()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", block, diff)
		}
		return want.Settings
	}
	none, east, again, west := settings(""), settings(`region = "east"`), settings(`region = "east"`), settings(`region = "west"`)
	if none != "" || east == "" || east != again || east == west {
		t.Errorf("settings: none %q, one region %q and %q, another region %q", none, east, again, west)
	}
	if key = "another"; settings(`region = "east"`) == east {
		t.Error("what is stored of settings can be guessed: it does not depend on the key")
	}
}
