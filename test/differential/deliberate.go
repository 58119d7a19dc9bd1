package differential

import (
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/differential/internal/cloud"
)

// rule is a difference that is meant to be.
type rule struct {
	Name string
	// Reason says why, with the section of the contract with providers.
	Reason string
	// is says whether a difference is of this kind. It is nil for rules that are applied
	// where calls are compared.
	is func(x *compared, d Difference) bool
	// ends says that after it the two have different objects, so that the case is over.
	ends bool
}

// The rules that are applied where calls are compared.
const (
	validateFirst    = "tofu validates first"
	destroyIsPlanned = "the delete half of a replacement is planned"
	goneIsForgotten  = "an object that is gone is forgotten"

	toldIdentity          = "a delete is told the prior identity"
	secondPlanHasIdentity = "the second plan of a replacement is told the planned identity"
)

// Deliberate is all the differences that are meant to be.
var deliberate = []rule{
	{
		Name:   validateFirst,
		Reason: "§ 3: Core validates all configurations before it reads anything; the engine reads first, as an object's state is worth knowing whatever its configuration.",
	},
	{
		Name:   destroyIsPlanned,
		Reason: "§ 3.8: the engine carries a replacement out as a destroy and a create, and asks for a plan of the destroy. Core sends the private bytes of the create's plan instead.",
		is: func(x *compared, d Difference) bool {
			return x.replaces() && (d.What == "Apply.private" && d.isDelete() ||
				// What it was told is what it answers with.
				d.What == "state.private" && len(x.engine.errors) > 0 && slices.Contains(x.excused, destroyIsPlanned))
		},
	},
	{
		Name:   secondPlanHasIdentity,
		Reason: "§ 3.4: Terraform sends what the first plan answered, OpenTofu nothing.",
	},
	{
		Name:   goneIsForgotten,
		Reason: "§ 3.3 ENGINE: private bytes and identity go with the object; Core's first plan passes on what the read returned.",
		is: func(x *compared, d Difference) bool {
			return (d.What == "Plan.private" || d.What == "Plan.identity") && x.isGone() && isNull(d.ours, "prior") && isEmpty(d.ours, d.field())
		},
	},
	{
		Name:   "an object that is gone needs no identity",
		Reason: "§ 3.13, V129: the framework complains of a missing identity even of an object it has just said to be gone; that it is gone is its word all the same.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && len(x.engine.errors) == 0 && strings.Contains(d.Tofu, "Missing Resource Identity After Read") && !x.before.HasIdentity()
		},
		ends: true,
	},
	{
		Name:   toldIdentity,
		Reason: "§ 3.8 ENGINE: Core sends the one the provider planned, and none with the delete half of a replacement, nor where destroys are not planned; the framework needs it.",
		is: func(x *compared, d Difference) bool {
			return d.What == "Apply.identity" && d.isDelete() && (isEmpty(d.theirs, "identity") || x.fault("Plan") == "newidentity") ||
				// What it was told is what it answers with.
				d.What == "state.identity" && len(x.engine.errors) > 0 && slices.Contains(x.excused, toldIdentity)
		},
	},
	{
		Name:   "an upgraded state is whole",
		Reason: "§ 3.2: OpenTofu takes no state, and one with unknown values, for an upgrade's answer; the engine would lose the object and says so.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fails("Invalid resource state upgrade")
		},
		ends: true,
	},
	{
		Name:   "an answer with an unknown identity is kept",
		Reason: "§§ 3.7, 3.13: it is an error for both; OpenTofu then cannot store the object, the engine stores it without the identity.",
		is: func(x *compared, d Difference) bool {
			return strings.HasPrefix(d.What, "state.") && x.fails("Provider produced invalid identity")
		},
		ends: true,
	},
	{
		Name:   "create_before_destroy is stored at another moment",
		Reason: "§ 3.9: the flag is of the configuration. OpenTofu stores it even when the change fails, and not when it has just imported the object; the engine stores it with what succeeds.",
		is: func(x *compared, d Difference) bool {
			return strings.HasSuffix(d.What, ".create_before_destroy") && (x.importID != "" || len(x.engine.errors) > 0)
		},
	},
	{
		Name:   "an answer that cannot be read, or an error without them, does not clear private bytes and identity",
		Reason: "§ 3.7 ENGINE: Core stores what the answer has, even when that is nothing, or belongs to a value it could not read.",
		is: func(x *compared, d Difference) bool {
			fault := x.fault("Apply")
			return (d.What == "state.private" || d.What == "state.identity") && len(x.engine.errors) > 0 &&
				(d.Tofu == "" || strings.HasPrefix(d.Tofu, "NullVal(") || fault == "malformed" || fault == "errornoprivate" || fault == "call" || fault == "error" || fault == "nothing")
		},
	},
	{
		Name:   "write-only values are never stored",
		Reason: "§ 3.7 ENGINE: an object is stored without those that a provider put into it, and it is an error; OpenTofu stores them.",
		is: func(x *compared, d Difference) bool {
			return d.What == "state.value" && x.fault("Apply") == "writeonly" && x.fails("Provider produced invalid object")
		},
		ends: true,
	},
	{
		Name:   "ignoring all changes leaves out everything computed",
		Reason: "§ 3.4: OpenTofu overlooks what is inside labelled blocks that have values of no fixed type, and gives the null of such a value the type it had.",
		is: func(x *compared, d Difference) bool {
			return (d.What == "Plan.config" || d.What == "Plan.proposed") && slices.Equal(x.track.c.Steps[x.step].IgnoreChanges, []string{"*"}) &&
				(hasOpenMap(x.schema.Block) || x.schema.ImpliedType().HasDynamicTypes())
		},
		ends: true,
	},
	{
		Name:   "a plan is never null",
		Reason: "§ 3.6: not a legacy provider's either; OpenTofu tolerates it there, and then deletes the object.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Plan") == "null" && x.fails("Provider produced invalid plan")
		},
		ends: true,
	},
	{
		Name:   "an object that was read is wholly known",
		Reason: "§ 3.3: OpenTofu does not look.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Read") == "unknown" && x.fails("Provider produced invalid object")
		},
		ends: true,
	},
	{
		Name:   "identities that must be known are",
		Reason: "§ 3.13, § 6: OpenTofu does not look, and cannot store them.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.anyFault("unknownidentity") && x.fails("Provider produced invalid identity")
		},
		ends: true,
	},
	{
		Name:   "the identity of an object to be created may be unknown in its plan",
		Reason: "§ 3.13: legal for Core, but OpenTofu cannot write such a plan.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Plan") == "unknownidentity" && len(x.engine.errors) == 0
		},
		ends: true,
	},
	{
		Name:   "an import by identity answers with one",
		Reason: "§ 3.10, § 6: OpenTofu does not look.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Import") == "noidentity" && x.fails("Import returned no identity")
		},
		ends: true,
	},
	{
		Name:   "an import answers with the type that was asked for",
		Reason: "§ 3.10 ENGINE: Core does not compare.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Import") == "othertype" && x.fails("Import returned another resource type")
		},
		ends: true,
	},
	{
		Name:   "an import answers without write-only values",
		Reason: "§ 3.10: OpenTofu does not look.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Import") == "writeonly" && x.fails("Import returned a non-null value for a write-only attribute")
		},
		ends: true,
	},
	{
		Name:   "an import by id without a state is an error at once",
		Reason: "§ 3.10, § 6: OpenTofu reads nothing first, and says so then.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Import") == "null" && x.fails("Import returned null resource")
		},
		ends: true,
	},
	{
		Name:   "an import by identity may leave the state to the read",
		Reason: "§ 3.10, § 6: legal in Terraform, refused by OpenTofu.",
		is: func(x *compared, d Difference) bool {
			return d.What == "errors" && x.fault("Import") == "null" && len(x.engine.errors) == 0
		},
		ends: true,
	},
	{
		Name:   "tofu crashes",
		Reason: "OpenTofu crashes on null objects in a map of nested attributes with something sensitive or write-only inside.",
		is:     func(_ *compared, d Difference) bool { return d.What == "crash" },
		ends:   true,
	},
}

// hasOpenMap says whether there are labelled blocks whose type is not fixed.
func hasOpenMap(b *schema.Block) bool {
	for _, n := range b.Blocks {
		if n.Nesting == schema.NestingMap && n.ImpliedType() == cty.DynamicPseudoType || hasOpenMap(n.Block) {
			return true
		}
	}
	return false
}

// fault is what the provider did wrong in an RPC.
func (x *compared) fault(rpc string) string { return x.track.c.Steps[x.step].Faults[rpc] }

func (x *compared) anyFault(kind string) bool {
	for _, f := range x.track.c.Steps[x.step].Faults {
		if f == kind {
			return true
		}
	}
	return false
}

// fails says whether the engine failed with an error of a summary.
func (x *compared) fails(summary string) bool { return slices.Contains(x.engine.errors, summary) }

func (d Difference) isDelete() bool { return d.ours != nil && isNull(d.ours, "planned") }

// field is the field of a call that differs.
func (d Difference) field() string {
	if i := slices.Index([]byte(d.What), '.'); i >= 0 {
		return d.What[i+1:]
	}
	return ""
}

func isNull(c *cloud.Call, field string) bool {
	if c == nil {
		return false
	}
	v, ok := c.Fields[field].(cty.Value)
	return ok && (v == cty.NilVal || v.IsNull())
}

// with is a call with another value in a field.
func with(c cloud.Call, field string, v any) cloud.Call {
	fields := maps.Clone(c.Fields)
	fields[field] = v
	return cloud.Call{RPC: c.RPC, Fields: fields}
}

func isEmpty(c *cloud.Call, field string) bool {
	return c != nil && (isNull(c, field) || c.Fields[field] == "")
}

// replaces says whether the step replaces the object: it is deleted, though it is configured.
func (x *compared) replaces() bool {
	return x.track.c.Steps[x.step].Config != nil && slices.ContainsFunc(x.engine.calls, func(c cloud.Call) bool {
		return c.RPC == "Apply" && isNull(&c, "planned")
	})
}

// isGone says whether the object was there before the step, and a create is planned at once.
func (x *compared) isGone() bool {
	if !x.before.Exists() {
		return false
	}
	for _, c := range x.engine.calls {
		if c.RPC == "Plan" {
			return isNull(&c, "prior")
		}
	}
	return false
}

// align leaves out of both sides' calls what is repeated or left out for known reasons.
func (h *Harness) align(x *compared) (ours, theirs []cloud.Call) {
	created := false
	for _, c := range x.engine.calls {
		created = created || c.RPC == "Apply" && !isNull(&c, "planned")
		if c.RPC == "Plan" && isNull(&c, "proposed") && x.replaces() && !created {
			h.Uses[destroyIsPlanned]++
			continue
		}
		if n := len(ours); n > 0 && c.RPC == "Plan" && isNull(&c, "prior") && ours[n-1].RPC == "Plan" && !isNull(&ours[n-1], "prior") && !isEmpty(&c, "identity") {
			h.Uses[secondPlanHasIdentity]++
			c = with(c, "identity", cty.NilVal)
		}
		ours = append(ours, c)
	}
	ours = withoutRepeatedPlans(ours)
	theirs = withoutRepeatedPlans(x.firstOnly(x.tofu.Calls()))
	for i := 0; i+1 < len(theirs); i++ {
		a, b := theirs[i], theirs[i+1]
		if a.RPC == "Plan" && b.RPC == "Plan" && x.isGone() && isNull(&a, "prior") && isNull(&b, "prior") && isEmpty(&b, "private") && isEmpty(&b, "identity") {
			h.Uses[goneIsForgotten]++
			theirs = slices.Delete(theirs, i, i+1)
			break
		}
	}
	if x.engine.reached == validates {
		h.Uses[validateFirst]++
	}
	if len(x.before.Deposed) > 0 {
		return unordered(ours), unordered(theirs)
	}
	return ours, theirs
}

// unordered is the calls of a step with a deposed object in some fixed order: tofu deals with
// that and with the current one at the same time. Calls that are the same count once, and
// upgrades and plans of destroys not at all, as what they belong to cannot be told.
func unordered(calls []cloud.Call) []cloud.Call {
	key := func(c cloud.Call) string {
		out := c.RPC
		for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
			out += "|" + show(c.Fields[name])
		}
		return out
	}
	out := slices.DeleteFunc(slices.Clone(calls), func(c cloud.Call) bool {
		return strings.HasPrefix(c.RPC, "Upgrade") || c.RPC == "Plan" && isNull(&c, "proposed")
	})
	slices.SortStableFunc(out, func(a, b cloud.Call) int { return strings.Compare(key(a), key(b)) })
	return slices.CompactFunc(out, sameCall)
}

// firstOnly is tofu's calls without what it does again when it applies: to upgrade what it has
// just read, and to validate; and without the validation before all else, unless that was all.
func (x *compared) firstOnly(calls []cloud.Call) []cloud.Call {
	validations, wasRead := 0, false
	validated := slices.ContainsFunc(x.engine.calls, func(c cloud.Call) bool { return c.RPC == "Validate" })
	var out []cloud.Call
	for _, c := range calls {
		switch c.RPC {
		case "Validate":
			validations++
			if wanted := 2; !validated || validations != wanted && x.engine.reached != validates {
				continue
			}
		case "Upgrade", "UpgradeIdentity":
			if wasRead {
				continue
			}
		case "Read":
			wasRead = true
		}
		out = append(out, c)
	}
	return out
}

// withoutRepeatedPlans leaves out plans that ask what was asked just before: tofu plans again
// before it applies.
func withoutRepeatedPlans(calls []cloud.Call) []cloud.Call {
	var out []cloud.Call
	for _, c := range calls {
		if n := len(out); n > 0 && c.RPC == "Plan" && sameCall(c, out[n-1]) {
			continue
		}
		out = append(out, c)
	}
	return out
}
