package differential

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// rule is a difference that is meant to be. It covers what meets all of its conditions; an empty one is none.
type rule struct {
	Name string
	// Reason says why, with the section of the contract with providers.
	Reason string
	// what differs, as in Difference.What; several are apart by a bar.
	what string
	// ours and tofus are, of diagnostics, how the summaries begin that only we, and only tofu has; several are
	// apart by a bar. Both in one rule stand for the same in other words.
	ours, tofus string
	// inside is where the attributes have to be that ours are about.
	inside func(b *schema.Block, path cty.Path) bool
	// fault is what the provider did wrong in this step: an RPC, and the kinds, apart by bars.
	fault string
	// when is what else there has to be.
	when func(x *compared, d Difference) bool
	// ends says that after it the two have different objects, so that the case is over.
	ends bool
}

// The rules that are applied where calls are aligned.
const (
	destroyIsPlanned      = "the delete half of a replacement is planned"
	goneIsForgotten       = "an object that is gone is forgotten"
	secondPlanHasIdentity = "the second plan of a replacement is told the planned identity"
	movedIsUpgraded       = "a moved object is upgraded"
)

const diagnostics = "diagnostics"

// deliberate is all the differences that are meant to be.
var deliberate = []rule{
	// What the engine does, and Core does not.
	{
		Name:   destroyIsPlanned,
		Reason: "§ 3.9, § 3.8: a replacement is a destroy and a create, and the destroy is planned as every other. Core sends the private bytes of the create's plan with it.",
		what:   "Apply.private", when: func(x *compared, d Difference) bool { return x.replaces() && d.isDelete() },
	},
	{
		Name:   "what the plan of the delete half says is passed on",
		Reason: "§ 3.9, § 3.8: it is one of the calls.",
		what:   diagnostics, ours: "Fault: Plan", fault: "Plan warning",
		inside: func(_ *schema.Block, path cty.Path) bool { return len(path) == 0 },
		when:   func(x *compared, _ Difference) bool { return x.replaces() },
	},
	{
		Name:   "a delete that fails answers with the private bytes it was told",
		Reason: "§ 3.8: they are those of " + destroyIsPlanned + ".",
		what:   "state.private|state.deposed.private", fault: "Apply error|errorpartial",
		when: func(x *compared, d Difference) bool { return slices.Contains(x.excused, destroyIsPlanned) },
	},
	{
		Name:   goneIsForgotten,
		Reason: "§ 3.3 ENGINE: private bytes and identity go with the object; Core's first plan passes on what the read returned.",
		what:   "Plan.private|Plan.identity", when: func(x *compared, d Difference) bool {
			return x.isGone() && isNull(d.ours, "prior") && isEmpty(d.ours, d.field())
		},
	},
	{
		Name:   "an object that is gone has no identity in a shown plan",
		Reason: "§ 3.3 ENGINE: it has the one before, and then what the provider makes of being told that.",
		what:   "shown.before_identity|shown.after_identity", when: func(x *compared, d Difference) bool {
			i := slices.IndexFunc(x.theirs.Calls(), func(c cloud.Call) bool { return c.RPC == "Plan" })
			return x.isGone() && (d.Engine == "null" || i >= 0 && !isEmpty(&x.theirs.Calls()[i], "identity"))
		},
	},
	{
		Name:   "the new object of a replacement is shown with the identity that is planned",
		Reason: "§ 3.4, § 6: it follows from what the second plan is told.",
		what:   "shown.after_identity", when: func(x *compared, _ Difference) bool {
			return slices.Contains(x.engine.planned, tofu.Change{Action: "replace", Reason: "cannot_update"})
		},
	},
	{
		Name:   "what is sensitive is shown by itself",
		Reason: "§ 2, § 3.12: what is write-only is sensitive whether it is configured or not, of which a plan says nothing; and in a set only what is sensitive of its elements, where OpenTofu hides the whole set.",
		what:   "shown.before_sensitive|shown.after_sensitive", when: func(x *compared, d Difference) bool {
			return sameMarks(x.schema.Block, d.Engine, d.Tofu)
		},
	},
	{
		Name:   "a delete is told the prior identity",
		Reason: "§ 3.8 ENGINE: Core sends the one the provider planned, and none with the delete half of a replacement, nor where destroys are not planned; the framework needs it.",
		what:   "Apply.identity", when: func(x *compared, d Difference) bool {
			return d.isDelete() && (isEmpty(d.theirs, "identity") || x.fault("Plan") == "newidentity")
		},
	},
	{
		Name:   "private bytes and identity are kept where an error has none",
		Reason: "§ 3.7 ENGINE: Core stores what the answer has, even when that is nothing.",
		what:   "state.private|state.identity", when: func(x *compared, d Difference) bool {
			return x.failed() && (d.Tofu == "" || strings.HasPrefix(d.Tofu, "NullVal("))
		},
	},
	{
		Name:   "private bytes and identity are kept with the object they are of",
		Reason: "§ 3.7-2 ENGINE: of an answer that cannot be read Core keeps the prior value, and yet stores its private bytes and identity.",
		what:   "state.private|state.identity", fault: "Apply malformed|nothing|call",
		when: func(x *compared, d Difference) bool { return x.failed() },
	},
	{
		Name:   "an identity that the provider itself refuses is not stored",
		Reason: "§ 3.13: the framework answers with it all the same, and Core stores what the answer has.",
		what:   "state.identity", fault: "Apply newidentity", when: func(x *compared, d Difference) bool {
			return x.fails("Unexpected Identity Change") && d.Engine == show(x.told("Apply", "identity"))
		},
	},
	{
		Name:   "a create of which nothing is known says so",
		Reason: "§ 3.7-2 ENGINE: the object may exist.",
		what:   diagnostics, ours: "Create outcome unknown",
	},
	{
		Name:   "an object is stored without the write-only values in it",
		Reason: "§ 3.7-3 ENGINE: it is an error for both; OpenTofu stores them.",
		what:   "state.value", fault: "Apply writeonly", when: func(x *compared, _ Difference) bool { return x.fails("Provider produced invalid object") },
		ends: true,
	},
	{
		Name:   "an import answers with the type that was asked for",
		Reason: "§ 3.10 ENGINE: Core does not compare.",
		what:   diagnostics, ours: "Import returned another resource type", fault: "Import othertype", ends: true,
	},
	{
		Name:   "an object that is gone needs no identity",
		Reason: "§ 3.13, V129 ENGINE: the framework complains of a missing identity even of an object it has just said to be gone; that it is gone is its word all the same.",
		what:   diagnostics, tofus: "Missing Resource Identity After Read", when: func(x *compared, _ Difference) bool { return !x.before.HasIdentity() },
		ends: true,
	},
	{
		Name:   "what is sensitive of an object stays so when its delete fails",
		Reason: "§ 3.7: it stays as before; Core takes the marks of what was planned, which is nothing.",
		what:   "state.sensitive|state.deposed.sensitive", when: func(x *compared, _ Difference) bool {
			planned, ok := x.told("Apply", "planned").(cty.Value)
			return ok && planned.IsNull() && x.failed()
		},
	},
	{
		Name:   "a change of what is sensitive alone is no update",
		Reason: "§ 3.4: it never reaches the provider, and only the state is written anew.",
		what:   "plan|shown.actions", when: func(x *compared, d Difference) bool {
			isUpdate := d.Engine == "[]" && d.Tofu == "[{update }]" || d.Engine == `["no-op"]` && d.Tofu == `["update"]`
			return isUpdate && !slices.Contains(names(x.theirs.Calls()), "Apply")
		},
	},

	{
		Name:   "a number that Kubernetes may have rounded is told",
		Reason: "§ 4 keeps exact digits; a manifest's JSON does so only up to 64 bits (package translate).",
		what:   diagnostics, ours: "Number may have lost digits", when: func(x *compared, _ Difference) bool { return !x.track.c.Direct },
	},

	// What Terraform does, and OpenTofu does not.
	{
		Name:   secondPlanHasIdentity,
		Reason: "§ 3.4: Terraform sends what the first plan answered, OpenTofu nothing.",
	},
	{
		Name:   movedIsUpgraded,
		Reason: "§ 3.11: the normal upgrade follows; OpenTofu leaves it out.",
	},
	{
		Name:   "a move is told the identity",
		Reason: "§ 3.11, § 6: OpenTofu does not tell it.",
		what:   "Move.identity", when: func(_ *compared, d Difference) bool { return d.Tofu == "" },
	},
	{
		Name:   "a moved object has the identity that the move answered with",
		Reason: "§ 3.11, § 6: OpenTofu keeps the one before, and upgrades it.",
		what:   "calls|Read.identity|" + diagnostics, when: func(x *compared, _ Difference) bool { return x.movedFrom != "" },
		ends: true,
	},
	{
		Name:   "an import's read is told provider_meta",
		Reason: "§ 1: it is sent with every read; OpenTofu leaves it out there.",
		what:   "Read.meta", when: func(x *compared, d Difference) bool { return x.importID != "" && isNull(d.theirs, "meta") },
	},
	{
		Name:   "an import stores create_before_destroy",
		Reason: "§ 3.9: it is stored in the state; OpenTofu forgets it of an object that is imported and not changed, or could not be.",
		what:   "state.create_before_destroy", when: func(x *compared, d Difference) bool {
			return x.importID != "" && d.Engine == "true" && (x.failed() || !slices.Contains(names(x.theirs.Calls()), "Apply"))
		},
	},
	{
		Name:   "ignoring all changes leaves out everything computed",
		Reason: "§ 3.4: OpenTofu overlooks what is inside labelled blocks that have values of no fixed type.",
		what:   "Plan.config|Plan.proposed", when: func(x *compared, d Difference) bool {
			return slices.Equal(x.step().IgnoreChanges, []string{"*"}) && same(withoutOpenMaps(x.schema.Block, d.ours, d.field()), withoutOpenMaps(x.schema.Block, d.theirs, d.field()))
		},
		ends: true,
	},
	{
		Name:   "in other words: write-only values in labelled blocks",
		Reason: "§ 3.12: as below; OpenTofu then finds that they were not planned.",
		what:   diagnostics, ours: "Provider produced invalid object", tofus: "Provider produced inconsistent result after apply",
		fault: "Apply writeonly", inside: isInOpenMap, ends: true,
	},
	{
		Name:   "write-only values are found wherever they are",
		Reason: "§ 3.12: OpenTofu overlooks what is inside labelled blocks that have values of no fixed type.",
		what:   diagnostics, ours: "Provider produced invalid |Provider returned invalid value|Invalid resource state upgrade|Import returned a non-null",
		fault: "Upgrade|Read|Plan|Apply|Import|Move writeonly", inside: isInOpenMap, ends: true,
	},
	{
		Name:   "an import that leaves the state to the read is refused at once",
		Reason: "§ 3.10: the error is the same; OpenTofu reads first.",
		what:   "calls", fault: "Import null", when: func(_ *compared, d Difference) bool { return d.Engine+" Read" == d.Tofu },
	},
	{
		Name:   "the warnings of an import of nothing are passed on",
		Reason: "§ 3.10: with the error that there is nothing; OpenTofu forgets them.",
		what:   diagnostics, ours: "Fault: ", fault: "Import|Read warning",
		when: func(x *compared, _ Difference) bool { return x.fails("Cannot import non-existent remote object") },
	},
	{
		Name:   "a plan is never null",
		Reason: "§ 3.6: not a legacy provider's either; OpenTofu tolerates it there, and then deletes the object.",
		what:   diagnostics, ours: "Provider produced invalid plan", fault: "Plan null", when: func(x *compared, _ Difference) bool { return x.track.c.Legacy },
		ends: true,
	},
	{
		Name:   "an upgraded state is one, and wholly known",
		Reason: "§ 3.2, § 6: OpenTofu does not look; without a state it would lose the object.",
		what:   diagnostics, ours: "Invalid resource state upgrade", fault: "Upgrade null|unknown", ends: true,
	},
	{
		Name:   "an object that was read is wholly known",
		Reason: "§ 3.3-4, § 6: OpenTofu does not look.",
		what:   diagnostics, ours: "Provider produced invalid object", fault: "Read unknown", ends: true,
	},
	{
		Name:   "in other words: an identity that must be known",
		Reason: "§ 3.13, § 6: OpenTofu finds that it cannot be stored.",
		what:   diagnostics, ours: "Provider produced invalid identity", tofus: "failed to encode ", fault: "Read|Plan|Apply|Import|Move unknownidentity", ends: true,
	},
	{
		Name:   "identities that must be known are",
		Reason: "§ 3.13, § 6: OpenTofu does not look, and stores nothing where nothing is applied.",
		what:   diagnostics, ours: "Provider produced invalid identity", fault: "Read|Plan|Apply|Import|Move unknownidentity", ends: true,
	},
	{
		Name:   "the identity of an object to be created may be unknown in its plan",
		Reason: "§ 3.4, V92: legal for Core, but OpenTofu cannot write such a plan.",
		what:   diagnostics, tofus: "failed to encode ", fault: "Plan unknownidentity", ends: true,
	},
	{
		Name:   "an import by identity answers with one",
		Reason: "§ 3.10, § 6: OpenTofu does not look.",
		what:   diagnostics, ours: "Import returned no identity", fault: "Import noidentity", ends: true,
	},
	{
		Name:   "an import answers without write-only values",
		Reason: "§ 3.10, § 6: OpenTofu does not look.",
		what:   diagnostics, ours: "Import returned a non-null value for a write-only attribute", fault: "Import writeonly", ends: true,
	},
	{
		Name:   "an import by identity may leave the state to the read",
		Reason: "§ 3.10, § 6: legal in Terraform, refused by OpenTofu.",
		what:   diagnostics, tofus: "Import returned null resource", fault: "Import null|none",
		when: func(x *compared, _ Difference) bool { return x.step().Import == cases.ImportByIdentity }, ends: true,
	},

	// The same in Terraform's words, where OpenTofu has others.
	{
		Name:   "in other words: an import of nothing by identity",
		Reason: "§ 3.10, § 6: that there is no such object; OpenTofu says so of the import already.",
		what:   diagnostics, ours: "Cannot import non-existent remote object", tofus: "Import returned null resource", fault: "Import null|none",
	},
	{
		Name:   "in other words: an answer that wants to be asked again",
		Reason: "§ 3.3-1, § 3.12.",
		what:   diagnostics, ours: "Provider deferred changes when Terraform did not allow deferrals", tofus: "Invalid Deferred Response",
	},
	{
		Name:   "in other words: an answer that cannot be read",
		Reason: "§ 3.3-4, § 3.4, § 3.7-3: by the operation; OpenTofu by what is wrong with the bytes.",
		what:   diagnostics, ours: "Provider produced invalid ", tofus: "an object is required", fault: "Read|Plan|Apply malformed",
	},
	{
		Name:   "in other words: an answer with write-only values",
		Reason: "§ 3.3-4, § 3.4, § 3.7-3, § 6: by the operation; OpenTofu finds them where it decodes answers.",
		what:   diagnostics, ours: "Provider produced invalid ", tofus: "Invalid provider response", fault: "Read|Plan|Apply writeonly",
	},
	{
		Name:   "in other words: an upgraded state with write-only values",
		Reason: "§ 3.2, § 6: as above.",
		what:   diagnostics, ours: "Invalid resource state upgrade", tofus: "Invalid provider response", fault: "Upgrade writeonly",
	},
	{
		Name:   "in other words: an upgrade without an identity",
		Reason: "§ 6.",
		what:   diagnostics, ours: "Invalid resource identity upgrade", tofus: "Provider returned no identity after upgrade", fault: "UpgradeIdentity null",
	},
	{
		Name:   "in other words: an answer without an object",
		Reason: "§ 3.7-2, § 3.7-6, V67: OpenTofu finds that it is not as it was planned.",
		what:   diagnostics, ours: "Provider ", tofus: "Provider produced inconsistent result after apply|Provider returned invalid result object after apply",
		fault: "Apply null|nothing",
	},
}

// covers reports whether a rule is about a difference.
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

// begins reports whether a text begins with one of several that are apart by bars.
func begins(text, with string) bool {
	return slices.ContainsFunc(strings.Split(with, "|"), func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// sameInOtherWords is the rule that takes two diagnostics for the same.
func (x *compared) sameInOtherWords(s said, d tofu.Diagnostic) (r rule, ok bool) {
	i := slices.IndexFunc(deliberate, func(r rule) bool {
		isInside := r.inside == nil || r.inside(x.schema.Block, s.Path)
		return r.ours != "" && r.tofus != "" && begins(s.Summary, r.ours) && begins(d.Summary, r.tofus) && isInside && r.applies(x, Difference{What: diagnostics})
	})
	if i < 0 {
		return r, false
	}
	return deliberate[i], true
}

// excuse takes the diagnostics out that only one side has to have.
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

// excused notes that a deliberate difference was met.
func (h *Harness) excused(x *compared, r rule) {
	h.Uses[r.Name]++
	x.excused = append(x.excused, r.Name)
	x.track.ended = x.track.ended || r.ends
}

// fault is what the provider did wrong in an RPC.
func (x *compared) fault(rpc string) string { return x.step().Faults[rpc] }

// fails reports whether we failed with an error of a summary, failed whether we failed at all.
func (x *compared) fails(summary string) bool { return slices.Contains(x.engine.errors(), summary) }
func (x *compared) failed() bool              { return len(x.engine.errors()) > 0 }

// told is what we told the provider in the last call of an RPC.
func (x *compared) told(rpc, field string) any {
	for _, c := range slices.Backward(x.ours.Calls()) {
		if c.RPC == rpc {
			return c.Fields[field]
		}
	}
	return nil
}

func (d Difference) isDelete() bool { return d.ours != nil && isNull(d.ours, "planned") }

// field is the field of a call that differs.
func (d Difference) field() string {
	_, field, _ := strings.Cut(d.What, ".")
	return field
}

// replaces reports whether the step replaces the object: it is deleted, though it is configured.
func (x *compared) replaces() bool {
	return x.step().Config != nil && slices.ContainsFunc(x.ours.Calls(), func(c cloud.Call) bool {
		return c.RPC == "Apply" && isNull(&c, "planned")
	})
}

// isGone reports whether the object was there before the step, and a create is planned at once.
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

// withoutOpenMaps is a value of a call without labelled blocks whose type is not fixed.
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

// isInOpenMap reports whether a path leads into labelled blocks whose type is not fixed.
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
