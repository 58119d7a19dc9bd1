package scheduler_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// modular is a module with the object x, which it accesses through a configuration. made is what
// the provider has made of it.
func (x *estate) modular(name string, age int, c instance.Configuration, made terraform.Made) (*harness, *moduleCloud) {
	m := &moduleCloud{
		cloud: newCloud(noIdentity), creates: []terraform.Object{{
			Configuration: "test", Type: "test_thing", Identity: `{"path":"/things/x"}`, Made: made,
		}},
	}
	h := x.module(name, age, m)
	h.cloud = m.cloud
	h.r.Accesses = map[string]ownership.Access{"test": {Configuration: c.Name, Account: ownership.Account{Content: c.Arguments}}}
	h.r.StoredAccount = instance.AccountOf(map[string]instance.Configuration{"test": c})
	return h, m
}

// madeBy is what the provider has made of the object of a resource.
func (h *harness) madeBy() terraform.Made {
	return terraform.MadeOf(h.r.Type.Schema, h.stored().Instance.State)
}

// A module wants an object of the identity of another one, through configurations that may access
// one store or two.
func TestTwinsInModules(t *testing.T) {
	for name, test := range map[string]struct {
		// prefix is that of the ids that the store makes; with short ones, stores make the same.
		prefix string
		// imports has the module import the object, and not create it.
		imports bool
		finds   terraform.Found
		// one is set if a look shows the object of the other resource.
		one     bool
		confirm string
		want    scheduler.Reason
		// later is what is decided of an import through the same configurations afterwards.
		later scheduler.Reason
	}{
		"an import from one store": {
			prefix: "made-by-cloud", imports: true, one: true, want: decision.ReasonIdentityConflict,
			later: decision.ReasonIdentityConflict,
		},
		"an import from another store": {
			prefix: "made-by-cloud", imports: true, finds: terraform.Found{
				Looked: true, Exists: true, Made: "!id=other",
			},
		},
		"an import that shows nothing": {
			imports: true, one: true, want: decision.ReasonIdentityConflict, later: decision.ReasonIdentityConflict,
		},
		"an import that shows nothing, confirmed": {imports: true, one: true, confirm: "prod", later: decision.ReasonIdentityConflict},
		"an import that is not looked for": {
			prefix: "made-by-cloud", imports: true, want: decision.ReasonIdentityConflict,
			later: decision.ReasonIdentityConflict,
		},
		"a create in one store": {
			prefix: "made-by-cloud", one: true, want: decision.ReasonIdentityConflict,
			later: decision.ReasonIdentityConflict,
		},
		"a create in another store":   {prefix: "made-by-cloud", finds: terraform.Found{Looked: true}},
		"a create that shows nothing": {one: true, later: decision.ReasonIdentityConflict},
	} {
		for _, contained := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, that of a module: %t", name, contained), func(t *testing.T) {
				newEstate(t, plannedIdentity, func(x *estate) {
					x.cloud.prefix = test.prefix
					first := x.resource("first", 0, "x")
					first.through(dev, x.cloud)
					first.settle()
					time.Sleep(time.Hour)
					made := first.madeBy()
					if contained {
						first.deletes()
						first, _ = x.modular("module", 0, dev, made)
						first.settle()
					}
					if test.finds.Made = cmp.Or(test.finds.Made, made); test.one {
						test.finds.Looked, test.finds.Exists = true, true
					}
					b, m := x.modular("b", 1, prod, test.finds.Made)
					m.finds, b.r.ConfirmAccount = test.finds, test.confirm
					if test.imports {
						m.creates, m.imports = nil, m.creates
					}
					if got := b.tried(); got != test.want {
						t.Errorf("got %q, want %q", got, test.want)
					}
					if test.want != "" && m.applies > 0 {
						t.Error("it is applied")
					}
					if contained && !test.imports && !test.one {
						test.later = decision.ReasonIdentityConflict // that of a module may not have been visible yet
					}
					later := x.resource("later", 2, "x")
					store := newCloud(plannedIdentity)
					store.prefix = test.prefix
					id := store.add(object{"x", 1})
					later.through(prod, store)
					later.r.Import.Target = byID(id)
					if test.want == "" {
						b.sched.Gone(b.r.Key)
					}
					if got := later.tried(); got != test.later {
						t.Errorf("later: got %q, want %q", got, test.later)
					}
				})
			})
		}
	}
}

// A resource wants an object of the identity of one that a module has through another
// configuration.
func TestTwinsOfModules(t *testing.T) {
	for name, test := range map[string]struct {
		prefix  string
		made    terraform.Made
		confirm string
		want    scheduler.Reason
	}{
		"one store":                {prefix: "made-by-cloud", want: decision.ReasonIdentityConflict},
		"another store":            {prefix: "made-by-cloud", made: "!id=other"},
		"nothing shows":            {want: decision.ReasonIdentityConflict},
		"nothing shows, confirmed": {confirm: "prod"},
		"of an earlier release":    {prefix: "made-by-cloud", made: "-", want: decision.ReasonIdentityConflict},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				x.cloud.prefix = test.prefix
				id := x.cloud.add(object{"x", 1})
				b := x.resource("b", 1, "x")
				made := terraform.MadeOf(b.r.Type.Schema, x.cloud.instance(id).State)
				if test.made == "-" {
					made = ""
				} else if test.made != "" {
					made = test.made
				}
				a, _ := x.modular("a", 0, dev, made)
				a.settle()
				b.through(prod, x.cloud)
				b.r.Import.Target, b.r.ConfirmAccount = byID(id), test.confirm
				if got := b.tried(); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		})
	}
}

// An object that a module and another resource have since before it was known is not destroyed,
// neither with the module nor by a change of it.
func TestTwinsThatHaveOneObjectOfAModule(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		x.cloud.prefix = "made-by-cloud"
		a := x.resource("a", 0, "x")
		a.through(dev, x.cloud)
		a.settle()
		b, m := x.modular("b", 1, prod, a.madeBy())
		b.stores(m.instance(m.add(object{"b", 1})))
		b.settle()
		b.want("b", 2)
		b.settle()
		if m.refused == nil || !strings.Contains(m.refused.Error(), "Thing team/a names the same remote object") {
			t.Errorf("refused: %v", m.refused)
		}
		applies := m.applies
		b.deleting()
		b.observe()
		se := b.refuses(b.sched.Delete(t.Context(), b.r), decision.ReasonIdentityConflict)
		if synctest.Wait(); m.applies != applies || !strings.Contains(se.Error(), "name the same remote object") {
			t.Errorf("%s; %d applies", se, m.applies-applies)
		}
		// The other one is not destroyed either.
		a.deleting()
		a.observe()
		a.refuses(a.sched.Delete(t.Context(), a.r), decision.ReasonIdentityConflict)
	})
}

// Thirty servers have the same names, also in modules.
func TestManyStoresOfModules(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		var all []*harness
		for i := range 30 {
			c := with(dev, func(c *instance.Configuration) {
				c.Name, c.UID, c.Arguments = fmt.Sprintf("c%d", i), fmt.Sprint(i), fmt.Sprintf("%012d", i)
			})
			h, m := x.modular(fmt.Sprint("m", i), i, c, terraform.Made(fmt.Sprintf("!id=%d", i)))
			m.finds = terraform.Found{Looked: true}
			all = append(all, h)
			h.settle()
		}
		x.again(all...)
		for _, h := range all {
			if got := titles(h.settle().Warnings); len(got) > 0 {
				t.Errorf("warnings: %v", got)
			}
		}
	})
}

// titles are those of the warnings that not each plan has.
func titles(of diagnostic.Diagnostics) (out []string) {
	for _, d := range of {
		if d.Summary == "Deprecated" {
			continue // told by each plan
		}
		out = append(out, d.Summary)
	}
	return out
}

// Resources that have one object since before it was known, or may have, are both told of it, and
// go on. Resources of other namespaces are not named.
func TestWorkingTwinsAreTold(t *testing.T) {
	for name, test := range map[string]struct {
		prefix, second string
		contained      bool
		confirmed      bool
		abroad         bool
		want           []string
	}{
		"one object":                           {prefix: "made-by-cloud", want: []string{"Object shared"}},
		"one object, of two namespaces":        {prefix: "made-by-cloud", abroad: true, want: []string{"Object shared"}},
		"one object, that of a module":         {prefix: "made-by-cloud", contained: true, want: []string{"Object shared"}},
		"two objects":                          {prefix: "made-by-cloud", second: "made-by-another"},
		"nothing shows":                        {want: []string{"Object may be shared"}},
		"nothing shows, that of a module":      {contained: true, want: []string{"Object may be shared"}},
		"nothing shows, the account confirmed": {confirmed: true},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				x.cloud.prefix = test.prefix
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				a.through(dev, x.cloud)
				a.settle()
				time.Sleep(time.Hour)
				in := a.stored().Instance
				other := newCloud(plannedIdentity)
				if other.prefix = test.prefix; test.second != "" {
					other.prefix = test.second
				}
				mine := other.instance(other.add(object{"x", 1}))
				if test.contained {
					var m *moduleCloud
					b, m = x.modular("b", 1, prod, terraform.MadeOf(a.r.Type.Schema, mine.State))
					mine = m.instance(m.add(object{"b", 1}))
				} else {
					b.through(prod, other)
				}
				if test.abroad {
					b.abroad()
				}
				if test.confirmed {
					a.r.ConfirmAccount, b.r.ConfirmAccount = "dev", "prod"
				}
				if b.stores(mine); !test.contained && test.second == "" && mine.State.GetAttr("id") != in.State.GetAttr("id") {
					t.Fatal("they are two objects")
				}
				a.cloud.silentPlans = true
				a.settle()
				if a.r.Resting = true; !a.sched.Rest(a.r) {
					t.Error("it is not at rest")
				}
				x.takeWoken()
				for i, h := range []*harness{b, a, b} {
					o := h.settle()
					if diff := gocmp.Diff(test.want, titles(o.Warnings)); diff != "" {
						t.Errorf("look %d (-want +got):\n%s", i, diff)
					}
					if text := o.Warnings.String(); test.abroad && (strings.Contains(text, "team") || strings.Contains(text, "elsewhere/")) {
						t.Errorf("a resource of another namespace is named: %s", text)
					}
				}
				if woken := x.takeWoken(); slices.Contains(woken, "a") != (len(test.want) > 0) {
					t.Errorf("woken: %v", woken)
				}
				// It ends with the other one.
				x.gone[b.r.UID] = true
				b.sched.Gone(b.r.Key)
				if got := titles(a.observe().Warnings); len(got) > 0 {
					t.Errorf("told without the other one: %v", got)
				}
			})
		})
	}
}
