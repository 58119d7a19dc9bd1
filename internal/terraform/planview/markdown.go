package planview

import (
	"fmt"
	"io"
	"strings"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// maxMarkdown bounds the length of Markdown. GitHub's comments have at most 65,536 characters.
const maxMarkdown = 60_000

// Markdown writes a view for the comment of a pull request: a table of the changes, and the text of
// Text below it, which is cut if it is too long. Notes are shown above it.
func Markdown(w io.Writer, v View, notes ...string) error {
	var out strings.Builder
	n := Count(v.Changes)
	switch {
	case n.Empty() && n.Held == 0:
		heading, text := v.nothingToDo()
		fmt.Fprintf(&out, "### %s\n\n%s\n", heading, text)
	default:
		fmt.Fprintf(&out, "### %s\n\n| | object | resource | |\n|---|---|---|---|\n", strings.TrimSuffix(n.String(), "."))
	}
	for _, c := range v.Changes {
		if c.Plan.Action == terraform.NoOp && c.Importing == nil && c.Held == "" {
			continue
		}
		remark := string(c.Plan.Action)
		if c.Deposed != "" {
			remark += ", deposed object " + c.Deposed
		}
		if c.Held != "" {
			remark += ", not carried out: " + c.Held
		}
		fmt.Fprintf(&out, "| %s | %s %s | `%s` | %s |\n", sign(c.Plan.Action), c.Model.Kind, cell(c.object()), c.Address, cell(remark))
		for _, x := range c.Plan.Contained {
			fmt.Fprintf(&out, "| %s | | `%s` | %s |\n", sign(x.Action), strings.ReplaceAll(cell(x.Address), "`", ""), x.Action)
		}
	}
	for _, note := range notes {
		fmt.Fprintf(&out, "\n%s\n", note)
	}
	var text strings.Builder
	if err := Text(&text, v, Style{}); err != nil {
		return err
	}
	if !n.Empty() || n.Held > 0 {
		details(&out, text.String())
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// details adds the text of a plan as a foldable diff.
func details(out *strings.Builder, text string) {
	var lines strings.Builder
	for line := range strings.Lines(text) {
		if left := maxMarkdown - out.Len() - lines.Len(); len(line)+100 > left {
			lines.WriteString("… the rest is left out, since it is too long for a comment\n")
			break
		}
		lines.WriteString(diffLine(line))
	}
	fence := "```"
	for strings.Contains(lines.String(), fence) {
		fence += "`"
	}
	fmt.Fprintf(out, "\n<details><summary>Plan</summary>\n\n%sdiff\n%s%s\n\n</details>\n", fence, lines.String(), fence)
}

// diffLine moves the symbol of a line to its beginning, where diffs have it.
func diffLine(line string) string {
	content := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(content)]
	for symbol, instead := range map[string]string{"+ ": "+ ", "- ": "- ", "~ ": "! ", "-/+ ": "! -/+ ", "+/- ": "! +/- "} {
		if rest, ok := strings.CutPrefix(content, symbol); ok {
			return instead + indent + rest
		}
	}
	return line
}

// sign returns the symbol of an action.
func sign(a terraform.Action) string {
	switch a {
	case terraform.Create:
		return "+"
	case terraform.Update:
		return "~"
	case terraform.Delete:
		return "-"
	case terraform.DeleteThenCreate:
		return "-/+"
	case terraform.CreateThenDelete:
		return "+/-"
	default:
		return ""
	}
}

// cell returns a text for a cell of a table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(harmless(s))
}
