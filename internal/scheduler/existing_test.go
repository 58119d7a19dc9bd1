package scheduler_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A create that meets an object is refused, says how to take it over, and is not tried in a
// hurry. The object may be imported, or go.
func TestCreateMeetsObject(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, derivable} {
		for name, resolve := range map[string]func(x *estate, a *harness){
			"imported": func(x *estate, a *harness) {
				a.r.Import.Target, a.r.Generation = &terraform.ImportTarget{Identity: x.cloud.identity("i-1", "x")}, 2
				a.settle()
				if got := x.cloud.ids(); !slices.Equal(got, []string{"i-1"}) || x.cloud.applies != 0 {
					x.t.Errorf("objects %v after %d applies", got, x.cloud.applies)
				}
			},
			"gone": func(x *estate, a *harness) {
				x.cloud.remove("i-1")
				time.Sleep(time.Hour)
				a.settle()
				if got := x.cloud.ids(); !slices.Equal(got, []string{"i-2"}) {
					x.t.Errorf("objects %v", got)
				}
			},
		} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				newEstate(t, kind, func(x *estate) {
					x.cloud.add(object{"x", 1})
					a := x.resource("a", 0, "x")
					var wait time.Duration
					for range 4 {
						a.observe()
						a.apply()
						synctest.Wait()
						se := a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonAlreadyExists)
						if !strings.Contains(se.Error(), "set spec.import to identity: ") {
							t.Errorf("the way out is not told of: %s", se)
						}
						next := time.Until(se.RetryAt)
						if next <= wait {
							t.Errorf("after %s it is tried again after %s", wait, next)
						}
						wait = next
						time.Sleep(next)
					}
					if x.cloud.applies != 0 {
						t.Errorf("%d applies", x.cloud.applies)
					}
					if rec, ok := a.record(); ok && (rec.Instance.Exists() || rec.Instance.Operation != nil) {
						t.Error("something is stored")
					}
					resolve(x, a)
				})
			})
		}
	}
}

// An object that is only found to be another resource's by its whole identity.
func TestCreateMeetsOwned(t *testing.T) {
	newEstate(t, derivable, func(x *estate) { // region is filled in by the cloud
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		a.settle()
		x.again(a, b)
		b.observe()
		b.apply()
		synctest.Wait()
		if x.cloud.applies != 1 {
			t.Errorf("%d applies", x.cloud.applies)
		}
		se := b.refuses(b.sched.Apply(t.Context(), b.r), decision.ReasonIdentityConflict)
		if text := se.Error(); !strings.Contains(text, "Thing team/a") || strings.Contains(text, "spec.import") {
			t.Errorf("the message: %s", text)
		}
		for range 2 {
			b.conflicted("a")
			time.Sleep(time.Hour)
		}
		x.takeWoken()
		a.deletes()
		if woken := x.takeWoken(); !slices.Contains(woken, "b") {
			t.Errorf("woken: %v", woken)
		}
		b.settle()
	})
}

// Where the provider cannot look, the create is up to it.
func TestCreateCannotLook(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.cloud.fail["import"] = diagnostic.Errorf("Resource Import Not Implemented", "It is not.")
		h.observe()
		block := make(chan struct{})
		h.cloud.block = block
		h.apply()
		synctest.Wait()
		if op := h.stored().Instance.Operation; op == nil || op.Absent {
			t.Errorf("the intent is %+v", op)
		}
		close(block)
		synctest.Wait()
		h.settle()
	})
	bubble(t, derivable, func(h *harness) {
		h.observe()
		block := make(chan struct{})
		h.cloud.block = block
		h.apply()
		synctest.Wait()
		if op := h.stored().Instance.Operation; op == nil || !op.Absent {
			t.Errorf("the intent is %+v", op)
		}
		close(block)
	})
}

// Some providers import by any identity, and return what they are given if there is no such object.
// This does not prevent a create, and proves nothing after an interrupted one.
func TestCreateBehindCredulousImport(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, derivable} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				x.cloud.credulous = true
				a := x.resource("a", 0, "x")
				a.settle()
				if x.cloud.applies != 1 {
					t.Errorf("%d applies", x.cloud.applies)
				}
				b := x.resource("b", 1, "y")
				op := b.interrupted(instance.Create, instance.Instance{})
				rec := b.stored()
				rec.Instance.Operation.Absent = false
				if _, err := x.store.Save(t.Context(), b.r.Key, b.r.Type.Schema, rec); err != nil {
					t.Fatal(err)
				}
				se := b.observeRefused(decision.ReasonCreateOutcomeUnknown)
				if text := se.Error(); !strings.Contains(text, op.ID) || strings.Contains(text, "A remote object exists") {
					t.Errorf("the message: %s", text)
				}
			})
		})
	}
}

// With spec.lifecycle.existenceCheck: Never no object is looked for. It takes effect at once.
func TestCreateUnchecked(t *testing.T) {
	newEstate(t, derivable, func(x *estate) {
		x.cloud.add(object{"x", 1})
		a := x.resource("a", 0, "x")
		a.observe()
		a.apply()
		synctest.Wait()
		se := a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonAlreadyExists)
		if !strings.Contains(se.Error(), "set spec.lifecycle.existenceCheck to Never") {
			t.Errorf("the way out is not told of: %s", se)
		}
		a.log.take()
		a.r.Policies.CreateUnchecked = true
		a.settle()
		if slices.Contains(a.log.take(), "import") {
			t.Error("an object was looked for")
		}
		if got := x.cloud.ids(); !slices.Equal(got, []string{"i-1", "i-2"}) {
			t.Errorf("objects %v", got)
		}
	})
}

// An object that was not looked for before a create that was interrupted may be anybody's: it
// is neither replaced nor taken over, and only a person can say what it is.
func TestRecoverForeign(t *testing.T) {
	foreign := func(t *testing.T, f func(x *estate, a *harness)) {
		newEstate(t, derivable, func(x *estate) {
			x.cloud.add(object{"x", 1})
			a := x.resource("a", 0, "x")
			op := a.interrupted(instance.Create, instance.Instance{})
			rec := a.stored()
			rec.Instance.Operation.Absent = false
			if _, err := x.store.Save(t.Context(), a.r.Key, a.r.Type.Schema, rec); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				se := a.observeRefused(decision.ReasonCreateOutcomeUnknown)
				for _, part := range []string{"set spec.import to identity: ", "landbridge.io/confirm-create", op.ID} {
					if !strings.Contains(se.Error(), part) {
						t.Errorf("%q is not in: %s", part, se)
					}
				}
				a.r.Deleted = true
				a.observeRefused(decision.ReasonCreateOutcomeUnknown) // what may be there is not given up
				a.r.Deleted = false
			}
			f(x, a)
			if !slices.Contains(x.cloud.ids(), "i-1") {
				t.Error("the object was destroyed")
			}
		})
	}
	t.Run("imported", func(t *testing.T) {
		foreign(t, func(x *estate, a *harness) {
			a.r.Import.Target = byID("i-1")
			if o := a.settle(); o.Instance.Status != instance.Full || idOf(o.Instance) != "i-1" {
				t.Errorf("object %s is %s", idOf(o.Instance), o.Instance.Status)
			}
		})
	})
	t.Run("confirmed", func(t *testing.T) {
		foreign(t, func(x *estate, a *harness) {
			a.r.ConfirmCreate = "op-1"
			a.observe()
			a.apply()
			synctest.Wait()
			a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonAlreadyExists)
		})
	})
	t.Run("another's", func(t *testing.T) {
		foreign(t, func(x *estate, a *harness) {
			b := x.resource("b", 1, "x")
			b.r.Import.Target = byID("i-1")
			b.settle()
			a.conflicted("b")
			if a.deletes() {
				t.Error("something was destroyed")
			}
		})
	})
}

// Of two that recover a create, at most one has the object; one that another has meanwhile is
// not replaced.
func TestRecoverOwned(t *testing.T) {
	newEstate(t, derivable, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		x.cloud.add(object{"x", 1})
		a.interrupted(instance.Create, instance.Instance{}) // it made the object
		b.r.Import.Target = byID("i-1")
		b.settle()
		a.conflicted("b")
		b.settle()
	})
}

// When a resource's state is lost, the id recorded on the resource is used only if it can be
// verified.
func TestFoundByExternalName(t *testing.T) {
	cases := map[string]struct {
		kind    identityKind
		prepare func(x *estate, a *harness)
		refused bool
	}{
		"the object": {kind: noIdentity, prepare: func(x *estate, a *harness) {}},
		"changed since": {kind: noIdentity, prepare: func(x *estate, a *harness) {
			a.want("x", 2)
		}},
		"recorded under another name": {kind: noIdentity, refused: true, prepare: func(x *estate, a *harness) {
			a.r.Known.Recognize, a.r.Known.Observed = func(instance.Instance) bool { return false }, true
		}},
		"recorded under another name by the writer": {kind: noIdentity, prepare: func(x *estate, a *harness) {
			a.r.Known.Recognize = func(instance.Instance) bool { return false }
		}},
		"recorded under another name, has an identity": {kind: assigned, refused: true, prepare: func(x *estate, a *harness) {
			a.r.Known.Recognize, a.r.Known.Observed = func(instance.Instance) bool { return false }, true
		}},
		"recorded by the writer, has an identity": {kind: assigned, prepare: func(x *estate, a *harness) {
			a.r.Known.Recognize = func(instance.Instance) bool { return false }
		}},
		"it would be replaced": {kind: noIdentity, refused: true, prepare: func(x *estate, a *harness) {
			a.want("y", 1)
		}},
		"it would be replaced, but has an identity": {kind: assigned, prepare: func(x *estate, a *harness) {
			a.want("y", 1)
		}},
		"another resource has the same id": {kind: noIdentity, refused: true, prepare: func(x *estate, a *harness) {
			b := x.resource("b", 1, "z")
			b.r.Known = known("i-1")
			if err := b.sched.Claim(x.t.Context(), b.r); err != nil {
				x.t.Fatal(err)
			}
		}},
		"an id shared by all": {kind: constant, refused: true, prepare: func(x *estate, a *harness) {
			x.resource("b", 1, "z").settle()
			a.want("none", 0) // what an import by it would make
			a.r.Known = known("none")
		}},
		"a unique id that is a placeholder": {kind: constant, refused: true, prepare: func(x *estate, a *harness) {
			a.r.Known = known("none")
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			newEstate(t, tc.kind, func(x *estate) {
				x.cloud.add(object{"x", 1})
				a := x.resource("a", 0, "x")
				a.r.Known = known("i-1")
				tc.prepare(x, a)
				if !tc.refused {
					if o := a.observe(); idOf(o.Instance) != "i-1" {
						t.Errorf("object %q", idOf(o.Instance))
					}
					return
				}
				before := x.cloud.applies
				for range 2 {
					se := a.observeRefused(decision.ReasonImportFailed)
					for _, part := range []string{"crossplane.io/external-name", "spec.import"} {
						if !strings.Contains(se.Error(), part) {
							t.Errorf("%q is not in: %s", part, se)
						}
					}
				}
				if x.cloud.applies != before {
					t.Error("something was done")
				}
				// The way out: there is none, and one is created.
				a.r.Known = nil
				a.settle()
			})
		})
	}
}

// What is stored may be older than reality: then the resource has another object than the one
// that is stored.
func TestRestoredState(t *testing.T) {
	cases := map[string]struct {
		kind    identityKind
		known   string
		tainted bool     // what is stored, as after a token that it does not know of
		objects []string // besides the one that is stored, which is gone
		want    string   // the object in the end; made anew unless it was there
	}{
		"replaced since":            {kind: assigned, known: "i-2", objects: []string{"x"}, want: "i-2"},
		"replaced since, without":   {kind: noIdentity, known: "i-2", objects: []string{"x"}, want: "i-2"},
		"replaced since, tainted":   {kind: assigned, known: "i-2", tainted: true, objects: []string{"x"}, want: "i-2"},
		"replaced since, gone too":  {kind: assigned, known: "i-9", want: "i-2"},
		"the same, and gone":        {kind: assigned, known: "i-1", want: "i-2"},
		"the same, and another one": {kind: assigned, known: "i-1", objects: []string{"z"}, want: "i-3"},
	}
	for name, tc := range cases {
		for _, deleted := range []bool{false, true} {
			if deleted {
				name += ", deleted"
			}
			t.Run(name, func(t *testing.T) {
				newEstate(t, tc.kind, func(x *estate) {
					x.cloud.add(object{"x", 1})
					a := x.resource("a", 0, "x")
					in := x.cloud.instance("i-1")
					if tc.tainted {
						in.Status = instance.Tainted
					}
					a.stores(in)
					x.cloud.remove("i-1")
					for _, name := range tc.objects {
						x.cloud.add(object{name, 1})
					}
					a.r.Known = known(tc.known)
					a.r.Known.Recognize = func(in instance.Instance) bool { return idOf(in) == tc.known }
					if !deleted {
						if o := a.settle(); idOf(o.Instance) != tc.want {
							t.Errorf("the object is %q, want %q", idOf(o.Instance), tc.want)
						}
						return
					}
					a.r.Config, a.r.ConfigHash, a.r.Deleted = nil, "", true
					if o := a.observe(); o.Exists() {
						if err := a.sched.Delete(t.Context(), a.r); err != nil {
							t.Fatal(err)
						}
						synctest.Wait()
					}
					if slices.Contains(x.cloud.ids(), tc.known) {
						t.Error("the object is still there")
					}
				})
			})
		}
	}
}

// An import that is asked for where there is nothing any more is done, as it is where there was
// never anything.
func TestImportAfterwards(t *testing.T) {
	for name, f := range map[string]func(x *estate, a *harness){
		"instead of what is gone": func(x *estate, a *harness) {
			a.settle()
			x.cloud.remove("i-1")
			x.cloud.add(object{"x", 1})
			a.observe()
			a.apply()
			synctest.Wait()
			a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonAlreadyExists)
			a.r.Import.Target, a.r.Generation = &terraform.ImportTarget{Identity: x.cloud.identity("i-2", "x")}, 2
			a.settle()
			if got := x.cloud.ids(); !slices.Equal(got, []string{"i-2"}) || x.cloud.applies != 1 {
				x.t.Errorf("objects %v after %d applies", got, x.cloud.applies)
			}
		},
		"again, of what a create meets": func(x *estate, a *harness) {
			x.cloud.add(object{"x", 1})
			a.r.Import.Target = &terraform.ImportTarget{Identity: x.cloud.identity("i-1", "x")}
			a.settle()
			x.cloud.remove("i-1")
			a.observe()
			x.cloud.add(object{"x", 1})
			a.apply()
			synctest.Wait()
			a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonAlreadyExists)
			a.settle()
			if got := x.cloud.ids(); !slices.Equal(got, []string{"i-2"}) || x.cloud.applies != 0 {
				x.t.Errorf("objects %v after %d applies", got, x.cloud.applies)
			}
		},
		"what was imported, and is gone, is created": func(x *estate, a *harness) {
			x.cloud.add(object{"x", 1})
			a.r.Import.Target = &terraform.ImportTarget{Identity: x.cloud.identity("i-1", "x")}
			a.settle()
			x.cloud.remove("i-1")
			a.settle()
			if got := x.cloud.ids(); !slices.Equal(got, []string{"i-2"}) || x.cloud.applies != 1 {
				x.t.Errorf("objects %v after %d applies", got, x.cloud.applies)
			}
		},
		"what is not there": func(x *estate, a *harness) {
			a.settle()
			x.cloud.remove("i-1")
			a.observe()
			a.r.Import.Target, a.r.Generation = byID("i-9"), 2
			a.settle()
			if got := x.cloud.ids(); !slices.Equal(got, []string{"i-2"}) || x.cloud.applies != 2 {
				x.t.Errorf("objects %v after %d applies", got, x.cloud.applies)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, derivable, func(x *estate) { f(x, x.resource("a", 0, "x")) })
		})
	}
}
