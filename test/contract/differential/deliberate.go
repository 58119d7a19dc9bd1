package differential

import (
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// rule is a deliberate difference. It covers differences that meet all of its conditions; empty
// conditions always hold.
type rule struct {
	Name string
	// Reason is why, with the sections of docs/contract.md.
	Reason string
	// what is Difference.What; alternatives are separated by bars.
	what string
	// ours and tofus are prefixes of the summaries of diagnostics that only we or only tofu report;
	// alternatives are separated by bars. A rule with both matches diagnostics that are worded
	// differently.
	ours, tofus string
	// inside restricts ours to attributes at some paths.
	inside func(b *schema.Block, path cty.Path) bool
	// fault is the provider's fault in this step: RPCs and kinds, each separated by bars.
	fault string
	// when is a further condition.
	when func(x *compared, d Difference) bool
	// ends is set when the two sides have different objects afterwards, so that the case ends.
	ends bool
}

// The rules that align applies.
const (
	destroyIsPlanned      = "a replacement's delete is planned"
	goneIsForgotten       = "private bytes and identity of a missing object are dropped"
	secondPlanHasIdentity = "a replacement's second plan receives the planned identity"
	movedIsUpgraded       = "a moved object is upgraded"
)

const diagnostics = "diagnostics"

// negativeZero matches a negative zero in JSON.
var negativeZero = regexp.MustCompile(`[\[:,]-0(\.0*)?(e[-+]?\d+)?[\],}]`)

// deliberate lists the deliberate differences.
var deliberate = []rule{
	// The engine differs from Core.
	{
		Name: destroyIsPlanned,
		Reason: "§ 3.9, § 3.8: a replacement is a destroy and a create, and its destroy is planned like any other. " +
			"Core sends the private bytes of the create's plan with it.",
		what: "Apply.private", when: func(x *compared, d Difference) bool { return x.replaces() && d.isDelete() },
	},
	{
		Name:   "diagnostics of a replacement's delete plan are passed on",
		Reason: "§ 3.9, § 3.8: the plan is one of the calls.",
		what:   diagnostics, ours: "Fault: Plan", fault: "Plan warning",
		inside: func(_ *schema.Block, path cty.Path) bool { return len(path) == 0 },
		when:   func(x *compared, _ Difference) bool { return x.replaces() },
	},
	{
		Name:   "a failed delete returns the private bytes it received",
		Reason: "§ 3.8: they follow from the rule: " + destroyIsPlanned + ".",
		what:   "state.private|state.deposed.private", fault: "Apply error|errorpartial",
		when: func(x *compared, d Difference) bool { return slices.Contains(x.excused, destroyIsPlanned) },
	},
	{
		Name:   goneIsForgotten,
		Reason: "§ 3.3 ENGINE: they belong to the object; Core's first plan passes on what the read returned.",
		what:   "Plan.private|Plan.identity", when: func(x *compared, d Difference) bool {
			return x.isGone() && isNull(d.ours, "prior") && isEmpty(d.ours, d.field())
		},
	},
	{
		Name:   "a missing object has no identity in a shown plan",
		Reason: "§ 3.3 ENGINE: Core shows the prior identity, and then the one that the provider plans from it.",
		what:   "shown.before_identity|shown.after_identity", when: func(x *compared, d Difference) bool {
			i := slices.IndexFunc(x.theirs.Calls(), func(c cloud.Call) bool { return c.RPC == "Plan" })
			return x.isGone() && (d.Engine == "null" || i >= 0 && !isEmpty(&x.theirs.Calls()[i], "identity"))
		},
	},
	{
		Name:   "a replacement is shown with the planned identity",
		Reason: "§ 3.4, § 6: it follows from the identity that the second plan receives.",
		what:   "shown.after_identity", when: func(x *compared, _ Difference) bool {
			return slices.Contains(x.engine.planned, tofu.Change{Action: "replace", Reason: "cannot_update"})
		},
	},
	{
		Name: "a shown plan marks only sensitive values",
		Reason: "§ 2, § 3.12: write-only values are always sensitive, which a plan does not show. In a set only the " +
			"sensitive parts of elements are marked, where OpenTofu hides the whole set.",
		what: "shown.before_sensitive|shown.after_sensitive", when: func(x *compared, d Difference) bool {
			return sameMarks(x.schema.Block, d.Engine, d.Tofu)
		},
	},
	{
		Name: "a delete receives the prior identity",
		Reason: "§ 3.8 ENGINE: the framework needs it. Core sends the one the provider planned, and none with a " +
			"replacement's delete or where destroys are not planned.",
		what: "Apply.identity", when: func(x *compared, d Difference) bool {
			return d.isDelete() && (isEmpty(d.theirs, "identity") || x.fault("Plan") == "newidentity")
		},
	},
	{
		Name: "an object stays current if its replacement cannot be planned again",
		Reason: "§ 3.9: it is current unless a new object is stored. OpenTofu sets it aside before it plans again, " +
			"and leaves it so if that fails.",
		what: "state.exists|state.deposed", ends: true, when: func(x *compared, _ Difference) bool {
			return x.step().CreateBeforeDestroy && x.failed() && !slices.Contains(names(x.ours.Calls()), "Apply")
		},
	},
	{
		Name:   "private bytes and identity survive an error without them",
		Reason: "§ 3.7 ENGINE: Core stores what the response has, even when that is empty.",
		what:   "state.private|state.identity|state.deposed.private|state.deposed.identity", when: func(x *compared, d Difference) bool {
			return x.failed() && (d.Tofu == "" || strings.HasPrefix(d.Tofu, "NullVal("))
		},
	},
	{
		Name: "private bytes and identity stay with their object",
		Reason: "§ 3.7-2 ENGINE: when a response cannot be decoded, Core keeps the prior value but stores the " +
			"response's private bytes and identity.",
		what: "state.private|state.identity|state.deposed.private|state.deposed.identity", fault: "Apply malformed|nothing|call",
		when: func(x *compared, d Difference) bool { return x.failed() },
	},
	{
		Name: "an identity that the provider refuses is not stored",
		Reason: "§ 3.7, § 3.13: the framework returns it nevertheless, and Core stores what the response has. It " +
			"also refuses one that differs only because the read before did not correct an upgraded identity.",
		what: "state.identity", when: func(x *compared, d Difference) bool {
			return x.fails("Unexpected Identity Change") && d.Engine == show(x.told("Apply", "identity"))
		},
	},
	{
		Name: "what a refused identity lacks is reported",
		Reason: "§ 3.13: the refusal is the provider's. The engine adds which attributes of the identity schema the " +
			"stored identity has no value for.",
		what: diagnostics, ours: "Stored identity incomplete", when: func(x *compared, _ Difference) bool {
			// The legacy SDK puts the whole message into the summary.
			return slices.ContainsFunc(x.engine.errors(), func(summary string) bool {
				return strings.HasPrefix(summary, "Unexpected Identity Change")
			})
		},
	},
	{
		Name:   "an object that cannot be read before it is destroyed is reported",
		Reason: "The error is the provider's. Landbridge adds how to destroy the object as it is stored.",
		what:   diagnostics, ours: "Object not destroyed", when: func(x *compared, _ Difference) bool {
			return x.step().Config == nil && len(x.engine.errors()) > 1
		},
	},
	{
		Name:   "a create with unknown outcome is reported",
		Reason: "§ 3.7-2 ENGINE: the object may exist.",
		what:   diagnostics, ours: "Create outcome unknown",
	},
	{
		Name:   "an object is stored without write-only values",
		Reason: "§ 3.7-3 ENGINE: it is an error for both; OpenTofu stores them.",
		what:   "state.value", fault: "Apply writeonly",
		when: func(x *compared, _ Difference) bool { return x.fails("Provider produced invalid object") },
		ends: true,
	},
	{
		Name:   "an import returns the requested type",
		Reason: "§ 3.10 ENGINE: Core does not compare.",
		what:   diagnostics, ours: "Import returned another resource type", fault: "Import othertype", ends: true,
	},
	{
		Name: "a missing object needs no identity",
		Reason: "§ 3.13, V129 ENGINE: the framework reports a missing identity even for an object that it reports " +
			"as missing; the object is still missing.",
		what: diagnostics, tofus: "Missing Resource Identity After Read",
		when: func(x *compared, _ Difference) bool { return !x.before.HasIdentity() },
		ends: true,
	},
	{
		Name:   "wording: a missing object needs no identity",
		Reason: "As above: an import of it fails for both.",
		what:   diagnostics, ours: "Cannot import non-existent remote object", tofus: "Missing Resource Identity After Read",
		when: func(x *compared, _ Difference) bool { return x.importID != "" },
	},
	{
		Name:   "sensitive marks survive a failed delete",
		Reason: "§ 3.7: they stay as before; Core takes the marks of the planned value, which is null.",
		what:   "state.sensitive|state.deposed.sensitive", when: func(x *compared, _ Difference) bool {
			planned, ok := x.told("Apply", "planned").(cty.Value)
			return ok && planned.IsNull() && x.failed()
		},
	},
	{
		Name: "sensitive marks survive a plan that does not know the values",
		Reason: "§ 2: the values come from where they came from; OpenTofu cannot mark inside an unknown value, and " +
			"stores what was marked in the plan.",
		what: "state.sensitive|state.deposed.sensitive", fault: "Plan unknownconfig", when: func(x *compared, d Difference) bool {
			return x.track.c.Legacy && d.hasAllMarks()
		},
	},
	{
		Name:   "an imported object is sensitive where its configuration is",
		Reason: "§ 2: from its first plan on. OpenTofu stores the marks with the first successful apply.",
		what:   "state.sensitive|state.deposed.sensitive", when: func(x *compared, d Difference) bool {
			return !x.track.c.Direct && x.importID != "" && x.failed() && d.hasAllMarks()
		},
	},
	{
		Name:   "a change of only sensitive marks is no update",
		Reason: "§ 3.4: it never reaches the provider; only the state is rewritten.",
		what:   "plan|shown.actions", when: func(x *compared, d Difference) bool {
			isUpdate := d.Engine == "[]" && d.Tofu == "[{update }]" || d.Engine == `["no-op"]` && d.Tofu == `["update"]`
			return isUpdate && !slices.Contains(names(x.theirs.Calls()), "Apply")
		},
	},

	{
		Name:   "a number that Kubernetes may have rounded is reported",
		Reason: "§ 4 keeps exact digits; a manifest's JSON does so only up to 64 bits (package translate).",
		what:   diagnostics, ours: "Number may have lost digits", when: func(x *compared, _ Difference) bool { return !x.track.c.Direct },
	},
	{
		Name:   "a negative zero is zero",
		Reason: "§ 4: no manifest can tell them apart. For OpenTofu they are two elements of a set.",
		what:   diagnostics, when: func(x *compared, _ Difference) bool { return negativeZero.Match(x.step().Config) },
		ends: true,
	},

	// OpenTofu differs from Terraform.
	{
		Name:   secondPlanHasIdentity,
		Reason: "§ 3.4: Terraform sends what the first plan returned, OpenTofu nothing.",
	},
	{
		Name:   movedIsUpgraded,
		Reason: "§ 3.11: the normal upgrade follows; OpenTofu omits it.",
	},
	{
		Name:   "a move receives the identity",
		Reason: "§ 3.11, § 6: OpenTofu does not send it.",
		what:   "Move.identity", when: func(_ *compared, d Difference) bool { return d.Tofu == "" },
	},
	{
		Name:   "a moved object has the identity that the move returned",
		Reason: "§ 3.11, § 6: OpenTofu keeps the prior identity, and upgrades it.",
		what:   "calls|Read.identity|" + diagnostics, when: func(x *compared, _ Difference) bool { return x.movedFrom != "" },
		ends: true,
	},
	{
		Name:   "an import's read receives provider_meta",
		Reason: "§ 1: it is sent with every read; OpenTofu omits it there.",
		what:   "Read.meta", when: func(x *compared, d Difference) bool { return x.importID != "" && isNull(d.theirs, "meta") },
	},
	{
		Name: "an import stores create_before_destroy",
		Reason: "§ 3.9: it is stored in the state; OpenTofu does not store it for an imported object that is not " +
			"changed, could not be, or is left behind by a replacement.",
		what: "state.create_before_destroy|state.deposed.create_before_destroy", when: func(x *compared, d Difference) bool {
			return x.importID != "" && d.Engine == "true" && (x.failed() || !slices.Contains(names(x.theirs.Calls()), "Apply"))
		},
	},
	{
		Name: "a shown plan marks sensitive values everywhere",
		Reason: "§ 2: OpenTofu misses values inside labelled blocks without a fixed type: it marks them by index, " +
			"and looks for the marks by attribute.",
		what: "shown.before_sensitive|shown.after_sensitive", when: func(x *compared, d Difference) bool {
			return sameMarks(withoutOpenBlocks(x.schema.Block), d.Engine, d.Tofu)
		},
	},
	{
		Name:   "ignoring all changes removes all computed values",
		Reason: "§ 3.4: OpenTofu misses values inside labelled blocks without a fixed type.",
		what:   "Plan.config|Plan.proposed", when: func(x *compared, d Difference) bool {
			return slices.Equal(x.step().IgnoreChanges, []string{"*"}) &&
				same(withoutOpenMaps(x.schema.Block, d.ours, d.field()),
					withoutOpenMaps(x.schema.Block, d.theirs, d.field()))
		},
		ends: true,
	},
	{
		Name:   "wording: write-only values in labelled blocks",
		Reason: "§ 3.12: as below; OpenTofu reports that they were not planned.",
		what:   diagnostics, ours: "Provider produced invalid object", tofus: "Provider produced inconsistent result after apply",
		fault: "Apply writeonly", inside: isInOpenMap, ends: true,
	},
	{
		Name:   "write-only values are found everywhere",
		Reason: "§ 3.12: OpenTofu misses values inside labelled blocks without a fixed type.",
		what:   diagnostics,
		ours: "Provider produced invalid |Provider returned invalid value|Invalid resource state upgrade|Import " +
			"returned a non-null",
		fault: "Upgrade|Read|Plan|Apply|Import|Move writeonly", inside: isInOpenMap, ends: true,
	},
	{
		Name:   "an import without a state is refused at once",
		Reason: "§ 3.10: the error is the same; OpenTofu reads first.",
		what:   "calls", fault: "Import null", when: func(_ *compared, d Difference) bool { return d.Engine+" Read" == d.Tofu },
	},
	{
		Name:   "warnings of an import of a missing object are passed on",
		Reason: "§ 3.10: with the error that the object does not exist; OpenTofu drops them.",
		what:   diagnostics, ours: "Fault: ", fault: "Import|Read warning",
		when: func(x *compared, _ Difference) bool { return x.fails("Cannot import non-existent remote object") },
	},
	{
		Name:   "a plan is never null",
		Reason: "§ 3.6: this holds for legacy providers, too; OpenTofu tolerates a null plan there, and then deletes the object.",
		what:   diagnostics, ours: "Provider produced invalid plan", fault: "Plan null",
		when: func(x *compared, _ Difference) bool { return x.track.c.Legacy },
		ends: true,
	},
	{
		Name:   "an upgraded state is not null and wholly known",
		Reason: "§ 3.2, § 6: OpenTofu does not check; with a null state it would lose the object.",
		what:   diagnostics, ours: "Invalid resource state upgrade", fault: "Upgrade null|unknown", ends: true,
	},
	{
		Name:   "a read object is wholly known",
		Reason: "§ 3.3-4, § 6: OpenTofu does not check.",
		what:   diagnostics, ours: "Provider produced invalid object", fault: "Read unknown", ends: true,
	},
	{
		Name:   "wording: an identity that must be known",
		Reason: "§ 3.13, § 6: OpenTofu reports that it cannot be stored.",
		what:   diagnostics, ours: "Provider produced invalid identity", tofus: "failed to encode ",
		fault: "Read|Plan|Apply|Import|Move unknownidentity", ends: true,
	},
	{
		Name:   "an identity that must be known is known",
		Reason: "§ 3.13, § 6: OpenTofu does not check, and stores nothing where nothing is applied.",
		what:   diagnostics, ours: "Provider produced invalid identity", fault: "Read|Plan|Apply|Import|Move unknownidentity", ends: true,
	},
	{
		Name:   "a create's planned identity may be unknown",
		Reason: "§ 3.4, V92: legal for Core, but OpenTofu cannot write such a plan.",
		what:   diagnostics, tofus: "failed to encode ", fault: "Plan unknownidentity", ends: true,
	},
	{
		Name:   "an import by identity returns an identity",
		Reason: "§ 3.10, § 6: OpenTofu does not check.",
		what:   diagnostics, ours: "Import returned no identity", fault: "Import noidentity", ends: true,
	},
	{
		Name:   "an import needs only that there is no current object",
		Reason: "§ 3.10: OpenTofu does not import while a deposed object remains; it creates.",
		what:   "calls|" + diagnostics, when: func(x *compared, _ Difference) bool {
			return x.importID != "" && !x.before.Exists() && len(x.before.Deposed) > 0 && !slices.Contains(names(x.theirs.Calls()), "Import")
		},
		ends: true,
	},
	{
		Name:   "an object is upgraded once",
		Reason: "§ 3.2: OpenTofu upgrades it again when it applies.",
		what:   diagnostics, tofus: "Invalid provider response", fault: "Upgrade writeonly", when: func(x *compared, _ Difference) bool {
			upgrades := func(in *cloud.Active) (n int) {
				for _, c := range in.Calls() {
					if c.RPC == "Upgrade" {
						n++
					}
				}
				return n
			}
			return upgrades(x.theirs) > upgrades(x.ours)
		},
		ends: true,
	},
	{
		Name: "a response with errors is not checked",
		Reason: "§ 3.4: errors of the provider come first. OpenTofu finds write-only values when it decodes " +
			"responses, and takes an absent object for one.",
		what: diagnostics, tofus: "Invalid provider response", when: func(x *compared, _ Difference) bool { return x.failed() },
	},
	{
		Name:   "an import returns no write-only values",
		Reason: "§ 3.10, § 6: OpenTofu does not check.",
		what:   diagnostics, ours: "Import returned a non-null value for a write-only attribute", fault: "Import writeonly", ends: true,
	},
	{
		Name:   "an import by identity may return no state",
		Reason: "§ 3.10, § 6: allowed by Terraform, refused by OpenTofu.",
		what:   diagnostics, tofus: "Import returned null resource", fault: "Import null|none",
		when: func(x *compared, _ Difference) bool { return x.step().Import == cases.ImportByIdentity }, ends: true,
	},

	// OpenTofu's wording differs from Terraform's.
	{
		Name:   "wording: an import by identity of a missing object",
		Reason: "§ 3.10, § 6: OpenTofu already refuses the import's response.",
		what:   diagnostics, ours: "Cannot import non-existent remote object", tofus: "Import returned null resource", fault: "Import null|none",
	},
	{
		Name:   "deferrals are allowed",
		Reason: "§ 3.12 ENGINE: released Terraform does not allow them.",
		what:   "Read.deferral|Plan.deferral|Import.deferral",
	},
	{
		Name:   "wording: a deferred response",
		Reason: "§ 3.3-1, § 3.12.",
		what:   diagnostics, ours: "Deferred by the provider: ", tofus: "Invalid Deferred Response",
	},
	{
		Name:   "wording: a response that cannot be decoded",
		Reason: "§ 3.3-4, § 3.4, § 3.7-3: Terraform names the operation; OpenTofu names what is wrong with the bytes.",
		what:   diagnostics, ours: "Provider produced invalid ", tofus: "an object is required", fault: "Read|Plan|Apply malformed",
	},
	{
		Name:   "wording: a response with write-only values",
		Reason: "§ 3.3-4, § 3.4, § 3.7-3, § 6: Terraform names the operation; OpenTofu finds them when it decodes responses.",
		what:   diagnostics, ours: "Provider produced invalid ", tofus: "Invalid provider response", fault: "Read|Plan|Apply writeonly",
	},
	{
		Name:   "wording: an upgraded state with write-only values",
		Reason: "§ 3.2, § 6: as above.",
		what:   diagnostics, ours: "Invalid resource state upgrade", tofus: "Invalid provider response", fault: "Upgrade writeonly",
	},
	{
		Name:   "wording: an upgrade without an identity",
		Reason: "§ 6.",
		what:   diagnostics, ours: "Invalid resource identity upgrade",
		tofus: "Provider returned no identity after upgrade", fault: "UpgradeIdentity null",
	},
	{
		Name:   "wording: a response without an object",
		Reason: "§ 3.7-2, § 3.7-6, V67: OpenTofu reports that the object differs from the plan.",
		what:   diagnostics, ours: "Provider ",
		tofus: "Provider produced inconsistent result after apply|Provider returned invalid result object after apply",
		fault: "Apply null|nothing",
	},
}

// covers reports whether the rule covers the difference.
func (r rule) covers(x *compared, d Difference) bool {
	return r.ours == "" && r.tofus == "" && r.what != "" && slices.Contains(strings.Split(r.what, "|"), d.What) && r.applies(x, d)
}

func (r rule) applies(x *compared, d Difference) bool {
	if rpcs, kinds, ok := strings.Cut(r.fault, " "); ok {
		isFault := func(rpc string) bool { return slices.Contains(strings.Split(kinds, "|"), x.fault(rpc)) }
		if !slices.ContainsFunc(strings.Split(rpcs, "|"), isFault) {
			return false
		}
	}
	return r.when == nil || r.when(x, d)
}

// begins reports whether a text begins with one of several prefixes, which are separated by bars.
func begins(text, with string) bool {
	return slices.ContainsFunc(strings.Split(with, "|"), func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// sameInOtherWords returns the rule by which two differently worded diagnostics are the same.
func (x *compared) sameInOtherWords(s said, d tofu.Diagnostic) (r rule, ok bool) {
	i := slices.IndexFunc(deliberate, func(r rule) bool {
		isInside := r.inside == nil || r.inside(x.schema.Block, s.Path)
		return r.ours != "" && r.tofus != "" && begins(s.Summary, r.ours) && begins(d.Summary, r.tofus) && isInside &&
			r.applies(x, Difference{What: diagnostics})
	})
	if i < 0 {
		return r, false
	}
	return deliberate[i], true
}

// excuse removes the diagnostics that deliberate rules allow on only one side.
func (h *Harness) excuse(x *compared, left *asks) {
	for _, r := range deliberate {
		if (r.ours == "") == (r.tofus == "") || !r.applies(x, Difference{What: diagnostics}) {
			continue
		}
		isOurs := func(s said) bool {
			return r.ours != "" && begins(s.Summary, r.ours) && (r.inside == nil || r.inside(x.schema.Block, s.Path))
		}
		isTofus := func(d tofu.Diagnostic) bool {
			return r.tofus != "" && begins(d.Summary, r.tofus)
		}
		if !slices.ContainsFunc(left.engine, isOurs) && !slices.ContainsFunc(left.tofu, isTofus) {
			continue
		}
		left.engine, left.tofu = slices.DeleteFunc(left.engine, isOurs), slices.DeleteFunc(left.tofu, isTofus)
		h.excused(x, r)
	}
}

// excused records that a deliberate difference occurred.
func (h *Harness) excused(x *compared, r rule) {
	h.Uses[r.Name]++
	x.excused = append(x.excused, r.Name)
	x.track.ended = x.track.ended || r.ends
}

// fault returns the kind of the provider's fault in an RPC; empty if there is none.
func (x *compared) fault(rpc string) string { return x.step().Faults[rpc] }

// fails reports whether our side failed with an error of that summary, failed whether it failed at
// all.
func (x *compared) fails(summary string) bool { return slices.Contains(x.engine.errors(), summary) }
func (x *compared) failed() bool              { return len(x.engine.errors()) > 0 }

// told returns a field of our last call of an RPC.
func (x *compared) told(rpc, field string) any {
	for _, c := range slices.Backward(x.ours.Calls()) {
		if c.RPC == rpc {
			return c.Fields[field]
		}
	}
	return nil
}

func (d Difference) isDelete() bool { return d.ours != nil && isNull(d.ours, "planned") }

// hasAllMarks reports whether our side marks all that tofu marks.
func (d Difference) hasAllMarks() bool {
	theirs := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(d.Tofu, "["), "]"))
	return !slices.ContainsFunc(theirs, func(path string) bool { return !strings.Contains(d.Engine, path) })
}

// field returns the name of the call's field that differs.
func (d Difference) field() string {
	_, field, _ := strings.Cut(d.What, ".")
	return field
}

// replaces reports whether the step replaces the object: it is deleted although it is configured.
func (x *compared) replaces() bool {
	return x.step().Config != nil && slices.ContainsFunc(x.ours.Calls(), func(c cloud.Call) bool {
		return c.RPC == "Apply" && isNull(&c, "planned")
	})
}

// isGone reports whether the object existed before the step and the first plan is a create.
func (x *compared) isGone() bool {
	if !x.before.Exists() {
		return false
	}
	for _, c := range x.ours.Calls() {
		if c.RPC == "Plan" {
			return isNull(&c, "prior")
		}
	}
	return false
}

// withoutOpenMaps returns a value of a call without labelled blocks that have no fixed type.
func withoutOpenMaps(b *schema.Block, c *cloud.Call, field string) cty.Value {
	v, ok := c.Fields[field].(cty.Value)
	if !ok || v.IsNull() {
		return v
	}
	return withoutOpen(b, v)
}

func withoutOpen(b *schema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) > 0 && isOpenMap(b, path) {
			return cty.NullVal(cty.DynamicPseudoType), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

// isInOpenMap reports whether a path leads into labelled blocks without a fixed type.
func isInOpenMap(b *schema.Block, path cty.Path) bool {
	for i := range path {
		if isOpenMap(b, path[:i+1]) {
			return true
		}
	}
	return false
}

func isOpenMap(b *schema.Block, path cty.Path) bool {
	for i, step := range path {
		name, ok := step.(cty.GetAttrStep)
		if !ok {
			continue
		}
		n := b.Blocks[name.Name]
		if n == nil {
			return false
		}
		isOpen := n.Nesting == schema.NestingMap && n.ImpliedType() == cty.DynamicPseudoType
		if i == len(path)-1 || isOpen {
			return isOpen && i == len(path)-1
		}
		b = n.Block
	}
	return false
}
