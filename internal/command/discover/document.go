package discover

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/landbridge-io/landbridge/internal/command/stream"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Document holds the objects found, in a format that can be read again.
type Document struct {
	Objects []DocumentObject `json:"objects"`
	Gaps
}

// Gaps are the resource types that a document lacks.
type Gaps struct {
	// NotListable are requested resource types that cannot be listed.
	NotListable []string `json:"notListable,omitempty"`
	// Incomplete are resource types of which there may be more objects.
	Incomplete []string `json:"incomplete,omitempty"`
}

// DocumentObject is a remote object.
type DocumentObject struct {
	// Type is Terraform's name of the resource type.
	Type        string `json:"type"`
	APIVersion  string `json:"apiVersion"`
	Kind        string `json:"kind"`
	DisplayName string `json:"displayName,omitempty"`
	// Identity has the format of spec.import.identity. IdentityVersion is that of its schema.
	Identity        map[string]any  `json:"identity"`
	IdentityVersion int64           `json:"identityVersion"`
	ManagedBy       []DocumentOwner `json:"managedBy"`
}

// DocumentOwner manages an object: a custom resource, or a resource in a Terraform state.
type DocumentOwner struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Address   string `json:"address,omitempty"`
}

// NewGaps returns the gaps of listings, and of types that could not be listed.
func NewGaps(listings []Listing, notListable []*model.Resource) Gaps {
	var out Gaps
	for _, l := range listings {
		if l.More || l.Diagnostics.HasErrors() {
			out.Incomplete = append(out.Incomplete, l.Request.Resource.Type)
		}
	}
	for _, r := range notListable {
		out.NotListable = append(out.NotListable, r.Type)
	}
	return out
}

// Writer writes objects as they arrive, and then what is missing. It writes nothing before the
// first call.
type Writer interface {
	Write(objects []Object) error
	Close(Gaps) error
}

// NewWriter returns the Writer of a Document, in JSON or YAML.
func NewWriter(w io.Writer, inYAML bool) Writer {
	return &documentWriter{stream.List{Out: w, Name: "objects", YAML: inYAML}}
}

type documentWriter struct{ list stream.List }

func (d *documentWriter) Write(objects []Object) error {
	elements := make([]any, len(objects))
	for i, o := range objects {
		elements[i] = document(o)
	}
	return d.list.Write(elements...)
}

func (d *documentWriter) Close(g Gaps) error { return d.list.Close(g) }

func document(o Object) DocumentObject {
	out := DocumentObject{
		Type: o.Resource.Type, APIVersion: o.Resource.GroupVersionKind().GroupVersion().String(), Kind: o.Resource.Kind,
		DisplayName: o.DisplayName, Identity: translate.Identity(o.Resource, o.Identity), ManagedBy: []DocumentOwner{},
	}
	if s := o.Resource.Schema.Identity; s != nil {
		out.IdentityVersion = s.Version
	}
	for _, w := range o.Owners {
		if w.Address != "" {
			out.ManagedBy = append(out.ManagedBy, DocumentOwner{Address: w.Address})
			continue
		}
		out.ManagedBy = append(out.ManagedBy, DocumentOwner{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name})
	}
	return out
}

// NewTable returns the Writer of a table for people.
func NewTable(w io.Writer) Writer { return &tableWriter{table: stream.Table{Out: w}} }

type tableWriter struct {
	table  stream.Table
	headed bool
}

func (t *tableWriter) Write(objects []Object) error {
	var lines [][]string
	if !t.headed && len(objects) > 0 {
		t.headed, lines = true, append(lines, []string{"TYPE", "NAME", "IDENTITY", "MANAGED BY"})
	}
	for _, o := range objects {
		owners := make([]string, 0, len(o.Owners))
		for _, x := range o.Owners {
			owners = append(owners, x.String())
		}
		lines = append(lines, []string{o.Resource.Type, cmp.Or(oneLine(o.DisplayName), "-"), oneLine(translate.CanonicalIdentity(o.Identity)), cmp.Or(strings.Join(owners, ", "), "-")})
	}
	return t.table.Write(lines)
}

func (t *tableWriter) Close(g Gaps) error {
	var err error
	switch {
	case t.headed:
	case len(g.Incomplete) > 0:
		_, err = fmt.Fprintf(t.table.Out, "Could not be listed completely: %s.\n", strings.Join(slices.Compact(slices.Sorted(slices.Values(g.Incomplete))), ", "))
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
