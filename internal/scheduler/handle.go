package scheduler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// The object of a create can be found before the provider has told about it, by a handle:
//
//	an identity that is planned, or made of      the provider's word
//	arguments of the same names
//	an identity that the configuration maps      the word of who wrote the configuration
//	to arguments, or an import id that it
//	makes of the external name
//
// What a configuration says is checked against the objects that are seen. Until one has confirmed
// it, an object that is not found proves nothing. As soon as one contradicts it, it is not used any
// more.

// named returns the id by which the object of a create can be imported; empty if that is not known
// or refuted.
func (r *Request) named() string { return r.Handles.named(r.NamedImport.ID) }

// learn checks the mapping against the identity of an object: the mapping of the object itself and,
// if the object was just made, of its plan. It returns how the object contradicts the mapping.
func (r *Request) learn(in instance.Instance, planned cty.Value) (contradiction string) {
	if r.Handles == nil || r.Handles.Identity == nil || !known(in.Identity) {
		return ""
	}
	for _, object := range []cty.Value{in.State, planned} {
		if !present(object) {
			continue
		}
		switch agrees, why := r.compare(object, in.Identity); {
		case why != "":
			r.Handles.mapping.refute(why)
			return why
		case agrees:
			r.Handles.mapping.confirm()
		}
	}
	return ""
}

// compare compares the mapped identity of an object with its actual one. agrees is set if all
// attributes that an import requires are known and equal.
func (r *Request) compare(object, actual cty.Value) (agrees bool, why string) {
	mapped := r.Handles.Identity(object)
	agrees = true
	for _, name := range slices.Sorted(maps.Keys(mapped)) {
		is := plannedAttribute(actual, name, mapped[name].Type())
		switch {
		case is == cty.NilVal:
			agrees = false
		case !is.RawEquals(mapped[name]):
			return false, fmt.Sprintf("the configuration makes the attribute %s of the identity %s, but it is %s", name, inWords(mapped[name]), inWords(is))
		}
	}
	for _, name := range r.Type.Schema.Identity.Required() {
		if _, ok := mapped[name]; !ok && plannedAttribute(object, name, r.Type.Schema.Identity.Attributes[name].Type) == cty.NilVal {
			agrees = false
		}
	}
	return agrees, ""
}

func inWords(v cty.Value) string {
	if v.Type().IsPrimitiveType() {
		if text, err := convert.Convert(v, cty.String); err == nil { // primitive values can be converted
			return fmt.Sprintf("%q", text.AsString())
		}
	}
	return translate.CanonicalIdentity(cty.ObjectVal(map[string]cty.Value{"it": v}))[len("it="):]
}

// probeAgain is the time after which an import id that could not be checked is checked again.
const probeAgain = time.Minute

// probe checks the import id that the configuration makes, by importing the first object that is
// seen. It returns how the object contradicts it.
func (s *Scheduler) probe(ctx context.Context, r *Request, in instance.Instance, ex terraform.Executor) {
	if r.named() == "" || r.Deleted || !r.Policies.Manage || in.Status != instance.Full || !r.NamedImport.Names(in.State) {
		return
	}
	b, now := &r.Handles.importID, s.o.Clock.Now()
	b.mu.Lock()
	due := !b.confirmed && !now.Before(b.tryAt)
	if due {
		b.tryAt = now.Add(probeAgain)
	}
	b.mu.Unlock()
	if !due {
		return
	}
	found, diags := ex.Import(ctx, r.Type, terraform.ImportTarget{ID: r.NamedImport.ID, Identity: cty.NilVal})
	switch {
	case terraform.NonExistent(diags):
		b.refute(fmt.Sprintf("the configuration makes the import id %q, but there is no object with it", r.NamedImport.ID))
	case diags.HasErrors():
	case ownership.StateID(found.State) == ownership.StateID(in.State) && r.NamedImport.Names(found.State):
		b.confirm()
	default:
		b.refute(fmt.Sprintf("the configuration makes the import id %q, but another object has it", r.NamedImport.ID))
	}
}

// handle is how the object of a create is found. The zero value is none.
type handle struct {
	// identity is an identity, complete as far as an import needs it; importID is the alternative.
	identity cty.Value
	importID string
	// mapped is set if the configuration has a part in the identity.
	mapped bool
	// confirmed is set if an object that is not found does not exist.
	confirmed bool
}

// none reports whether there is no handle.
func (h handle) none() bool { return !h.identified() && h.importID == "" }

func (h handle) identified() bool { return h.identity != cty.NilVal && !h.identity.IsNull() }

// note stores the handle in the intent of a create.
func (h handle) note(op *instance.Operation) {
	op.Confirmed, op.ImportID = h.confirmed && (h.mapped || h.importID != ""), h.importID
	if h.mapped {
		op.Mapped, op.PlannedIdentity = true, h.identity
	}
}

func (h handle) target() terraform.ImportTarget {
	if h.identified() {
		return terraform.ImportTarget{Identity: h.identity}
	}
	return terraform.ImportTarget{ID: h.importID, Identity: cty.NilVal}
}

// handleOf returns the handle of the object of a planned create.
func handleOf(r Request, identity, state cty.Value) handle {
	if v, mapped := plannedIdentityOf(r, identity, state); v != cty.NilVal {
		h := handle{identity: v, mapped: mapped, confirmed: true}
		if mapped {
			h.confirmed, _ = r.Handles.mapping.state()
		}
		return h
	}
	if id := r.named(); id != "" && present(state) && r.NamedImport.Names(state) {
		confirmed, _ := r.Handles.importID.state()
		return handle{identity: cty.NilVal, importID: id, confirmed: confirmed}
	}
	return handle{identity: cty.NilVal}
}

// handleOfInterrupted returns the handle of the object of an interrupted create. absent is set if
// no object had it right before the create. A handle of an earlier configuration is used only if it
// was confirmed.
func handleOfInterrupted(r Request, op *instance.Operation) (h handle, absent bool) {
	identity := op.PlannedIdentity
	if op.Mapped {
		identity = cty.NilVal // not the provider's
	}
	h = handleOf(r, identity, op.PlannedState)
	switch {
	case h.identified() && !h.mapped:
		return h, op.Absent && !op.Mapped
	case h.identified():
		same := op.Mapped && known(op.PlannedIdentity) && op.PlannedIdentity.RawEquals(h.identity)
		h.confirmed = h.confirmed || same && op.Confirmed
		return h, same && op.Absent
	case op.Mapped && op.Confirmed && len(r.Handles.refuted()) == 0 && known(op.PlannedIdentity):
		return handle{identity: op.PlannedIdentity, mapped: true, confirmed: true}, op.Absent
	case op.ImportID == "":
		h.confirmed = h.importID != "" && h.confirmed
		return h, false
	case h.importID == op.ImportID:
		h.confirmed = h.confirmed || op.Confirmed
		return h, op.Absent
	case op.Confirmed && len(r.Handles.refuted()) == 0:
		return handle{identity: cty.NilVal, importID: op.ImportID, confirmed: true}, op.Absent
	}
	return handle{identity: cty.NilVal}, false
}

// is reports whether an object that was found by a handle is the one that the handle means.
// Otherwise the handle is not used any more, if an identity shows that it is wrong.
func (h handle) is(r *Request, found instance.Instance) bool {
	if h.identified() {
		return !h.mapped || r.learn(found, cty.NilVal) == ""
	}
	return r.NamedImport.ID != h.importID || r.NamedImport.Names(found.State)
}

// contradiction returns how an object contradicts the handles of the configuration, and tells the
// first contradiction as an event.
func (r *Request) contradiction(in instance.Instance, tell func(Event)) string {
	if r.Handles == nil || !in.Exists() || !known(in.State) {
		return ""
	}
	b, why := &r.Handles.mapping, r.learn(in, cty.NilVal)
	if why == "" && r.NamedImport.ID != "" && r.NamedImport.Names(in.State) {
		b = &r.Handles.importID
		_, why = b.state()
	}
	if why == "" {
		return ""
	}
	why += ". " + mendConfiguration
	if b.tell() {
		tell(Event{Kind: Contradicted, Why: why})
	}
	return why
}
