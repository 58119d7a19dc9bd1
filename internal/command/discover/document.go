package discover

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Document holds the objects found, in a format that can be read again.
type Document struct {
	Objects []DocumentObject `json:"objects"`
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
	// Identity has the format of spec.import.identity.
	Identity  map[string]any  `json:"identity"`
	ManagedBy []DocumentOwner `json:"managedBy"`
	// identity is its canonical form.
	identity string
}

// DocumentOwner manages an object: a custom resource, or a resource in a Terraform state.
type DocumentOwner struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Address   string `json:"address,omitempty"`
}

// NewDocument returns a document of listings and of types that could not be listed.
func NewDocument(listings []Listing, notListable []*model.Resource) Document {
	out := Document{Objects: []DocumentObject{}}
	for _, l := range listings {
		for _, o := range l.Objects {
			x := DocumentObject{
				Type: o.Resource.Type, APIVersion: o.Resource.GroupVersionKind().GroupVersion().String(), Kind: o.Resource.Kind,
				DisplayName: o.DisplayName, Identity: translate.Identity(o.Resource, o.Identity), ManagedBy: []DocumentOwner{},
				identity: translate.CanonicalIdentity(o.Identity),
			}
			for _, w := range o.Owners {
				if w.Address != "" {
					x.ManagedBy = append(x.ManagedBy, DocumentOwner{Address: w.Address})
					continue
				}
				x.ManagedBy = append(x.ManagedBy, DocumentOwner{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name})
			}
			out.Objects = append(out.Objects, x)
		}
		if l.More || l.Diagnostics.HasErrors() {
			out.Incomplete = append(out.Incomplete, l.Request.Resource.Type)
		}
	}
	for _, r := range notListable {
		out.NotListable = append(out.NotListable, r.Type)
	}
	return out
}

// Table writes the objects for people.
func (d Document) Table(w io.Writer) error {
	if len(d.Objects) == 0 && len(d.Incomplete) > 0 {
		_, err := fmt.Fprintf(w, "Could not be listed completely: %s.\n", strings.Join(slices.Compact(slices.Sorted(slices.Values(d.Incomplete))), ", "))
		return err
	}
	if len(d.Objects) == 0 {
		_, err := fmt.Fprintln(w, "No objects found.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "TYPE\tNAME\tIDENTITY\tMANAGED BY")
	for _, o := range d.Objects {
		owners := make([]string, 0, len(o.ManagedBy))
		for _, x := range o.ManagedBy {
			owners = append(owners, Owner{Address: x.Address, Namespace: x.Namespace, Name: x.Name}.String())
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", o.Type, cmp.Or(oneLine(o.DisplayName), "-"), oneLine(o.identity), cmp.Or(strings.Join(owners, ", "), "-"))
	}
	return t.Flush()
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
