package discover

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/landbridge-io/landbridge/internal/command/stream"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Writer writes objects as they arrive, and then what is missing. It writes nothing before the
// first call.
type Writer interface {
	Write(objects []discovery.Object) error
	Close(discovery.Gaps) error
}

// NewWriter returns the Writer of a discovery.Document, in JSON or YAML.
func NewWriter(w io.Writer, inYAML bool) Writer {
	return &documentWriter{stream.List{Out: w, Name: "objects", YAML: inYAML}}
}

type documentWriter struct{ list stream.List }

func (d *documentWriter) Write(objects []discovery.Object) error {
	elements := make([]any, len(objects))
	for i, o := range objects {
		elements[i] = o.Document()
	}
	return d.list.Write(elements...)
}

func (d *documentWriter) Close(g discovery.Gaps) error { return d.list.Close(g) }

// NewTable returns the Writer of a table for people.
func NewTable(w io.Writer) Writer { return &tableWriter{table: stream.Table{Out: w}} }

type tableWriter struct {
	table  stream.Table
	headed bool
}

func (t *tableWriter) Write(objects []discovery.Object) error {
	var lines [][]string
	if !t.headed && len(objects) > 0 {
		t.headed, lines = true, append(lines, []string{"TYPE", "NAME", "IDENTITY", "MANAGED BY"})
	}
	for _, o := range objects {
		owners := make([]string, 0, len(o.Owners))
		for _, x := range o.Owners {
			name := x.String()
			if x.Declared {
				name += " (declared)"
			}
			owners = append(owners, name)
		}
		lines = append(lines, []string{
			o.Resource.Type, cmp.Or(oneLine(o.DisplayName), "-"), oneLine(translate.CanonicalIdentity(o.Identity)),
			cmp.Or(strings.Join(owners, ", "), "-"),
		})
	}
	return t.table.Write(lines)
}

func (t *tableWriter) Close(g discovery.Gaps) error {
	var err error
	switch {
	case t.headed:
	case len(g.Incomplete) > 0:
		_, err = fmt.Fprintf(t.table.Out, "Could not be listed completely: %s.\n",
			strings.Join(slices.Compact(slices.Sorted(slices.Values(g.Incomplete))), ", "))
	default:
		_, err = fmt.Fprintln(t.table.Out, "No objects found.")
	}
	return err
}

// oneLine returns a provider's text without characters that move a terminal's cursor.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}
