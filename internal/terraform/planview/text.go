package planview

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Style configures Text.
type Style struct {
	// Colour adds terminal colours.
	Colour bool
	// RefreshOnly shows drift as the changes of the stored state.
	RefreshOnly bool
}

// Text writes a view as text, with a summary at the end. Changes without an action are left out.
func Text(w io.Writer, v View, s Style) error {
	p := &printer{w: bufio.NewWriter(w), colour: s.Colour}
	drift := v.Drift
	if !s.RefreshOnly {
		drift = relevant(v)
	}
	if len(drift) > 0 {
		p.line("Note: Objects have changed outside of Landbridge")
		p.line("")
		if s.RefreshOnly {
			p.line("These objects have changed outside of Landbridge:")
		} else {
			p.line("What was found of these objects is not what was remembered, which may have to do with\nthe changes below:")
		}
		for _, c := range drift {
			p.change(c, true)
		}
		p.line("")
	}
	if s.RefreshOnly {
		if len(drift) == 0 {
			p.line(p.paint(bold, "No changes.") + " The remote objects are as they are remembered.")
		} else {
			p.line(
				fmt.Sprintf("This is a refresh-only plan: it changes what is remembered of %s, and no remote object.",
					plural(len(drift), "object")),
			)
		}
		return p.w.Flush()
	}

	var shown []Change
	symbols := map[terraform.Action]bool{}
	for _, c := range v.Changes {
		if c.Plan.Action != terraform.NoOp || c.Importing != nil || c.Held != "" {
			shown = append(shown, c)
			symbols[c.Plan.Action] = true
		}
	}
	if len(shown) == 0 {
		heading, text := v.nothingToDo()
		p.line(p.paint(bold, heading+".") + " " + text)
		return p.w.Flush()
	}
	p.legend(symbols)
	p.line("Landbridge will perform the following actions:")
	for _, c := range shown {
		p.change(c, false)
	}
	p.line("")
	n := Count(v.Changes)
	text := n.String()
	p.line(p.paint(bold, "Plan:") + strings.TrimPrefix(text, "Plan:"))
	if n.Held > 0 {
		p.line(fmt.Sprintf("%s not carried out, as said above.", isAre(n.Held, "change")))
	}
	return p.w.Flush()
}

func isAre(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return plural(n, what) + " are"
}

// relevant returns the drift of objects that have a planned change.
func relevant(v View) []Change {
	changes := map[string]bool{}
	for _, c := range v.Changes {
		if c.Plan.Action != terraform.NoOp && c.Deposed == "" {
			changes[c.Address] = true
		}
	}
	var out []Change
	for _, c := range v.Drift {
		if changes[c.Address] {
			out = append(out, c)
		}
	}
	return out
}

const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	faint  = "\x1b[90m"
	reset  = "\x1b[0m"
)

type printer struct {
	w      *bufio.Writer
	colour bool
}

func (p *printer) line(s string) { p.w.WriteString(s); p.w.WriteByte('\n') }

func (p *printer) paint(with, s string) string {
	if !p.colour {
		return s
	}
	return with + s + reset
}

func (p *printer) symbol(s symbol) string {
	switch s {
	case added:
		return p.paint(green, "+")
	case removed:
		return p.paint(red, "-")
	case updated:
		return p.paint(yellow, "~")
	}
	return " "
}

// action returns the symbol of a whole change, four characters wide.
func (p *printer) action(a terraform.Action) string {
	switch a {
	case terraform.Create:
		return "  " + p.symbol(added) + " "
	case terraform.Update:
		return "  " + p.symbol(updated) + " "
	case terraform.Delete:
		return "  " + p.symbol(removed) + " "
	case terraform.DeleteThenCreate:
		return p.symbol(removed) + "/" + p.symbol(added) + " "
	case terraform.CreateThenDelete:
		return p.symbol(added) + "/" + p.symbol(removed) + " "
	}
	return "    "
}

func (p *printer) legend(used map[terraform.Action]bool) {
	said := false
	for _, a := range []struct {
		action terraform.Action
		text   string
	}{
		{terraform.Create, "create"},
		{terraform.Update, "update in-place"},
		{terraform.Delete, "destroy"},
		{terraform.DeleteThenCreate, "destroy and then create replacement"},
		{terraform.CreateThenDelete, "create replacement and then destroy"},
	} {
		if used[a.action] {
			if !said {
				p.line("Actions are shown with these symbols:")
			}
			p.line(p.action(a.action) + a.text)
			said = true
		}
	}
	if said {
		p.line("")
	}
}

// change shows one change: its action and reason, and then the object.
func (p *printer) change(c Change, drift bool) {
	p.line("")
	name := c.Address
	if c.Deposed != "" {
		name += " (deposed object " + c.Deposed + ")"
	}
	p.comment(bold, name+" "+does(c, drift))
	if c.Importing != nil {
		p.comment(faint, "(imported "+importedFrom(c)+")")
	}
	if c.Held != "" {
		p.comment(yellow, "(not carried out: "+c.Held+")")
	}
	for _, action := range c.Invokes {
		p.comment(faint, "(invokes "+action+")")
	}
	b := &builder{sensitive: sensitivity(c), forced: map[int]bool{}}
	config := cty.NilVal
	if c.Plan.Action.IsReplace() {
		b.replace = c.Plan.RequiresReplace
	}
	if c.Plan.Action == terraform.Create || c.Plan.Action.IsReplace() {
		config = c.Plan.Config
	}
	root := node{open: "{", end: "}", name: c.Model.Kind + " " + quote(c.object())}
	if c.Plan.Action == terraform.NoOp {
		b.unchanged(&root, c)
	} else {
		b.object(&root, c.Model.Root(), c.before(), c.after(), config, place{})
	}
	for i, path := range b.replace {
		if !b.forced[i] {
			p.comment(red, c.Model.FieldPath(path)+" forces replacement")
		}
	}
	p.line(p.action(c.Plan.Action) + root.name + " {")
	p.body(root, 6)
	p.line("    }")
	p.contained(c.Plan.Contained)
}

// contained shows what becomes of the resources of a module.
func (p *printer) contained(all []terraform.Contained) {
	if len(all) == 0 {
		return
	}
	p.line("")
	p.line("    Of the module's resources:")
	for _, c := range all {
		why := ""
		if c.Reason != "" {
			why = p.paint(faint, " # "+reasonWords(c.Reason))
		}
		p.line("    " + p.action(c.Action) + harmless(c.Address) + why)
	}
}

// reasonWords returns the words of a reason, such as replace_because_cannot_update.
func reasonWords(r terraform.Reason) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(r), "replace_"), "_", " ")
}

// unchanged shows only the names of the object.
func (b *builder) unchanged(n *node, c Change) {
	state := c.before()
	b.object(n, c.Model.Root(), state, state, cty.NilVal, place{})
}

func (p *printer) comment(with, s string) {
	p.line("  " + p.paint(with, "# "+s))
}

// does returns the action of a change, as a sentence about the object.
func does(c Change, drift bool) string {
	switch {
	case drift && c.Plan.Action == terraform.Delete:
		return "has been deleted"
	case drift:
		return "has changed"
	}
	switch c.Plan.Action {
	case terraform.Create:
		return "will be created"
	case terraform.Update:
		return "will be updated in-place"
	case terraform.Delete:
		return "will be destroyed"
	case terraform.DeleteThenCreate, terraform.CreateThenDelete:
		if c.Plan.Reason == terraform.ReplaceBecauseTainted {
			return "is tainted, so it must be replaced"
		}
		return "must be replaced"
	}
	if c.Importing != nil {
		return "will be imported"
	}
	return "is left alone"
}

func importedFrom(c Change) string {
	switch id := c.Importing.ID; {
	case id == "":
		return "by its identity"
	case c.isSecret(id):
		return "from " + sensitiveValue
	default:
		return "from " + quote(id)
	}
}

// body writes the lines between the brackets of a node.
func (p *printer) body(n node, indent int) {
	margin := strings.Repeat(" ", indent)
	for _, l := range n.lines {
		if l.comment != "" {
			p.hidden(l, margin)
			continue
		}
		p.line(strings.TrimRight(margin+p.symbol(l.symbol)+" "+l.text, " "))
	}
	width := 0
	for _, c := range n.children {
		if !c.block {
			width = max(width, utf8.RuneCountInString(c.name))
		}
	}
	for i, c := range n.children {
		if i > 0 && c.block != n.children[i-1].block {
			p.line("")
		}
		if c.comment != "" {
			p.hidden(c, margin)
			continue
		}
		p.child(c, indent, width)
	}
}

func (p *printer) hidden(n node, margin string) {
	p.line(margin + "  " + p.paint(faint, "# ("+n.comment+")"))
}

func (p *printer) child(c node, indent, width int) {
	head := strings.Repeat(" ", indent) + p.symbol(c.symbol) + " "
	end := ""
	switch {
	case c.name == "":
		end = "," // an element of a list
	case c.block:
		head += c.name + " "
	default:
		head += c.name + strings.Repeat(" ", width-utf8.RuneCountInString(c.name)) + " = "
	}
	forces := ""
	if c.replaces {
		forces = " " + p.paint(red, "# forces replacement")
	}
	switch {
	case c.open == "":
		p.line(head + c.text + c.suffix + end + forces)
	case len(c.children) == 0 && len(c.lines) == 0:
		p.line(head + c.open + c.end + c.suffix + end + forces)
	default:
		p.line(head + c.open + forces)
		p.body(c, indent+4)
		p.line(strings.Repeat(" ", indent) + "  " + c.end + c.suffix + end)
	}
}
