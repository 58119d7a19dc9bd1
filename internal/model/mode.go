package model

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// Mode is what Terraform has under a name: a provider may have a resource type, a data source, an
// ephemeral resource and an action with the same name. It is the first part of Terraform's
// addresses, and of the API group.
type Mode string

// The modes.
const (
	Managed   Mode = ""
	Data      Mode = "data"
	Ephemeral Mode = "ephemeral"
	Action    Mode = "action"
)

// Unmanaged are the modes of what is no resource type. Their kinds have groups of their own.
var Unmanaged = []Mode{Data, Ephemeral, Action}

// Category returns the category of all kinds of a mode that is not Managed.
func (m Mode) Category() string { return "landbridge-" + string(m) }

// What returns what Terraform calls one of the mode.
func (m Mode) What() string {
	switch m {
	case Data:
		return "data source"
	case Ephemeral:
		return "ephemeral resource"
	case Action:
		return "action"
	}
	return "resource type"
}

// Address returns what a name is written as among those of all modes.
func (m Mode) Address(name string) string {
	if m == Managed {
		return name
	}
	return string(m) + "." + name
}

// Address returns what the name is written as among those of all modes: random_id,
// data.hcloud_image.
func (r *Resource) Address() string { return r.Mode.Address(r.Type) }

// ModeOf returns the mode of an address, or of a pattern of addresses, and what follows it. Of an
// API group it returns the mode that its kinds may have, and the group of the resource types: these
// may have such a group, too, if it was chosen for them.
func ModeOf(address string) (Mode, string) {
	if prefix, name, ok := strings.Cut(address, "."); ok && slices.Contains(Unmanaged, Mode(prefix)) {
		return Mode(prefix), name
	}
	return Managed, address
}

// Group returns the API group of the kinds of a mode, in which they have names of their own. group
// is that of the resource types.
func (m Mode) Group(group string) string { return m.Address(group) }

// Of returns the kinds of a mode by Terraform's name.
func (p *Provider) Of(mode Mode) map[string]*Resource {
	switch mode {
	case Data:
		return p.DataSources
	case Ephemeral:
		return p.EphemeralResources
	case Action:
		return p.Actions
	}
	return p.Resources
}

// IsDataGroup reports whether the kinds of an API group may be data sources. The kinds of resource
// types may have such a group, too, if it was chosen for them.
func IsDataGroup(group string) bool { return strings.HasPrefix(group, string(Data)+".") }

// All returns all kinds with their addresses: resource types, data sources, ephemeral resources and
// then actions, each of them sorted.
func (p *Provider) All() iter.Seq2[string, *Resource] {
	return func(yield func(string, *Resource) bool) {
		for _, mode := range append([]Mode{Managed}, Unmanaged...) {
			of := p.Of(mode)
			for _, t := range slices.Sorted(maps.Keys(of)) {
				if !yield(of[t].Address(), of[t]) {
					return
				}
			}
		}
	}
}

// ByAddress returns the kind with an address; nil if there is none.
func (p *Provider) ByAddress(address string) *Resource {
	mode, name := ModeOf(address)
	return p.Of(mode)[name]
}

// addUnmanaged adds the kinds that are no resource types, and returns what their names are to be.
// name is that of the provider. There are none of a mode whose group would be too long.
func (p *Provider) addUnmanaged(name string, given, known map[string]config.Names) (out []*request, err error) {
	schemas := map[Mode]map[string]*schema.Block{Data: p.Schema.DataSources, Ephemeral: p.Schema.EphemeralResources, Action: p.Schema.Actions}
	for _, mode := range Unmanaged {
		blocks, group := schemas[mode], mode.Group(p.Group)
		if checkGroup(group) != nil {
			continue
		}
		of := make(map[string]*Resource, len(blocks))
		functions := newFunctions(p.Schema.Signatures)
		for _, t := range slices.Sorted(maps.Keys(blocks)) {
			r := &Resource{
				Mode: mode, Type: t, Schema: &schema.Resource{Type: t, Block: blocks[t]},
				Group: group, Version: p.Version, Dropped: dropped(p.Version, p.Dropped, nil),
				Categories: []string{mode.Category(), p.Name + "-" + string(mode)}, Functions: functions, rules: newRules(config.Resource{}),
			}
			if err := checkGiven(given[r.Address()]); err != nil {
				return nil, config.At(err, "names", r.Address())
			}
			out = append(out, newRequest(r, name, config.Resource{}, given[r.Address()], known[r.Address()]))
			of[t] = r
		}
		switch mode {
		case Data:
			p.DataSources = of
		case Ephemeral:
			p.EphemeralResources = of
		default:
			p.Actions = of
		}
	}
	return out, nil
}
