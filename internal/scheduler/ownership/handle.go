package ownership

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
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

// Named returns the id by which the object of a create can be imported; empty if that is not known
// or refuted.
func (n Naming) Named() string { return n.Handles.Named(n.NamedImport.ID) }

// Learn checks the mapping against the identity of an object: the mapping of the object itself and,
// if the object was just made, of its plan. It returns how the object contradicts the mapping.
func (n Naming) Learn(in instance.Instance, planned cty.Value) (contradiction string) {
	if n.Handles == nil || n.Handles.Identity == nil || !instance.Known(in.Identity) {
		return ""
	}
	for _, object := range []cty.Value{in.State, planned} {
		if !instance.Present(object) {
			continue
		}
		switch agrees, why := n.compare(object, in.Identity); {
		case why != "":
			n.Handles.mapping.refute(why)
			return why
		case agrees:
			n.Handles.mapping.confirm()
		}
	}
	return ""
}

// compare compares the mapped identity of an object with its actual one. agrees is set if all
// attributes that an import requires are known and equal.
func (n Naming) compare(object, actual cty.Value) (agrees bool, why string) {
	mapped := n.Handles.Identity(object)
	agrees = true
	for _, name := range slices.Sorted(maps.Keys(mapped)) {
		is := plannedAttribute(actual, name, mapped[name].Type())
		switch {
		case is == cty.NilVal:
			agrees = false
		case !is.RawEquals(mapped[name]):
			return false, fmt.Sprintf("the configuration makes the attribute %s of the identity %s, but it is %s",
				name, inWords(mapped[name]), inWords(is))
		}
	}
	for _, name := range n.Type.Schema.Identity.Required() {
		if _, ok := mapped[name]; !ok && plannedAttribute(object, name, n.Type.Schema.Identity.Attributes[name].Type) == cty.NilVal {
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

// ProbeDue reports whether the import id that the configuration makes is to be checked now, by
// importing an object that is seen.
func (n Naming) ProbeDue(in instance.Instance, now time.Time) bool {
	if n.Named() == "" || in.Status != instance.Full || !n.NamedImport.Names(in.State) {
		return false
	}
	b := &n.Handles.importID
	b.mu.Lock()
	defer b.mu.Unlock()
	due := !b.confirmed && !now.Before(b.tryAt)
	if due {
		b.tryAt = now.Add(probeAgain)
	}
	return due
}

// Probed takes note of the import of an object by the import id that the configuration makes.
func (n Naming) Probed(in, found instance.Instance, diags diagnostic.Diagnostics) {
	b := &n.Handles.importID
	switch {
	case terraform.NonExistent(diags):
		b.refute(fmt.Sprintf("the configuration makes the import id %q, but there is no object with it", n.NamedImport.ID))
	case diags.HasErrors():
	case StateID(found.State) == StateID(in.State) && n.NamedImport.Names(found.State):
		b.confirm()
	default:
		b.refute(fmt.Sprintf("the configuration makes the import id %q, but another object has it", n.NamedImport.ID))
	}
}

// Handle is how the object of a create is found. The zero value is none.
type Handle struct {
	// identity is an identity, complete as far as an import needs it; importID is the alternative.
	identity cty.Value
	importID string
	// mapped is set if the configuration has a part in the identity.
	mapped bool
	// confirmed is set if an object that is not found does not exist.
	confirmed bool
}

// None reports whether there is no handle.
func (h Handle) None() bool { return !h.Identified() && h.importID == "" }

// Identified reports whether the handle is an identity.
func (h Handle) Identified() bool { return h.identity != cty.NilVal && !h.identity.IsNull() }

// Confirmed reports whether an object that is not found by the handle does not exist.
func (h Handle) Confirmed() bool { return h.confirmed }

// Note stores the handle in the intent of a create.
func (h Handle) Note(op *instance.Operation) {
	op.Confirmed, op.ImportID = h.confirmed && (h.mapped || h.importID != ""), h.importID
	if h.mapped {
		op.Mapped, op.PlannedIdentity = true, h.identity
	}
}

// Target is what imports the object.
func (h Handle) Target() terraform.ImportTarget {
	if h.Identified() {
		return terraform.ImportTarget{Identity: h.identity}
	}
	return terraform.ImportTarget{ID: h.importID, Identity: cty.NilVal}
}

// Handle returns the handle of the object of a planned create.
func (n Naming) Handle(identity, state cty.Value) Handle {
	if v, mapped := n.plannedIdentity(identity, state); v != cty.NilVal {
		h := Handle{identity: v, mapped: mapped, confirmed: true}
		if mapped {
			h.confirmed, _ = n.Handles.mapping.state()
		}
		return h
	}
	if id := n.Named(); id != "" && instance.Present(state) && n.NamedImport.Names(state) {
		confirmed, _ := n.Handles.importID.state()
		return Handle{importID: id, confirmed: confirmed}
	}
	return Handle{}
}

// InterruptedHandle returns the handle of the object of an interrupted create. absent is set if
// no object had it right before the create. A handle of an earlier configuration is used only if it
// was confirmed.
func (n Naming) InterruptedHandle(op *instance.Operation) (h Handle, absent bool) {
	identity := op.PlannedIdentity
	if op.Mapped {
		identity = cty.NilVal // not the provider's
	}
	h = n.Handle(identity, op.PlannedState)
	switch {
	case h.Identified() && !h.mapped:
		return h, op.Absent && !op.Mapped
	case h.Identified():
		same := op.Mapped && instance.Known(op.PlannedIdentity) && op.PlannedIdentity.RawEquals(h.identity)
		h.confirmed = h.confirmed || same && op.Confirmed
		return h, same && op.Absent
	case op.Mapped && op.Confirmed && len(n.Handles.refuted()) == 0 && instance.Known(op.PlannedIdentity):
		return Handle{identity: op.PlannedIdentity, mapped: true, confirmed: true}, op.Absent
	case op.ImportID == "":
		h.confirmed = h.importID != "" && h.confirmed
		return h, false
	case h.importID == op.ImportID:
		h.confirmed = h.confirmed || op.Confirmed
		return h, op.Absent
	case op.Confirmed && len(n.Handles.refuted()) == 0:
		return Handle{importID: op.ImportID, confirmed: true}, op.Absent
	}
	return Handle{}, false
}

// Means reports whether an object that was found by a handle is the one that the handle means.
// Otherwise the handle is not used any more, if an identity shows that it is wrong.
func (n Naming) Means(h Handle, found instance.Instance) bool {
	if h.Identified() {
		return !h.mapped || n.Learn(found, cty.NilVal) == ""
	}
	return n.NamedImport.ID != h.importID || n.NamedImport.Names(found.State)
}

// Contradiction returns how an object contradicts the handles of the configuration; empty if it
// does not. first is set for the first object that does.
func (n Naming) Contradiction(in instance.Instance) (why string, first bool) {
	if n.Handles == nil || !in.Exists() || !instance.Known(in.State) {
		return "", false
	}
	b := &n.Handles.mapping
	why = n.Learn(in, cty.NilVal)
	if why == "" && n.NamedImport.ID != "" && n.NamedImport.Names(in.State) {
		b = &n.Handles.importID
		_, why = b.state()
	}
	if why == "" {
		return "", false
	}
	return why + ". " + mendConfiguration, b.tell()
}
