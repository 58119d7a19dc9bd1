package upgrade

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// maxVariants bounds the rows of causes that differ in values or details only. Further ones are
// together in a row without them, so that a report does not grow with the number of resources.
const maxVariants = 10

// Report has what a new version would do to all resources.
type Report struct {
	// Provider is the name of the TerraformProvider. Installed and New are its versions.
	Provider string `json:"provider"`
	// WithoutCluster is set if there is no TerraformProvider: Provider is the provider's own name.
	WithoutCluster bool `json:"withoutCluster,omitempty"`

	Installed string `json:"installed"`
	New       string `json:"new"`
	// Refreshed is set if the remote objects were read.
	Refreshed bool `json:"refreshed"`
	// Resources is the number of resources, without provider configurations. Outcomes is how many
	// of both have each outcome. One may have several.
	Resources int             `json:"resources"`
	Outcomes  map[Outcome]int `json:"outcomes"`
	Rows      []Row           `json:"rows"`
	// Notes are what the report does not contain, and why.
	Notes []string `json:"notes,omitempty"`
}

// Row has the resources of a kind with the same outcome and cause.
type Row struct {
	Outcome Outcome `json:"outcome"`
	Kind
	Cause
	// Varies is set if the resources have different values or details, which the cause leaves out.
	Varies bool `json:"varies,omitempty"`
	Count  int  `json:"count"`
	// Namespaces has the number of resources in each namespace; "" is that of the cluster.
	Namespaces map[string]int `json:"namespaces"`
	// Examples are the first resources, as NAMESPACE/NAME.
	Examples []string `json:"examples,omitempty"`
}

// Failed reports whether a resource cannot be managed by the new version, or was not previewed.
func (r *Report) Failed() bool { return r.any(Outcome.Failed) }

// HasChanges reports whether a resource or its object would change.
func (r *Report) HasChanges() bool { return r.any(Outcome.Changes) }

func (r *Report) any(is func(Outcome) bool) bool {
	return slices.ContainsFunc(r.Rows, func(row Row) bool { return is(row.Outcome) })
}

// Grouper makes a report of findings. The zero value names no examples.
type Grouper struct {
	// Examples is the number of resources that a row names.
	Examples int

	rows map[string]*Row
	// variants counts the rows of causes of the same shape.
	variants  map[string]int
	resources int
	outcomes  map[Outcome]int
}

// Add adds the findings about a resource. The order of resources decides which of too many variants
// have a row of their own.
func (g *Grouper) Add(of Subject, findings []Finding) {
	if g.rows == nil {
		g.rows, g.variants, g.outcomes = map[string]*Row{}, map[string]int{}, map[Outcome]int{}
	}
	if of.ResourceType != "" {
		g.resources++
	}
	seen, counted := map[Outcome]bool{}, map[*Row]bool{}
	for _, f := range findings {
		if !seen[f.Outcome] {
			seen[f.Outcome] = true
			g.outcomes[f.Outcome]++
		}
		row := g.row(of.Kind, f)
		if counted[row] {
			continue
		}
		counted[row] = true
		row.Count++
		row.Namespaces[of.Namespace]++
		if len(row.Examples) < g.Examples && f.Outcome != Unchanged {
			row.Examples = append(row.Examples, strings.TrimPrefix(of.Namespace+"/"+of.Name, "/"))
		}
	}
}

// row returns the row of a finding.
func (g *Grouper) row(of Kind, f Finding) *Row {
	shape := strings.Join([]string{string(f.Outcome), of.Group, of.Kind, f.Cause.shape()}, "\x00")
	key := shape + "\x00" + f.Cause.key()
	if row := g.rows[key]; row != nil {
		return row
	}
	made := Row{Outcome: f.Outcome, Kind: of, Cause: f.Cause, Namespaces: map[string]int{}}
	if g.variants[shape] == maxVariants {
		key = shape
		if row := g.rows[key]; row != nil {
			return row
		}
		made.Cause, made.Varies = f.Cause.withoutValues(), true
	} else {
		g.variants[shape]++
	}
	g.rows[key] = &made
	return &made
}

// Report returns the report. Rows are sorted by outcome and kind; those of more resources come
// first.
func (g *Grouper) Report() *Report {
	out := &Report{Resources: g.resources, Outcomes: map[Outcome]int{}, Rows: []Row{}}
	maps.Copy(out.Outcomes, g.outcomes)
	for _, row := range g.rows {
		out.Rows = append(out.Rows, *row)
	}
	slices.SortFunc(out.Rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Outcomes, a.Outcome), slices.Index(Outcomes, b.Outcome)),
			cmp.Compare(a.ResourceType, b.ResourceType), cmp.Compare(a.Kind.Kind, b.Kind.Kind),
			cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause.key(), b.Cause.key()),
		)
	})
	return out
}
