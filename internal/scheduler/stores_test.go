package scheduler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// through has the resource use a configuration of which nothing is known but its content, and which
// gives access to a cloud.
func (h *harness) through(c instance.Configuration, to *cloud) {
	h.r.ProviderConfiguration, h.r.StoredAccount, h.cloud = c.Name, c.Account(), to
	h.r.Account = ownership.Account{Content: c.Arguments}
	h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
		return to, func() {}, nil
	}
}

// tried observes, applies, and returns the reason for which that is refused; empty if nothing is
// left to do.
func (h *harness) tried() scheduler.Reason {
	h.t.Helper()
	for range 5 {
		o, err := h.sched.Observe(h.t.Context(), h.r)
		if err == nil && o.UpToDate() {
			return ""
		}
		if err == nil {
			err = h.sched.Apply(h.t.Context(), h.r)
			synctest.Wait()
		}
		if e, ok := err.(*scheduler.Error); ok { //nolint:errorlint // it is not wrapped
			return e.Reason
		}
	}
	h.t.Fatal("there is always something left to do")
	return ""
}

// Two resources have an object of the same identity, through configurations that may access one
// store or two.
func TestTwins(t *testing.T) {
	other := with(prod, func(c *instance.Configuration) { c.Confirmed = c.Code() })
	tests := map[string]struct {
		// one has both configurations access one store. prefix is that of the ids that stores make;
		// with short ones they are alike.
		one    bool
		prefix string
		// imports has the second resource import its object, and unchecked has it create it without
		// a look.
		imports, unchecked bool
		// by is its configuration; prod if not set.
		by      instance.Configuration
		confirm string
		want    scheduler.Reason
	}{
		"created in one store":                         {one: true, prefix: "made-by-cloud", want: decision.ReasonIdentityConflict},
		"created in one store, nothing shows it":       {one: true, want: decision.ReasonAlreadyExists},
		"created in two stores":                        {prefix: "made-by-cloud"},
		"created in two stores that make the same ids": {},
		"imported from one store": {
			one: true, imports: true, prefix: "made-by-cloud", want: decision.ReasonIdentityConflict,
		},
		"imported from one store, confirmed all the same": {
			one: true, imports: true, prefix: "made-by-cloud", confirm: "prod", want: decision.ReasonIdentityConflict,
		},
		"imported from another store":                   {imports: true, prefix: "made-by-cloud"},
		"imported, nothing shows from where":            {imports: true, want: decision.ReasonIdentityConflict},
		"imported, nothing shows from where, confirmed": {imports: true, confirm: "prod"},
		"imported, nothing shows from where, another confirmed": {
			imports: true, confirm: "dev", want: decision.ReasonIdentityConflict,
		},
		"imported, nothing shows from where, the configuration confirmed": {imports: true, by: other},
		"created without a look":            {unchecked: true, prefix: "made-by-cloud", want: decision.ReasonIdentityConflict},
		"created without a look, confirmed": {unchecked: true, prefix: "made-by-cloud", confirm: "prod"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				first, second := x.cloud, x.cloud
				first.prefix = test.prefix
				if !test.one {
					second = newCloud(plannedIdentity)
					if second.prefix = test.prefix; test.prefix != "" {
						second.prefix += "-2"
					}
				}
				a.through(dev, first)
				a.settle()
				b.through(prod, second)
				if test.by.Name != "" {
					b.through(test.by, second)
				}
				if test.imports {
					if !test.one {
						second.add(object{"x", 1})
					}
					b.r.Import.Target = byID(second.ids()[0])
				}
				b.r.Policies.CreateUnchecked, b.r.ConfirmAccount = test.unchecked, test.confirm
				before := len(second.ids())
				if got := b.tried(); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
				if got := len(second.ids()); test.want != "" && got != before {
					t.Errorf("%d objects, want %d", got, before)
				}
				if test.want == "" {
					if !b.deletes() {
						t.Error("its own object is left")
					}
					if diff := cmp.Diff(1, len(first.ids())); diff != "" {
						t.Error(diff)
					}
				}
				a.settle()
			})
		})
	}
}

// A look through one configuration proves nothing while the object that another one has made may
// not be visible yet.
func TestTwinsThatAreNotVisibleYet(t *testing.T) {
	tests := map[string]struct {
		// after is how long ago the object was made when it is not found.
		after time.Duration
		want  scheduler.Reason
	}{
		"just made":                    {want: decision.ReasonIdentityConflict},
		"shortly before the time ends": {after: scheduler.DefaultCreationGracePeriod - time.Second, want: decision.ReasonIdentityConflict},
		"long ago":                     {after: scheduler.DefaultCreationGracePeriod + time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				x.cloud.prefix, x.cloud.unique = "made-by-cloud", true
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				x.o.CreationGracePeriod = scheduler.DefaultCreationGracePeriod
				x.again(a, b)
				a.through(dev, x.cloud)
				a.settle()
				time.Sleep(test.after)
				id := x.cloud.ids()[0]
				x.cloud.hidden[id] = true
				b.through(prod, x.cloud)
				b.tried()
				x.cloud.hidden[id] = false
				time.Sleep(time.Hour)
				b.r.Import.Target = byID(id)
				if got := b.tried(); got != test.want {
					t.Errorf("the import of the object: got %q, want %q", got, test.want)
				}
			})
		})
	}
}

// An object that two resources have since before it was known is kept when one of them is deleted.
// Both work on it until then.
func TestTwinsThatHaveOneObject(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		x.cloud.prefix = "made-by-cloud"
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		a.through(dev, x.cloud)
		a.settle()
		b.through(prod, x.cloud)
		b.stores(a.stored().Instance)
		a.settle()
		b.settle()
		b.deleting()
		b.observe()
		err := b.sched.Delete(t.Context(), b.r)
		if err == nil {
			synctest.Wait()
		}
		se := b.refuses(err, decision.ReasonIdentityConflict)
		if !strings.Contains(se.Error(), "name the same remote object") || len(x.cloud.ids()) != 1 {
			t.Errorf("%s; objects %v", se, x.cloud.ids())
		}
	})
}

// What one object has shown of two configurations counts for all. Thirty servers have the same
// names.
func TestManyStores(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		var all []*harness
		for i := range 30 {
			c := with(dev, func(c *instance.Configuration) {
				c.Name, c.UID, c.Arguments = fmt.Sprintf("c%d", i), fmt.Sprint(i), fmt.Sprintf("%012d", i)
			})
			server := newCloud(plannedIdentity)
			for _, name := range []string{"x", "y"} {
				h := x.resource(fmt.Sprintf("%s%d", name, i), i, name)
				h.through(c, server)
				h.r.Policies.CreateUnchecked = name == "y" && i%2 == 0
				if got := h.tried(); got != "" {
					t.Fatalf("%s of server %d is refused: %s", name, i, got)
				}
				all = append(all, h)
			}
		}
		x.again(all...)
		for _, h := range all {
			h.settle()
			if got := h.cloud.ids(); !slices.Equal(got, []string{"i-1", "i-2"}) {
				t.Fatalf("objects %v", got)
			}
		}
	})
}
