package generator

import (
	"bytes"
	"go/format"
	"maps"
	"slices"
	"text/template"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
)

// KnownNames returns the names of the kinds that were generated into a directory before, by
// resource type.
func KnownNames(dir string) (map[string]config.Names, error) {
	earlier, err := generatedCRDs(dir)
	if err != nil {
		return nil, err
	}
	out := map[string]config.Names{}
	for _, d := range earlier {
		if t := d.Annotations[v1alpha1.AnnotationResourceType]; t != "" {
			n := d.Spec.Names
			out[t] = config.Names{Kind: n.Kind, ListKind: n.ListKind, Plural: n.Plural, Singular: n.Singular}
		}
	}
	return out, nil
}

// addNames adds a file with the names that the repository's program has to be told of.
func (o *Output) addNames(provider string, p *model.Provider) error {
	names := p.AssignedNames()
	if len(names) == 0 {
		return nil
	}
	type entry struct {
		Type string
		config.Names
	}
	var all []entry
	for _, t := range slices.Sorted(maps.Keys(names)) {
		all = append(all, entry{t, names[t]})
	}
	var body bytes.Buffer
	if err := namesTemplate.Execute(&body, struct {
		Header, Provider string
		Names            []entry
	}{header, provider, all}); err != nil {
		return err
	}
	var err error
	o.Files["config/zz_names.go"], err = format.Source(body.Bytes())
	return err
}

var namesTemplate = template.Must(template.New("names").Parse(`{{.Header}}

package config

import "github.com/landbridge-io/landbridge/config"

// These kinds keep the names that they were generated with first.
func init() {
	config.Assign({{printf "%q" .Provider}}, map[string]config.Names{
{{- range .Names}}
		{{printf "%q" .Type}}: {Kind: {{printf "%q" .Kind}}, ListKind: {{printf "%q" .ListKind}}, Plural: {{printf "%q" .Plural}}, Singular: {{printf "%q" .Singular}}},
{{- end}}
	})
}
`))
