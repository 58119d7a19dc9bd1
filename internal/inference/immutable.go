package inference

import (
	"bufio"
	"bytes"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// argument is an item of a list of arguments in Markdown: "* `name` - (Required) The name. Changing
// this forces a new resource."
var argument = regexp.MustCompile("^[*-]\\s+`([a-z0-9_]+)`\\s*(.*)$")

// forcing returns the top-level arguments of which a page of documentation says that their changes
// force a new resource.
func forcing(page []byte) []string {
	var out []string
	name, text, arguments := "", "", false
	end := func() {
		if name != "" && model.ForcesNew(text) {
			out = append(out, name)
		}
		name, text = "", ""
	}
	lines := bufio.NewScanner(bytes.NewReader(page))
	lines.Buffer(nil, maxFile+1)
	for lines.Scan() {
		line := lines.Text()
		switch m := argument.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "#"):
			end()
			heading := strings.ToLower(line)
			arguments = strings.Contains(heading, "argument") || strings.HasSuffix(heading, "required") || strings.HasSuffix(heading, "optional")
		case strings.HasPrefix(line, "---"), strings.Contains(line, " block supports"), strings.Contains(line, " supports the following"):
			// What follows are arguments inside a block.
			end()
			arguments = strings.Contains(line, "The following arguments are supported")
		case arguments && m != nil:
			end()
			name, text = m[1], m[2]
		case name != "" && strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "*") &&
			!strings.HasPrefix(strings.TrimSpace(line), "- "):
			text += " " + strings.TrimSpace(line)
		case strings.TrimSpace(line) != "":
			end()
		}
	}
	end()
	return out
}

// immutable adds to a configuration the fields that documentation says to force a new resource, of
// types that permit that.
func immutable(p *model.Provider, c *config.Provider, configured map[string]config.Merged, docs fs.FS) error {
	pages := map[string]string{}
	for t := range p.Resources {
		_, name, _ := strings.Cut(t, "_")
		pages[t], pages[name] = t, t
	}
	return files(docs, func(file string, raw []byte) {
		base, _, _ := strings.Cut(path.Base(file), ".")
		t := pages[base]
		if !configured[t].InferImmutable || strings.Contains(file, "data-sources/") || strings.Contains(file, "/d/") {
			return
		}
		addImmutable(p.Resources[t], c, configured[t], forcing(raw))
	})
}

// ForceNew returns a configuration with the fields, by their paths, of which the provider's code
// says that a change forces a new object, in types that permit to infer that.
func ForceNew(
	name string, s *schema.Provider, c config.Provider, known map[string]config.Names, paths map[string][]string,
) (config.Provider, error) {
	if len(paths) == 0 {
		return c, nil
	}
	p, err := model.KeepNames(name, s, c, known)
	if err != nil {
		return c, err
	}
	configured, err := c.Merge(s.Resources)
	if err != nil {
		return c, err
	}
	out := *c.DeepCopy()
	for _, t := range slices.Sorted(maps.Keys(paths)) {
		if configured[t].InferImmutable && p.Resources[t] != nil {
			addImmutable(p.Resources[t], &out, configured[t], paths[t])
		}
	}
	return out, nil
}

// addImmutable makes fields of a type immutable that can be, except for those of which its
// configuration says something.
func addImmutable(r *model.Resource, c *config.Provider, configured config.Merged, paths []string) {
	resource := c.Resources[r.Schema.Type]
	count := 0
	for _, f := range resource.Fields {
		if f.Immutable != nil && *f.Immutable {
			count++
		}
	}
	for _, path := range paths {
		if configured.Fields[path].Immutable != nil || !r.MayBeImmutable(path) || count == model.MaxImmutable {
			continue
		}
		if resource.Fields == nil {
			resource.Fields = map[string]config.Field{}
		}
		field, yes := resource.Fields[path], true
		field.Immutable = &yes
		resource.Fields[path] = field
		count++
	}
	if c.Resources == nil {
		c.Resources = map[string]config.Resource{}
	}
	c.Resources[r.Schema.Type] = resource
}
