package model

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// Mode is what Terraform has under a name: a provider may have a resource type and a data source
// with the same name. It is the first part of Terraform's addresses, and of the API group.
type Mode string

// The modes.
const (
	Managed Mode = ""
	Data    Mode = "data"
)

// DataCategory is the category of all data sources.
const DataCategory = "landbridge-data"

// Address returns what the name is written as among those of all modes: random_id,
// data.hcloud_image.
func (r *Resource) Address() string {
	if r.Mode == Managed {
		return r.Type
	}
	return string(r.Mode) + "." + r.Type
}

// groupOf returns the API group of the kinds of a mode, in which they have names of their own.
func groupOf(mode Mode, group string) string {
	if mode == Managed {
		return group
	}
	return string(mode) + "." + group
}

// IsDataGroup reports whether the kinds of an API group may be data sources. The kinds of resource
// types may have such a group, too, if it was chosen for them.
func IsDataGroup(group string) bool { return strings.HasPrefix(group, string(Data)+".") }

// All returns all kinds with their addresses: resource types before data sources, and each of
// them sorted.
func (p *Provider) All() iter.Seq2[string, *Resource] {
	return func(yield func(string, *Resource) bool) {
		for _, of := range []map[string]*Resource{p.Resources, p.DataSources} {
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
	if r := p.Resources[address]; r != nil {
		return r
	}
	const prefix = string(Data) + "."
	if len(address) > len(prefix) && address[:len(prefix)] == prefix {
		return p.DataSources[address[len(prefix):]]
	}
	return nil
}

// addDataSources adds the data sources, and returns what their names are to be. name is that of the
// provider. There are none if their group would be too long.
func (p *Provider) addDataSources(name string, given, known map[string]config.Names) ([]*request, error) {
	group := groupOf(Data, p.Group)
	if checkGroup(group) != nil {
		return nil, nil
	}
	p.DataSources = make(map[string]*Resource, len(p.Schema.DataSources))
	out := make([]*request, 0, len(p.Schema.DataSources))
	functions := newFunctions(p.Schema.Signatures)
	for _, t := range slices.Sorted(maps.Keys(p.Schema.DataSources)) {
		r := &Resource{
			Mode: Data, Type: t, Schema: &schema.Resource{Type: t, Block: p.Schema.DataSources[t]},
			Group: group, Version: p.Version, Dropped: dropped(p.Version, p.Dropped, nil),
			Categories: []string{DataCategory, p.Name + "-data"}, Functions: functions, rules: newRules(config.Resource{}),
		}
		if err := checkGiven(given[r.Address()]); err != nil {
			return nil, config.At(err, "names", r.Address())
		}
		out = append(out, newRequest(r, name, config.Resource{}, given[r.Address()], known[r.Address()]))
		p.DataSources[t] = r
	}
	return out, nil
}
