package behaviour

import (
	"slices"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
)

// Way is how a provider is run.
type Way string

// The ways of running a provider.
const (
	Plugin    Way = "plugin"    // its program, over gRPC
	InProcess Way = "inprocess" // linked into the controller
	CLI       Way = "cli"       // its program, by the command line of OpenTofu
)

// Ways returns the ways of running a form. The command line does the same with each form, but takes
// much longer, so it runs one of them here. That of Terraform, and those of the other forms, are
// compared by test/conformance.
func Ways(form provider.Form) []Way {
	if form == provider.Framework6 {
		return []Way{Plugin, InProcess, CLI}
	}
	return []Way{Plugin, InProcess}
}

// Column is one form of the provider, run in one way.
type Column struct {
	Form provider.Form
	Way  Way
}

// Name returns the column's name in names of tests and providers, for example sdkv2-plugin.
func (c Column) Name() string { return string(c.Form) + "-" + string(c.Way) }

// Columns returns all columns, in the order of the table.
func Columns() []Column {
	var out []Column
	for _, form := range provider.Forms {
		for _, way := range Ways(form) {
			out = append(out, Column{form, way})
		}
	}
	return out
}

// Behaviour is a behaviour that users can rely on.
type Behaviour struct {
	// Name is the name of its test.
	Name string
	// Says describes the behaviour in the table.
	Says string
	// Source is the document that requires it.
	Source string
	// Not lists the columns to which it does not apply.
	Not []Exception
}

// Exception is the reason why a behaviour does not apply to some columns.
type Exception struct {
	Forms  []provider.Form // empty: all
	Ways   []Way           // empty: all
	Reason string
}

// NotApplicable returns why the behaviour does not apply to a column; empty if it does.
func (b Behaviour) NotApplicable(c Column) string {
	for _, e := range b.Not {
		if (len(e.Forms) == 0 || slices.Contains(e.Forms, c.Form)) && (len(e.Ways) == 0 || slices.Contains(e.Ways, c.Way)) {
			return e.Reason
		}
	}
	return ""
}

// Section is a part of the table.
type Section struct {
	Title      string
	Behaviours []Behaviour
}

// Table is a table of the documentation.
type Table struct {
	// Name is its name in the command line flag and in the page's marks.
	Name string
	// Page is the path of its page from the repository's root.
	Page     string
	Sections []Section
}

// Tables lists all tables. Names of behaviours are unique.
var Tables = []Table{
	{Name: "life", Page: "docs/behaviour.md", Sections: life},
	{Name: "identity", Page: "docs/identity.md", Sections: identity},
}

// Sections returns the sections of all tables.
func Sections() []Section {
	var out []Section
	for _, t := range Tables {
		out = append(out, t.Sections...)
	}
	return out
}

// Find returns the behaviour of that name.
func Find(name string) (Behaviour, bool) {
	for _, s := range Sections() {
		for _, b := range s.Behaviours {
			if b.Name == name {
				return b, true
			}
		}
	}
	return Behaviour{}, false
}
