package status

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/landbridge-io/landbridge/internal/command/stream"
)

// maxID bounds the identity in a table, in characters.
const maxID = 44

// Table returns a table of rows, with a heading. Lines are cut to columns; 0 does not cut.
func Table(rows []Row, now time.Time, columns int) string {
	var out strings.Builder
	t := StreamedTable{table: stream.Table{Out: &out, Columns: columns}, now: now, kinds: kindNames(rows, func(r Row) (name, full string) { return r.Kind, r.kind() })}
	_ = t.Write(rows) // a strings.Builder takes everything
	_ = t.Close()
	return out.String()
}

// heading is the first line of a table.
var heading = []string{"KIND", "NAME", "STATE", "READY", "SYNCED", "OPERATION", "ID", "MESSAGE"}

// StreamedTable writes a table while its rows arrive. Columns get wider where later rows need it.
type StreamedTable struct {
	table   stream.Table
	now     time.Time
	kinds   map[string]string
	waiting []Row
	headed  bool
}

// NewTable returns an empty table for rows of the kinds. Lines are cut to columns; 0 does not cut.
func NewTable(out io.Writer, kinds []Kind, now time.Time, columns int) *StreamedTable {
	return &StreamedTable{table: stream.Table{Out: out, Columns: columns}, now: now, kinds: kindNames(kinds, func(k Kind) (name, full string) { return k.Kind, k.fullName() })}
}

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
	if !t.headed {
		t.headed, lines = true, append(lines, heading)
	}
	for _, r := range t.waiting {
		lines = append(lines, []string{
			t.kinds[r.kind()], r.place(), dash(r.State), dash(r.Ready), dash(r.Synced),
			dash(r.doing(t.now)), dash(stream.Cut(oneLine(r.ID()), maxID)), oneLine(r.says()),
		})
	}
	t.waiting = t.waiting[:0]
	return t.table.Write(lines)
}

// Screen returns a summary and a table that fit a terminal. If not all rows fit, those with problems
// come first.
func Screen(rows []Row, now time.Time, columns, lines int) string {
	head := stream.Cut(Summary(rows)+now.Format("   15:04:05"), columns) + "\n\n"
	room := lines - 4 // the head, the table's heading, and a last line
	if lines <= 0 || len(rows) <= room {
		return head + Table(rows, now, columns)
	}
	urgent := slices.Clone(rows)
	slices.SortStableFunc(urgent, func(a, b Row) int { return cmp.Compare(a.urgency(), b.urgency()) })
	room = max(room, 1)
	shown := urgent[:room]
	sortRows(shown)
	return head + Table(shown, now, columns) + stream.Cut(fmt.Sprintf("... and %d more", len(rows)-room), columns) + "\n"
}

func (r Row) urgency() int {
	switch {
	case r.Operation != nil:
		return 0
	case r.Trouble():
		return 1
	default:
		return 2
	}
}

// Summary returns the number of resources, in total and by status.
func Summary(rows []Row) string {
	ready, busy, trouble := 0, 0, 0
	for _, r := range rows {
		switch r.urgency() {
		case 0:
			busy++
		case 1:
			trouble++
		default:
			ready++
		}
	}
	out := fmt.Sprintf("%d resources", len(rows))
	if len(rows) == 1 {
		out = "1 resource"
	}
	for _, x := range []struct {
		n    int
		text string
	}{{ready, "ready"}, {busy, "being changed"}, {trouble, "not as they should be"}} {
		if x.n > 0 {
			out += fmt.Sprintf(", %d %s", x.n, x.text)
		}
	}
	return out
}

// Line returns a change as one line of a log.
func (c Change) Line(now time.Time) string {
	parts := []string{now.Format("15:04:05"), c.kind() + " " + c.place()}
	if c.Gone {
		return strings.Join(append(parts, "gone"), "  ")
	}
	parts = append(parts, "state="+dash(c.State), "ready="+dash(c.Ready), "synced="+dash(c.Synced))
	if doing := c.doing(now); doing != "" {
		parts = append(parts, "operation="+doing)
	}
	if id := oneLine(c.ID()); id != "" {
		parts = append(parts, "id="+id)
	}
	if says := oneLine(c.says()); says != "" {
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

// kindNames returns names of kinds by their full names: without the group if they are unique without it.
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

// oneLine returns text without line ends and other characters that move a terminal's cursor.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, s)), " ")
}
