package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// dev is the configuration with which the resources of these tests are created, and prod another
// one.
var (
	dev  = instance.Configuration{Name: "test.landbridge.io/ClusterProviderConfig//dev", UID: "uid-dev", Arguments: "aaaaaaaaaaaa"}
	prod = instance.Configuration{Name: "test.landbridge.io/ClusterProviderConfig//prod", UID: "uid-prod", Arguments: "bbbbbbbbbbbb"}
)

// accounts is a resource whose object was created with dev, and two clouds.
type accounts struct {
	*harness
	dev, prod *cloud
}

func newAccounts(t *testing.T, kind identityKind, f func(a *accounts)) {
	t.Helper()
	bubble(t, kind, func(h *harness) {
		a := &accounts{harness: h, dev: h.cloud, prod: newCloud(kind)}
		a.dev.prefix, a.prod.prefix = "made-in-dev", "made-in-prod"
		a.prod.log = h.log
		a.use(dev, a.dev)
		a.settle()
		a.log.take()
		a.told.take()
		f(a)
	})
}

// use has the resource use a configuration, which gives access to a cloud.
func (a *accounts) use(c instance.Configuration, to *cloud) {
	a.r.ProviderConfiguration, a.r.StoredAccount, a.cloud = c.Name, c.Account(), to
	a.r.Generation++
	a.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
		a.log.add("acquire")
		return to, func() {}, nil
	}
}

func with(c instance.Configuration, change func(*instance.Configuration)) instance.Configuration {
	change(&c)
	return c
}

// ask observes, and applies or deletes, several times. It returns the last refusal.
func (a *accounts) ask() *scheduler.Error {
	a.t.Helper()
	var last error
	for range 4 {
		_, last = a.sched.Observe(a.t.Context(), a.r)
		if a.r.Deleted {
			_ = a.sched.Delete(a.t.Context(), a.r)
		} else {
			_ = a.sched.Apply(a.t.Context(), a.r)
		}
		synctest.Wait()
		time.Sleep(time.Hour)
	}
	if last == nil {
		return nil
	}
	return a.refuses(last, decision.ReasonAccountChanged)
}

func (a *accounts) delete() { a.r.Deleted, a.r.Config, a.r.ConfigHash = true, nil, "" }

// In another account nothing is asked for, whether it has an object of the same name or not.
func TestOtherAccount(t *testing.T) {
	prepare := map[string]func(a *accounts){
		"a stranger of the same name": func(a *accounts) { a.prod.add(object{"a", 7}) },
		"nothing there":               func(*accounts) {},
		"an object of the same id":    func(a *accounts) { a.prod.prefix = "made-in-dev"; a.prod.add(object{"a", 7}) },
	}
	then := map[string]func(a *accounts){
		"stays":                func(*accounts) {},
		"changed":              func(a *accounts) { a.want("a", 2) },
		"to be replaced":       func(a *accounts) { a.want("b", 1) },
		"deleted":              (*accounts).delete,
		"deleted without read": func(a *accounts) { a.delete(); a.r.WithoutRefresh = true },
		"tainted":              func(a *accounts) { a.r.Tokens = store.Tokens{Taint: "1"} },
		"interrupted update":   func(a *accounts) { a.edit(interruptedUpdate); a.restart() },
		"after a restart":      func(a *accounts) { a.restart() },
	}
	for _, kind := range []identityKind{noIdentity, assigned, derivable} {
		for what, prepare := range prepare {
			for name, change := range then {
				t.Run(string(kind)+"/"+what+"/"+name, func(t *testing.T) {
					newAccounts(t, kind, func(a *accounts) {
						prepare(a)
						before := [][]string{a.dev.ids(), a.prod.ids()}
						a.use(prod, a.prod)
						change(a)
						a.log.take()
						refused := a.ask()
						if refused == nil {
							t.Fatal("the resource is observed")
						}
						for _, part := range []string{"ClusterProviderConfig dev", "ClusterProviderConfig prod", `landbridge.io/confirm-account to "prod"`} {
							if !strings.Contains(refused.Error(), part) {
								t.Errorf("%q is not in the message: %s", part, refused)
							}
						}
						if calls := a.log.take(); slices.Contains(calls, "acquire") {
							t.Errorf("the provider was asked: %v", calls)
						}
						if diff := cmp.Diff(before, [][]string{a.dev.ids(), a.prod.ids()}); diff != "" {
							t.Error(diff)
						}
						if !a.stored().Instance.Exists() || a.stored().Account != dev.Account() {
							t.Errorf("stored: %+v", a.stored())
						}
						// Back in dev, everything is as before.
						a.use(dev, a.dev)
						a.r.Tokens, a.r.WithoutRefresh = store.Tokens{}, false
						if a.r.Deleted {
							if err := a.ask(); err != nil || len(a.dev.ids()) != 0 {
								t.Errorf("back in dev: %v, %v", err, a.dev.ids())
							}
							return
						}
						a.settle()
					})
				})
			}
		}
	}
}

func interruptedUpdate(in *instance.Instance) {
	in.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, StartedAt: time.Now().Add(-time.Hour), Deadline: time.Now()}
}

// What is declared, or shown by the arguments that name the account, is the same account.
func TestSameAccount(t *testing.T) {
	tests := map[string]struct{ from, to instance.Configuration }{
		"declared": {
			with(dev, func(c *instance.Configuration) { c.Declared = "x" }), with(prod, func(c *instance.Configuration) { c.Declared = "x" }),
		},
		"the same naming arguments": {
			with(dev, func(c *instance.Configuration) { c.Naming = "n" }), with(prod, func(c *instance.Configuration) { c.Naming = "n" }),
		},
		"made again":          {dev, with(dev, func(c *instance.Configuration) { c.UID = "again" })},
		"declared afterwards": {dev, with(dev, func(c *instance.Configuration) { c.Declared = "x" })},
		"not known before":    {instance.Configuration{}, prod},
		"other naming the same": {
			with(dev, func(c *instance.Configuration) { c.Naming = "n" }),
			with(dev, func(c *instance.Configuration) { c.Naming, c.Arguments = "n", "c" }),
		},
		"same uid, same argument": {dev, with(dev, func(c *instance.Configuration) { c.Confirmed = "x" })},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			newAccounts(t, assigned, func(a *accounts) {
				account := test.from.Account()
				if test.from == (instance.Configuration{}) {
					account = ""
				}
				rec := a.stored()
				rec.Account = account
				if _, err := a.store.Save(t.Context(), a.r.Key, a.r.Type.Schema, rec); err != nil {
					t.Fatal(err)
				}
				a.restart()
				a.use(test.to, a.dev)
				a.log.take()
				a.store.writes = 0
				a.settle()
				if a.stored().Account != test.to.Account() {
					t.Errorf("stored is %s", a.stored().Account)
				}
				for range 3 {
					time.Sleep(time.Hour)
					a.settle()
				}
				if a.store.writes != 1 {
					t.Errorf("%d writes", a.store.writes)
				}
				a.want("a", 2)
				a.settle()
				if n := len(a.dev.ids()); n != 1 {
					t.Errorf("%d objects", n)
				}
			})
		})
	}
}

// An account that is not known is not that in which nothing is found.
func TestAccountIsLearnedFromWhatIsFound(t *testing.T) {
	newAccounts(t, assigned, func(a *accounts) {
		rec := a.stored()
		rec.Account = ""
		if _, err := a.store.Save(t.Context(), a.r.Key, a.r.Type.Schema, rec); err != nil {
			t.Fatal(err)
		}
		a.restart()
		a.use(prod, a.prod)
		o := a.observe()
		if o.Exists() || a.stored().Account != "" {
			t.Errorf("it exists: %v, and its account is %q", o.Exists(), a.stored().Account)
		}
	})
}

// A confirmed account is the resource's: the object elsewhere is left, and one of its name there is
// not taken over.
func TestConfirmedAccount(t *testing.T) {
	confirm := func(a *accounts) {
		a.use(prod, a.prod)
		a.ask()
		a.r.ConfirmAccount = "prod"
	}
	tests := map[string]struct {
		do  func(a *accounts)
		dev []string
		// prod are the objects there in the end, and reason why it is refused; empty if it is not.
		prod   []string
		reason scheduler.Reason
	}{
		"created there": {do: confirm, dev: []string{"made-in-dev-1"}, prod: []string{"made-in-prod-1"}},
		"a stranger there": {
			do:  func(a *accounts) { a.prod.add(object{"a", 7}); confirm(a) },
			dev: []string{"made-in-dev-1"}, prod: []string{"made-in-prod-1"}, reason: decision.ReasonAlreadyExists,
		},
		"deleted, a stranger there": {
			do:  func(a *accounts) { a.prod.add(object{"a", 7}); confirm(a); a.delete() },
			dev: []string{"made-in-dev-1"}, prod: []string{"made-in-prod-1"},
		},
		"deleted, the same account": {do: func(a *accounts) {
			a.use(prod, a.dev)
			a.ask()
			a.r.ConfirmAccount = "prod"
			a.delete()
		}},
		"the same account": {
			do:  func(a *accounts) { a.use(prod, a.dev); a.r.ConfirmAccount = "prod" },
			dev: []string{"made-in-dev-1"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			newAccounts(t, derivable, func(a *accounts) {
				test.do(a)
				var last error
				for range 4 {
					if _, last = a.sched.Observe(t.Context(), a.r); last == nil {
						if a.r.Deleted {
							last = a.sched.Delete(t.Context(), a.r)
						} else {
							last = a.sched.Apply(t.Context(), a.r)
						}
					}
					synctest.Wait()
				}
				if test.reason != "" {
					a.refuses(last, test.reason)
				} else if last != nil {
					t.Fatal(last)
				}
				if diff := cmp.Diff([][]string{test.dev, test.prod}, [][]string{a.dev.ids(), a.prod.ids()}); diff != "" {
					t.Error(diff)
				}
				left := slices.Contains(a.told.take(), "Left")
				if want := a.cloud == a.prod; left != want {
					t.Errorf("it is told that an object is left: %v", left)
				}
				if a.stored().Account != prod.Account() {
					t.Errorf("stored is %s", a.stored().Account)
				}
			})
		})
	}
}

// A resource whose object is to stay lets it go, without a look at another account.
func TestOtherAccountLetsGo(t *testing.T) {
	newAccounts(t, derivable, func(a *accounts) {
		a.prod.add(object{"a", 7})
		a.use(prod, a.prod)
		a.delete()
		a.r.Policies = desired.Policies{Manage: true}
		var told []string
		a.r.Tell = func(e scheduler.Event) { told = append(told, e.Why) }
		if o := a.observe(); o.Exists() {
			t.Errorf("the observation is %+v", o)
		}
		if len(told) != 1 || !strings.Contains(told[0], "stays in ClusterProviderConfig dev") {
			t.Errorf("told: %q", told)
		}
		if slices.Contains(a.log.take(), "acquire") || len(a.dev.ids()) != 1 || len(a.prod.ids()) != 1 {
			t.Error("the provider was asked")
		}
	})
}

// If the arguments of a configuration change, its objects show whether it is for the same account.
func TestChangedArguments(t *testing.T) {
	edited := with(dev, func(c *instance.Configuration) { c.Arguments = "cccccccccccc" })
	again := with(edited, func(c *instance.Configuration) { c.UID = "again" })
	confirmed := with(edited, func(c *instance.Configuration) { c.Confirmed = c.Code() })
	tests := map[string]struct {
		kind identityKind
		to   instance.Configuration
		// same has the account stay the same. prepare is called with the other one, if it does not.
		same    bool
		prepare func(a *accounts)
		refused bool
		// objects are those of the account in the end.
		objects []string
	}{
		"the same account":             {kind: assigned, to: edited, same: true, objects: []string{"made-in-dev-1"}},
		"the same account, made again": {kind: assigned, to: again, same: true, objects: []string{"made-in-dev-1"}},
		"gone there":                   {kind: assigned, to: edited, refused: true},
		"gone there, made again":       {kind: assigned, to: again, refused: true},
		"gone there, confirmed":        {kind: assigned, to: confirmed, objects: []string{"made-in-prod-1"}},
		"a stranger": {kind: constant, to: edited, refused: true, prepare: func(a *accounts) {
			a.prod.prefix = "made-in-dev"
			a.prod.add(object{"a", 7})
		}, objects: []string{"made-in-dev-1"}},
	}
	for name, test := range tests {
		for _, restart := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				newAccounts(t, test.kind, func(a *accounts) {
					if restart {
						a.restart()
					}
					to := a.prod
					if test.same {
						to = a.dev
					} else if test.prepare != nil {
						test.prepare(a)
					}
					a.use(test.to, to)
					a.want("a", 2)
					refused := a.ask()
					if (refused != nil) != test.refused {
						t.Errorf("it is refused with %v", refused)
					}
					if diff := cmp.Diff(test.objects, to.ids()); diff != "" {
						t.Error(diff)
					}
					if test.refused && (a.prod.applies > 0 || !a.stored().Instance.Exists() || a.stored().Account != dev.Account()) {
						t.Errorf("%d changes; stored: %+v", a.prod.applies, a.stored())
					}
				})
			})
		}
	}
}

// What one object has shown of a configuration counts for all of its resources.
func TestProvedByAnother(t *testing.T) {
	edited := with(dev, func(c *instance.Configuration) { c.Arguments = "cccccccccccc" })
	newAccounts(t, assigned, func(a *accounts) {
		other := *a.harness
		other.r.Key.Name, other.r.UID = "two", "uid-2"
		other.want("b", 1)
		other.settle()
		a.dev.remove("made-in-dev-1")
		a.use(edited, a.dev)
		if a.ask() == nil {
			t.Fatal("what is not found is taken for gone")
		}
		other.r.StoredAccount, other.r.Acquire = a.r.StoredAccount, a.r.Acquire
		other.settle()
		if err := a.ask(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"made-in-dev-2", "made-in-dev-3"}, a.dev.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// What a configuration has shown of objects that were accessed with it as it was says nothing of
// those that were accessed with it at another time, when it was for another account.
func TestProvedOnlyForWhatItWas(t *testing.T) {
	moved := with(dev, func(c *instance.Configuration) { c.Arguments = "cccccccccccc" })
	edited := with(dev, func(c *instance.Configuration) { c.Arguments = "dddddddddddd" })
	newAccounts(t, assigned, func(a *accounts) {
		meanwhile := &accounts{harness: &harness{}, dev: a.dev, prod: a.prod}
		*meanwhile.harness = *a.harness
		meanwhile.r.Key.Name, meanwhile.r.UID = "two", "uid-2"
		meanwhile.use(moved, a.prod)
		meanwhile.want("b", 1)
		meanwhile.settle()
		a.use(edited, a.dev)
		if err := a.ask(); err != nil {
			t.Fatal(err)
		}
		meanwhile.use(edited, a.dev)
		if meanwhile.ask() == nil {
			t.Error("what is not found is taken for gone")
		}
		if diff := cmp.Diff([]string{"made-in-dev-1"}, a.dev.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// The object of a resource is not taken over by one of another account.
func TestOtherAccountTakesNothingOver(t *testing.T) {
	newMoves(t, false, func(m *moves) {
		rec := m.old.stored()
		rec.Account = dev.Account()
		if _, err := m.store.Save(t.Context(), m.old.r.Key, m.old.r.Type.Schema, rec); err != nil {
			t.Fatal(err)
		}
		m.new.r.StoredAccount = prod.Account()
		m.new.observeRefused(decision.ReasonAccountChanged)
		if in := m.old.stored().Instance; !in.Exists() || in.Operation != nil {
			t.Errorf("stored of the source: %+v", in)
		}
		m.new.r.StoredAccount = dev.Account()
		m.new.observe()
		if got := m.new.stored(); got.Account != dev.Account() || !got.Instance.Exists() {
			t.Errorf("stored of the target: %+v", got)
		}
	})
}
