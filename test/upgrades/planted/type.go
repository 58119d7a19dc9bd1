package planted

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// Wants is what a preview of the second release has to find about resources of a type.
type Wants struct {
	// Outcome and Contains, a part of the cause, identify the row.
	Outcome, Contains string
	// Only selects the resources by their names; nil selects all.
	Only func(name string) bool
}

// Type is a resource type.
type Type struct {
	Name string
	// Wants are what is planted; a type without is as it is.
	Wants []Wants
	// Refreshed is set for breakages that only a refresh shows.
	Refreshed bool

	attributes func(release int) []attribute
	// version and identity are those of the schemas.
	version, identity func(release int) int64
	// upgrade, validate, plan and read change what the type does. They may be nil.
	upgrade  func(release int, state map[string]cty.Value) error
	validate func(release int, config map[string]cty.Value) *problem
	plan     func(release int, p *planning) *problem
	read     func(release int, state map[string]cty.Value) (exists bool)
	gone     bool
}

type attribute struct {
	name                                              string
	typ                                               cty.Type
	required, optional, computed, sensitive, obsolete bool
}

// planning is one plan. Prior is nil for a create.
type planning struct {
	prior, planned map[string]cty.Value
	replace        []string
}

// problem is an error of the provider.
type problem struct{ summary, detail, attribute string }

var base = []attribute{
	{name: "id", typ: cty.String, computed: true},
	{name: "name", typ: cty.String, required: true},
	{name: "size", typ: cty.Number, optional: true},
	{name: "tier", typ: cty.String, optional: true, computed: true},
	{name: "color", typ: cty.String, optional: true},
	{name: "flag", typ: cty.Bool, optional: true},
	{name: "secret", typ: cty.String, optional: true, sensitive: true},
}

// changed returns attributes with a change in the second release.
func changed(change func([]attribute) []attribute) func(int) []attribute {
	return func(release int) []attribute {
		if release == 1 {
			return base
		}
		return change(slices.Clone(base))
	}
}

func without(name string) func([]attribute) []attribute {
	return func(in []attribute) []attribute {
		return slices.DeleteFunc(in, func(a attribute) bool { return a.name == name })
	}
}

// with changes an attribute.
func with(name string, change func(*attribute)) func([]attribute) []attribute {
	return func(in []attribute) []attribute {
		for i := range in {
			if in[i].name == name {
				change(&in[i])
			}
		}
		return in
	}
}

// after adds a change to another one.
func after(all ...func([]attribute) []attribute) func([]attribute) []attribute {
	return func(in []attribute) []attribute {
		for _, change := range all {
			in = change(in)
		}
		return in
	}
}

// second returns a version that is raised in the second release.
func second(release int) int64 { return int64(release - 1) }

// tier has the second release set another tier.
func tier(release int, p *planning) *problem {
	if release == 2 {
		p.planned["tier"] = cty.StringVal("basic")
	}
	return nil
}

// Secret is the sensitive value of each resource. No report may have it.
const Secret = "hunter2-in-each-resource"

func half(name string) bool  { return strings.HasSuffix(name, "0") || strings.HasSuffix(name, "2") }
func first(name string) bool { return strings.HasSuffix(name, "-0") }

// Types are all resource types.
var Types = []*Type{
	{Name: "same"},
	{Name: "tier", Wants: []Wants{{Outcome: "Update", Contains: `"before":"free","after":"basic"`}}, plan: tier},
	{
		Name: "halftier", Wants: []Wants{{
			Outcome: "Update", Contains: `"before":"free","after":"basic"`, Only: half,
		}}, plan: func(release int, p *planning) *problem {
			if half(p.planned["name"].AsString()) {
				return tier(release, p)
			}
			return nil
		},
	},
	{Name: "replace", Wants: []Wants{{Outcome: "Replace", Contains: `"path":"tier"`}}, plan: func(release int, p *planning) *problem {
		if release == 2 {
			p.replace = append(p.replace, "tier")
		}
		return tier(release, p)
	}},
	{Name: "required", Wants: []Wants{{Outcome: "Refused", Contains: "spec.forProvider.owner"}},
		attributes: changed(func(in []attribute) []attribute {
			return append(in, attribute{name: "owner", typ: cty.String, required: true})
		}),
		validate: func(release int, config map[string]cty.Value) *problem {
			if release == 2 && config["owner"].IsNull() {
				return &problem{"Missing required argument", "The argument owner is required.", "owner"}
			}
			return nil
		}},
	{
		Name: "invalid", Wants: []Wants{{Outcome: "Refused", Contains: "spec.forProvider.size", Only: half}},
		validate: func(release int, config map[string]cty.Value) *problem {
			if release == 2 && half(config["name"].AsString()) {
				return &problem{"Invalid size", "It must be a multiple of 8.", "size"}
			}
			return nil
		},
	},
	{Name: "planerror", Wants: []Wants{{Outcome: "Refused", Contains: "No such tier"}}, plan: func(release int, p *planning) *problem {
		if release == 2 {
			return &problem{"No such tier", "The tier free was retired.", "tier"}
		}
		return nil
	}},
	{
		Name: "state", Wants: []Wants{{Outcome: "NotUpgraded", Contains: "Cannot upgrade the state"}},
		version: second, upgrade: func(release int, _ map[string]cty.Value) error {
			return fmt.Errorf("Cannot upgrade the state")
		},
	},
	{
		Name: "older", Wants: []Wants{{Outcome: "NotUpgraded", Contains: "schema version"}},
		version: func(release int) int64 { return int64(3 - release) },
	},
	{Name: "identity", Wants: []Wants{{Outcome: "NotUpgraded", Contains: "Cannot upgrade the identity"}}, identity: second},
	{Name: "gone", Wants: []Wants{{Outcome: "FieldChanged", Contains: "spec.forProvider.color"}}, attributes: changed(without("color"))},
	{Name: "retyped", Wants: []Wants{{Outcome: "FieldChanged", Contains: `boolean -> string (true becomes \"true\")`}}, version: second,
		attributes: changed(with("flag", func(a *attribute) { a.typ = cty.String })),
		upgrade: func(_ int, state map[string]cty.Value) error {
			state["flag"] = cty.StringVal(fmt.Sprint(state["flag"].True()))
			return nil
		}},
	{
		Name: "obsolete", Wants: []Wants{{Outcome: "Deprecated", Contains: "spec.forProvider.color"}},
		attributes: changed(with("color", func(a *attribute) { a.obsolete = true })),
	},
	{Name: "obsolescent", attributes: func(int) []attribute {
		return with("color", func(a *attribute) { a.obsolete = true })(slices.Clone(base))
	}},
	{Name: "removed", Wants: []Wants{{Outcome: "NotPreviewed", Contains: "does not have the resource type"}}, gone: true},
	{
		Name: "crash", Wants: []Wants{{Outcome: "NotPreviewed", Contains: "Plugin did not respond", Only: first}},
		plan: func(release int, p *planning) *problem {
			if release == 2 && first(p.planned["name"].AsString()) {
				crash()
			}
			return nil
		},
	},
	{Name: "unsettled", Wants: []Wants{{Outcome: "AsInstalled", Contains: `"path":"tier"`}}, plan: func(_ int, p *planning) *problem {
		if p.prior != nil {
			p.planned["tier"] = cty.StringVal(fmt.Sprint("tier ", time.Now().UnixNano()))
		}
		return nil
	}},
	{Name: "refusedalready", Wants: []Wants{{Outcome: "AsInstalled", Contains: "Frozen"}}, plan: func(_ int, p *planning) *problem {
		if p.prior != nil && p.prior["size"].Equals(p.planned["size"]).False() {
			return &problem{"Frozen", "The size cannot be changed.", "size"}
		}
		return nil
	}},
	{
		Name: "secret", Wants: []Wants{{Outcome: "Update", Contains: `"path":"secret"`}},
		attributes: changed(with("secret", func(a *attribute) { a.computed = true })),
		plan: func(release int, p *planning) *problem {
			if release == 2 {
				p.planned["secret"] = cty.StringVal(Secret + " rotated")
			}
			return nil
		},
	},
	{
		Name: "revealed", Wants: []Wants{
			{Outcome: "FieldChanged", Contains: "spec.forProvider.secretSecretRef"}, {
				Outcome: "Refused", Contains: "(sensitive value)",
			},
		}, attributes: changed(with("secret", func(a *attribute) { a.sensitive = false })),
		validate: func(release int, config map[string]cty.Value) *problem {
			if release == 2 {
				return &problem{"Unusable secret", "It does not work: " + Secret + ".", ""}
			}
			return nil
		},
	},
	{Name: "several", Wants: []Wants{
		{Outcome: "FieldChanged", Contains: "spec.forProvider.color"}, {Outcome: "Update", Contains: `"path":"tier"`},
		{Outcome: "Deprecated", Contains: "spec.forProvider.size"},
	}, attributes: changed(after(without("color"), with("size", func(a *attribute) { a.obsolete = true }))), plan: tier},
	{Name: "twofaults", Wants: []Wants{
		{Outcome: "FieldChanged", Contains: "spec.forProvider.color"}, {Outcome: "Refused", Contains: "spec.forProvider.size"},
	}, attributes: changed(without("color")), validate: func(release int, config map[string]cty.Value) *problem {
		if release == 2 {
			return &problem{"Invalid size", "It must be a multiple of 8.", "size"}
		}
		return nil
	}},
	{Name: "strict", Wants: []Wants{{Outcome: "NotPreviewed", Contains: "The zone old was closed"}}},
	{
		Name: "vanished", Refreshed: true, Wants: []Wants{{Outcome: "Create", Contains: "does not exist"}},
		read: func(release int, _ map[string]cty.Value) bool { return release == 1 },
	},
	{
		Name: "reread", Refreshed: true, Wants: []Wants{{Outcome: "Update", Contains: `"before":"shrunk"`}},
		read: func(release int, state map[string]cty.Value) bool {
			if release == 2 {
				state["color"] = cty.StringVal("shrunk")
			}
			return true
		},
	},
}

// attributesOf returns the attributes of a type in a release.
func (t *Type) attributesOf(release int) []attribute {
	if t.attributes == nil {
		return base
	}
	return t.attributes(release)
}

func (t *Type) object(release int) cty.Type {
	types := map[string]cty.Type{}
	for _, a := range t.attributesOf(release) {
		types[a.name] = a.typ
	}
	return cty.Object(types)
}

func of(f func(int) int64, release int) int64 {
	if f == nil {
		return 0
	}
	return f(release)
}
