package generator

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/landbridge-io/landbridge/internal/model"
)

// UpdateOptions are the options of Update.
type UpdateOptions struct {
	Options
	// AllowBreaking allows changes with which existing manifests and programs no longer work.
	AllowBreaking bool
	// HowToAllow tells users how to set AllowBreaking.
	HowToAllow string
	// Inferred are the lines about references that were inferred from documentation.
	Inferred []string
	// Notes receives notes about the generated kinds and their changes.
	Notes io.Writer
}

// Update generates everything for a provider, compares it with the contents of Options.Dir, and
// writes it there. It writes nothing if the changes break manifests or programs, unless that is
// allowed.
func Update(p *model.Provider, o UpdateOptions) (*Changes, error) {
	out, err := Provider(p, o.Options)
	if err != nil {
		return nil, err
	}
	o.notes(p, out)
	evolved, err := Compare(o.Dir, out.Files)
	if err != nil {
		return nil, err
	}
	if !o.AllowBreaking {
		if err := Refuse(evolved, o.HowToAllow); err != nil {
			return nil, err
		}
	}
	if len(evolved.Changes) > 0 {
		if err := evolved.Text(o.Notes); err != nil {
			return nil, err
		}
	}
	return Write(o.Dir, out.Files)
}

func (o UpdateOptions) notes(p *model.Provider, out *Output) {
	for _, r := range p.Renamed {
		fmt.Fprintln(o.Notes, "Note:", r)
	}
	for _, line := range o.Inferred {
		fmt.Fprintln(o.Notes, "Inferred:", line)
	}
	for _, r := range out.Renamed {
		fmt.Fprintln(o.Notes, "Note:", r)
	}
	for _, t := range slices.Sorted(maps.Keys(out.Large)) {
		fmt.Fprintf(o.Notes, "Note: %s: %s\n", t, out.Large[t])
	}
}
