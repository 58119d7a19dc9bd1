package upgrade

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// Plan is which newer versions the providers of a cluster have.
type Plan struct {
	Providers []ProviderPlan `json:"providers"`
}

// ProviderPlan is which newer versions a provider has.
type ProviderPlan struct {
	// Provider is the name of the TerraformProvider, and Source its spec.source.
	Provider string `json:"provider"`
	Source   string `json:"source"`
	// Installed is the version that runs; empty if it is not known.
	Installed string `json:"installed,omitempty"`
	// Behind is how far the installed version is behind; nil if that is not known.
	Behind *install.Behind `json:"behind,omitempty"`
	// Newer are the newer versions, the newest first, and Permitted is the newest of them that
	// spec.version permits.
	Newer     []string `json:"newer"`
	Permitted string   `json:"permitted,omitempty"`
	// Changelog is where the changelog of the newest version is: an address, or a file.
	Changelog string `json:"changelog,omitempty"`
	// Deprecated are the resources that use what is deprecated in the installed version.
	Deprecated []upgrade.Row `json:"deprecated"`
	// Notes are what is not known, and why.
	Notes []string `json:"notes,omitempty"`
}

// unknown stands for what is not known, in tables.
const unknown = "unknown"

// newest returns the newest version.
func (p ProviderPlan) newest() string {
	if len(p.Newer) > 0 {
		return p.Newer[0]
	}
	return p.Installed
}

// behind tells how far the installed version is behind.
func (p ProviderPlan) behind() string {
	if p.Behind == nil {
		return unknown
	}
	var parts []string
	for _, part := range []struct {
		n    int
		name string
	}{{p.Behind.Major, "major"}, {p.Behind.Minor, "minor"}, {p.Behind.Patch, "patch"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.name))
		}
	}
	if len(parts) == 0 {
		return fmt.Sprint(p.Behind.Versions)
	}
	return fmt.Sprintf("%d (%s)", p.Behind.Versions, strings.Join(parts, ", "))
}

// Text writes the plan as text: a table, and then what there is to tell about each provider.
func (p *Plan) Text(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "PROVIDER\tINSTALLED\tNEWEST\tBEHIND\tSOURCE")
	for _, one := range p.Providers {
		newest := unknown
		if one.Behind != nil {
			newest = one.newest()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", one.Provider, cmp.Or(upgrade.Printable(one.Installed), unknown),
			upgrade.Printable(newest), one.behind(), upgrade.Printable(one.Source))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var out strings.Builder
	for _, one := range p.Providers {
		one.text(&out)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// maxNewer is the number of newer versions that the text names.
const maxNewer = 10

// text writes what there is to tell about a provider.
func (p ProviderPlan) text(out *strings.Builder) {
	if len(p.Newer)+len(p.Deprecated)+len(p.Notes) == 0 {
		return
	}
	fmt.Fprintf(out, "\nTerraformProvider %s\n", p.Provider)
	if len(p.Newer) > 0 {
		named := strings.Join(p.Newer[:min(maxNewer, len(p.Newer))], ", ")
		if more := len(p.Newer) - maxNewer; more > 0 {
			named += fmt.Sprintf(" and %d older", more)
		}
		fmt.Fprintf(out, "  newer versions: %s\n", upgrade.Printable(named))
		fmt.Fprintf(out, "  permitted by spec.version: %s\n", cmp.Or(upgrade.Printable(p.Permitted), "none of them"))
	}
	if p.Changelog != "" {
		fmt.Fprintf(out, "  changelog of %s: %s\n", upgrade.Printable(p.newest()), upgrade.Printable(p.Changelog))
	}
	if len(p.Deprecated) > 0 {
		fmt.Fprintf(out, "  deprecated in %s, and used:\n", cmp.Or(upgrade.Printable(p.Installed), "the installed version"))
	}
	for _, row := range p.Deprecated {
		row.Text(out, "    ")
	}
	for _, note := range p.Notes {
		fmt.Fprintf(out, "  Note: %s\n", upgrade.Printable(note))
	}
	if len(p.Newer) > 0 {
		fmt.Fprintf(out, "  What would change: landbridge upgrade preview %s --to %s\n", p.Provider, upgrade.Printable(p.newest()))
	}
}
