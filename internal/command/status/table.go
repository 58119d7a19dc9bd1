package status

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/stream"
	"github.com/landbridge-io/landbridge/internal/model"
)

// maxID bounds the identity in a table, in characters, unless it is wide.
const maxID = 44

// Style is how a table is shown.
type Style struct {
	// Columns is the width of the terminal; 0 for none. Lines are not longer.
	Columns int
	// Color is set if the terminal shows colours.
	Color bool
	// Wide adds columns.
	Wide bool
	// Namespaced adds the column NAMESPACE.
	Namespaced bool
}

// Table returns a table of rows, with a heading. What is wrong with a row stands on the lines below
// it, whole.
func Table(rows []Row, now time.Time, style Style) string {
	var out strings.Builder
	t := newTable(&out, now, style, kindNames(rows, func(r Row) (name, full string) { return shortName(r.Kind, r.kind()), r.kind() }))
	_ = t.Write(rows) // a strings.Builder takes everything
	_ = t.Close()
	return out.String()
}

// column is a column of a table.
type column struct {
	heading string
	// worth orders columns: those of the least worth shrink first, to least characters. 0 does not
	// shrink.
	worth, least int
	of           func(*StreamedTable, Row) string
}

var (
	columnNamespace = column{"NAMESPACE", 5, 8, func(_ *StreamedTable, r Row) string { return dash(r.Namespace) }}
	columns         = []column{
		{"NAME", 4, 16, func(t *StreamedTable, r Row) string { return strings.ToLower(t.kinds[r.kind()]) + "/" + r.Name }},
		{"READY", 0, 0, func(_ *StreamedTable, r Row) string { return dash(r.Ready) }},
		{"SYNCED", 0, 0, func(_ *StreamedTable, r Row) string { return dash(r.Synced) }},
		{"STATE", 3, 5, func(_ *StreamedTable, r Row) string { return dash(r.State) }},
		{"OPERATION", 2, 9, func(t *StreamedTable, r Row) string { return dash(r.doing(t.now)) }},
		{"ID", 1, 4, func(t *StreamedTable, r Row) string {
			if t.style.Wide {
				return dash(stream.OneLine(r.ID()))
			}
			return dash(stream.Cut(stream.OneLine(r.ID()), maxID))
		}},
	}
	wideColumns = []column{
		{"PROVIDER-CONFIG", 0, 0, func(_ *StreamedTable, r Row) string {
			if r.ProviderConfig.Name == "" {
				return "-"
			}
			return r.ProviderConfig.Kind + "/" + r.ProviderConfig.Name
		}},
		{"REASON", 0, 0, func(_ *StreamedTable, r Row) string { return dash(r.Reason) }},
		{"AGE", 0, 0, func(t *StreamedTable, r Row) string { return Elapsed(r.Created, t.now) }},
	}
)

func (s Style) columns() []column {
	var out []column
	if s.Namespaced {
		out = append(out, columnNamespace)
	}
	out = append(out, columns...)
	if s.Wide {
		out = append(out, wideColumns...)
	}
	return out
}

// shrink returns the columns that shrink, those of the least worth first. Wide tables are not made
// narrower.
func (s Style) shrink() []stream.Shrink {
	all := s.columns()
	var order []int
	for i, c := range all {
		if c.worth > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(all[a].worth, all[b].worth) })
	out := make([]stream.Shrink, len(order))
	for i, at := range order {
		out[i] = stream.Shrink{Column: at, Least: all[at].least, Tail: all[at].heading == "NAME"}
	}
	return out
}

// StreamedTable writes a table while its rows arrive. Columns get wider where later rows need it.
type StreamedTable struct {
	table   stream.Table
	now     time.Time
	style   Style
	kinds   map[string]string
	waiting []Row
	headed  bool
}

// NewTable returns an empty table for rows of the kinds.
func NewTable(out io.Writer, kinds []Kind, now time.Time, style Style) *StreamedTable {
	return newTable(out, now, style,
		kindNames(kinds, func(k Kind) (name, full string) { return shortName(k.Kind, k.fullName()), k.fullName() }))
}

func newTable(out io.Writer, now time.Time, style Style, kinds map[string]string) *StreamedTable {
	t := &StreamedTable{now: now, style: style, kinds: kinds, table: stream.Table{Out: out, Columns: style.Columns}}
	if style.Wide {
		t.table.Columns = 0
		return t.colored()
	}
	t.table.Shrink = style.shrink()
	return t.colored()
}

// colored adds colours for the columns READY and SYNCED.
func (t *StreamedTable) colored() *StreamedTable {
	if !t.style.Color {
		return t
	}
	first := slices.IndexFunc(t.style.columns(), func(c column) bool { return c.heading == "READY" })
	t.table.Paint = func(column int, cell, filled string) string {
		switch {
		case column != first && column != first+1:
			return filled
		case cell == "True":
			return green + filled + plain
		case cell == "False":
			return red + filled + plain
		}
		return filled
	}
	return t
}

// The colours of a terminal.
const (
	green, yellow, red, plain = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"
)

// Write adds rows. They are written in pages, so that those of few kinds have the same columns.
func (t *StreamedTable) Write(rows []Row) error {
	t.waiting = append(t.waiting, rows...)
	if len(t.waiting) < page {
		return nil
	}
	return t.flush()
}

// Close writes the rows that wait.
func (t *StreamedTable) Close() error {
	if len(t.waiting) == 0 {
		return nil
	}
	return t.flush()
}

func (t *StreamedTable) flush() error {
	var lines [][]string
	all := t.style.columns()
	if !t.headed {
		t.headed = true
		heading := make([]string, len(all))
		for i, c := range all {
			heading[i] = c.heading
		}
		lines = append(lines, heading)
	}
	for _, r := range t.waiting {
		cells := make([]string, len(all))
		for i, c := range all {
			cells[i] = c.of(t, r)
		}
		lines = append(lines, cells)
		for _, line := range r.below(t.style) {
			lines = append(lines, []string{line})
		}
	}
	t.waiting = t.waiting[:0]
	return t.table.Write(lines)
}

// indent is before what is wrong with a row.
const indent = "  "

// below returns the lines below a row: how it is doing, and the whole text of what is wrong with
// it.
func (r Row) below(s Style) []string {
	says, label := stream.OneLine(r.says()), string(r.Health)
	switch {
	case r.Health == Ready && !r.Drifted && !r.NeverSettles, says == "" && r.Health == Changing: // the column OPERATION says it
		return nil
	case r.Health == Ready && r.NeverSettles:
		label = "Never settles"
	case r.Health == Ready:
		label = "Drifted"
	}
	out := stream.Wrap(strings.TrimSuffix(label+": "+says, ": "), max(0, s.Columns-2*len(indent)))
	for i := range out {
		if i > 0 {
			out[i] = indent + out[i]
		}
		out[i] = indent + s.paint(r.Health, out[i])
	}
	return out
}

// paint colours text about a health.
func (s Style) paint(h Health, text string) string {
	switch {
	case !s.Color || h == Ready:
		return text
	case h == Failed || h == Retrying:
		return red + text + plain
	default:
		return yellow + text + plain
	}
}

// Screen returns a summary and a table that fit a terminal of so many lines, without a line end
// after the last one. If not all rows fit, those with problems come first. 0 lines shows all.
func Screen(rows []Row, now time.Time, style Style, lines int) string {
	head := stream.Cut(Summary(rows)+now.Format("   15:04:05"), style.Columns) + "\n\n"
	room := lines - 3 // the head and the table's heading
	shown := rows
	if lines > 0 && height(rows, style) > room {
		room-- // for a last line
		shown = slices.Clone(rows)
		slices.SortStableFunc(shown, func(a, b Row) int { return cmp.Compare(a.urgency(), b.urgency()) })
		n := 0
		for used := 0; n < len(shown); n++ {
			if used += height(shown[n:n+1], style); used > room && n > 0 {
				break
			}
		}
		shown = shown[:n]
		sortRows(shown)
	}
	out := head + strings.TrimSuffix(Table(shown, now, style), "\n")
	if more := len(rows) - len(shown); more > 0 {
		out += "\n" + stream.Cut(fmt.Sprintf("... and %d more", more), style.Columns)
	}
	return out
}

// height returns the number of lines of rows.
func height(rows []Row, style Style) int {
	out := 0
	for _, r := range rows {
		out += 1 + len(r.below(style))
	}
	return out
}

// urgencies orders rows where not all can be shown.
var urgencies = map[Health]int{Changing: 0, Failed: 1, Retrying: 2, Unseen: 3, Waiting: 4, Paused: 5, Ready: 6}

// urgency orders rows where not all can be shown: what is wrong with providers and configurations
// concerns other rows.
func (r Row) urgency() int {
	if r.Supporting && r.Health != Ready {
		return -1
	}
	return urgencies[r.Health]
}

// Summary returns the number of resources, in total and by health, and how much of what they need
// is in trouble.
func Summary(rows []Row) string {
	n, supporting, total := map[Health]int{}, 0, 0
	for _, r := range rows {
		switch {
		case !r.Supporting:
			total++
			n[r.Health]++
		case r.Health != Ready:
			supporting++
		}
	}
	out := fmt.Sprintf("%d resources", total)
	if total == 1 {
		out = "1 resource"
	}
	for _, x := range []struct {
		n    int
		text string
	}{
		{n[Ready], "ready"}, {n[Changing], "being changed"}, {n[Waiting], "waiting"}, {n[Paused], "paused"}, {n[Unseen], "not looked at yet"},
		{n[Retrying], "retrying"}, {n[Failed], "failed"},
	} {
		if x.n > 0 {
			out += fmt.Sprintf(", %d %s", x.n, x.text)
		}
	}
	if supporting > 0 {
		out += fmt.Sprintf("; providers, modules and configurations in trouble: %d", supporting)
	}
	return out
}

// Line returns a change as one line of a log.
func (c Change) Line(now time.Time) string {
	parts := []string{now.Format("15:04:05"), c.kind() + " " + c.place()}
	if c.Gone {
		return strings.Join(append(parts, "gone"), "  ")
	}
	parts = append(parts, "ready="+dash(c.Ready), "synced="+dash(c.Synced), "state="+dash(c.State), "health="+string(c.Health))
	if doing := c.doing(now); doing != "" {
		parts = append(parts, "operation="+doing)
	}
	if id := stream.OneLine(c.ID()); id != "" {
		parts = append(parts, "id="+id)
	}
	if says := stream.OneLine(c.says()); says != "" {
		parts = append(parts, says)
	}
	return strings.Join(parts, "  ")
}

func (r Row) place() string { return strings.TrimPrefix(r.Namespace+"/"+r.Name, "/") }

// doing returns the running operation and its duration.
func (r Row) doing(now time.Time) string {
	op := r.Operation
	if op == nil {
		return ""
	}
	out := op.Kind + " "
	if op.Kind == "Delete" && op.Deposed != "" {
		out = "Delete of the replaced "
	}
	switch {
	case op.Interrupted:
		out += "interrupted "
	case op.Deadline.IsZero():
		out += "waits "
	}
	return out + Elapsed(op.StartedAt, now)
}

// says returns the message, or else the most important part of the status.
func (r Row) says() string {
	out := r.Message
	switch {
	case out == "" && r.Operation != nil:
		out = r.Operation.Progress
	case out == "":
		out = r.Reason
	}
	if r.Deleting {
		out = strings.TrimSuffix("Being deleted. "+out, " ")
	}
	return out
}

// shortName returns a name of a kind without its group. Kinds of data sources, ephemeral resources
// and actions have none: many have the kind of a resource type.
func shortName(kind, full string) string {
	_, group, _ := strings.Cut(full, ".")
	if mode, _ := model.ModeOf(group); mode != model.Managed {
		return full
	}
	return kind
}

// kindNames returns names of kinds by their full names: without the group if they are unique
// without it.
func kindNames[T any](all []T, of func(T) (name, full string)) map[string]string {
	named := map[string]map[string]bool{}
	for _, x := range all {
		name, full := of(x)
		if named[name] == nil {
			named[name] = map[string]bool{}
		}
		named[name][full] = true
	}
	out := map[string]string{}
	for _, x := range all {
		name, full := of(x)
		if out[full] = name; len(named[name]) > 1 {
			out[full] = full
		}
	}
	return out
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
