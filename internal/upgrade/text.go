package upgrade

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/landbridge-io/landbridge/internal/terraform/planview"
)

// Limits of texts.
const (
	maxNamespaces = 5
	// maxMarkdown is less than the 65,536 characters that comments of GitHub may have.
	maxMarkdown = 60_000
)

// titles are the headings of the outcomes.
var titles = map[Outcome]string{
	Refused:      "configuration refused",
	NotUpgraded:  "state or identity cannot be upgraded",
	NotPreviewed: "not previewed",
	Replace:      "would be replaced",
	Create:       "would be created",
	Update:       "would be updated",
	FieldChanged: "fields gone, renamed or of another type",
	Deprecated:   "deprecated now",
	AsInstalled:  "planned or reported by the installed version, too",
	Unchanged:    "as it is",
}

// title returns what is previewed, in a line.
func (r *Report) title() string {
	what := "TerraformProvider"
	if r.WithoutCluster {
		what = "Provider"
	}
	return fmt.Sprintf("%s %s: %s -> %s, %s previewed", what, r.Provider, r.Installed, r.New, plural(r.Resources, "resource"))
}

// promise tells what the preview has not done.
func (r *Report) promise() string {
	if r.Refreshed {
		return "Nothing was written. The remote objects were read by both versions."
	}
	return "Nothing was written. The objects are previewed as they are stored: --refresh reads them first."
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Text writes the report as text.
func (r *Report) Text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s. %s\n", r.title(), r.promise())
	for _, outcome := range Outcomes {
		if r.Outcomes[outcome] == 0 {
			continue
		}
		fmt.Fprintf(&out, "\n%s: %d\n", titles[outcome], r.Outcomes[outcome])
		r.rows(&out, outcome)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "\nNote: %s\n", Printable(note))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// rows writes the rows of an outcome.
func (r *Report) rows(out *strings.Builder, outcome Outcome) {
	for _, row := range r.Rows {
		if row.Outcome != outcome {
			continue
		}
		row.Text(out, "  ")
	}
}

// Text writes the row, and below it what it is about.
func (row Row) Text(out *strings.Builder, indent string) {
	fmt.Fprintf(out, "%s%s: %s\n", indent, row.name(), row.where())
	for _, line := range row.lines() {
		fmt.Fprintf(out, "%s    %s\n", indent, Printable(line))
	}
}

// name returns the kind of a row.
func (k Kind) name() string {
	if k.ResourceType == "" {
		return k.Kind + "." + k.Group
	}
	return k.ResourceType + " (" + k.Kind + ")"
}

// where returns how many resources a row has, and where.
func (row Row) where() string {
	names := slices.SortedFunc(maps.Keys(row.Namespaces), func(a, b string) int {
		if d := row.Namespaces[b] - row.Namespaces[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, n := range names[:min(len(names), maxNamespaces)] {
		if n != "" {
			parts = append(parts, fmt.Sprintf("%s %d", n, row.Namespaces[n]))
		}
	}
	if more := len(names) - maxNamespaces; more > 0 {
		parts = append(parts, fmt.Sprintf("and %s more", plural(more, "namespace")))
	}
	out := fmt.Sprint(row.Count)
	if len(parts) > 0 {
		out += " (" + strings.Join(parts, ", ") + ")"
	}
	if len(row.Examples) > 0 {
		out += ": " + strings.Join(row.Examples, ", ")
		if row.Count > len(row.Examples) {
			out += ", …"
		}
	}
	return out
}

// lines describe the cause.
func (row Row) lines() []string {
	var out []string
	text := strings.Join(strings.Fields(row.Detail), " ")
	switch {
	case row.Summary != "" && text != "":
		text = strings.TrimSuffix(row.Summary, ".") + ": " + text
	case text == "":
		text = row.Summary
	}
	switch {
	case row.Path != "" && text != "":
		text = row.Path + ": " + text
	case row.Path != "":
		text = row.Path
	}
	if text != "" {
		out = append(out, text)
	}
	for _, c := range row.Changes {
		out = append(out, c.line(row.Varies || row.Outcome == AsInstalled))
	}
	if len(row.Changes) == 0 && (row.Outcome == Update || row.Outcome == Replace) {
		out = append(out, "the plan changes nothing that is shown")
	}
	if row.Varies {
		out = append(out, "the values or details differ between the resources")
	}
	if row.Held != "" {
		out = append(out, "not carried out: "+row.Held)
	}
	return out
}

// line describes a change of a value.
func (c Change) line(withoutValues bool) string {
	sign := "~"
	switch {
	case withoutValues:
	case c.AfterUnknown && c.After == nil:
		return "~ " + c.Path + ": " + c.AfterText(planview.Brief)
	case c.Adds():
		sign = "+"
	case c.Removes():
		sign = "-"
	}
	out := sign + " " + c.Path
	if !withoutValues {
		before, after := c.BeforeText(planview.Brief), c.AfterText(planview.Brief)
		switch sign {
		case "+":
			out += ": " + after
		case "-":
			out += ": " + before
		default:
			out += ": " + before + " -> " + after
		}
	}
	if c.Replaces {
		out += " (forces replacement)"
	}
	return out
}

// Printable returns text without characters that move a terminal's cursor.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}

// Markdown writes the report for the comment of a pull request.
func (r *Report) Markdown(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "### %s\n\n%s\n\n| | resources |\n|---|---|\n", r.title(), r.promise())
	for _, outcome := range Outcomes {
		if n := r.Outcomes[outcome]; n > 0 {
			fmt.Fprintf(&out, "| %s | %d |\n", titles[outcome], n)
		}
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "\n> %s\n", Printable(note))
	}
	for _, outcome := range Outcomes {
		if r.Outcomes[outcome] == 0 {
			continue
		}
		var rows strings.Builder
		r.rows(&rows, outcome)
		section := fmt.Sprintf("\n<details><summary>%s: %d</summary>\n\n```\n%s```\n\n</details>\n",
			titles[outcome], r.Outcomes[outcome], strings.ReplaceAll(rows.String(), "```", "'''"))
		if out.Len()+len(section) > maxMarkdown {
			out.WriteString("\nThe report is cut here: `-o text` and `-o json` have all of it.\n")
			break
		}
		out.WriteString(section)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
