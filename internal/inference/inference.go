package inference

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// Reference is an inferred reference.
type Reference struct {
	// Type is the resource type, Path its attribute, by its Terraform path with dots.
	Type, Path string
	Targets    []config.Target
	// Files are the files that it was inferred from, by name.
	Files []string
	// Left is the reason why it was left out; nil if it was not.
	Left error
}

func (r Reference) String() string {
	targets := make([]string, len(r.Targets))
	for i, t := range r.Targets {
		targets[i] = t.Type + "." + t.Attribute
	}
	files := r.Files[0]
	if more := len(r.Files) - 1; more > 0 {
		files += fmt.Sprintf(" and %d more", more)
	}
	out := fmt.Sprintf("%s.%s comes from %s (%s)", r.Type, r.Path, strings.Join(targets, " or "), files)
	if r.Left != nil {
		out += ", but was left out: " + r.Left.Error()
	}
	return out
}

// errConfigured is the error of references that the configuration overrides.
var errConfigured = errors.New("the configuration says otherwise")

// Provider makes the model of a provider like model.KeepNames, with the references that are
// inferred from its documentation in addition to those of the configuration. References are sorted
// by type and path. known are the names that kinds had before (see model.KeepNames).
func Provider(
	name string, s *schema.Provider, c config.Provider, known map[string]config.Names, docs fs.FS,
) (*model.Provider, []Reference, error) {
	p, err := model.KeepNames(name, s, c, known)
	if err != nil {
		return nil, nil, err
	}
	all, err := snippets(docs)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, errNoExamples
	}
	e := examples{provider: p, found: map[place]map[source][]string{}}
	for _, x := range all {
		e.read(x)
	}
	found := e.references()
	configured, err := c.Merge(s.Resources)
	if err != nil {
		return nil, nil, err
	}
	with := *c.DeepCopy()
	if err := immutable(p, &with, configured, docs); err != nil {
		return nil, nil, err
	}
	for i, r := range found {
		if _, ok := configured[r.Type].References[r.Path]; ok {
			found[i].Left = errConfigured
			continue
		}
		add(&with, r)
	}
	// References that are not possible, such as those whose names are taken, are left out.
	for {
		p, err := model.KeepNames(name, s, with, known)
		if err == nil {
			return p, found, nil
		}
		i := slices.IndexFunc(found, func(r Reference) bool { return r.Left == nil && isOf(err, r) })
		if i < 0 {
			return nil, nil, err
		}
		found[i].Left = errors.Unwrap(err)
		delete(with.Resources[found[i].Type].References, found[i].Path)
	}
}

// isOf reports whether an error is about an inferred reference.
func isOf(err error, r Reference) bool {
	var mistake *config.Error
	return errors.As(err, &mistake) && len(mistake.Path) >= 4 &&
		slices.Equal(mistake.Path[:4], []string{"resources", r.Type, "references", r.Path})
}

// Configuration returns a configuration with the references that were not left out.
func Configuration(all []Reference) config.Provider {
	out := config.Provider{}
	for _, r := range all {
		if r.Left == nil {
			add(&out, r)
		}
	}
	return out
}

// add adds a reference to a configuration.
func add(c *config.Provider, r Reference) {
	if c.Resources == nil {
		c.Resources = map[string]config.Resource{}
	}
	resource := c.Resources[r.Type]
	if resource.References == nil {
		resource.References = map[string]config.Reference{}
	}
	resource.References[r.Path] = config.Reference{Targets: r.Targets}
	c.Resources[r.Type] = resource
}
