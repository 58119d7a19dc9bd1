package crd

import (
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Defaults are those of variables, or of the attributes in a type.
type Defaults struct {
	// Values are by Terraform's names.
	Values map[string]cty.Value
	// Inner are those in the types of the same, by their names; that of the elements of a
	// collection is "".
	Inner map[string]*Defaults
}

// longestDefault is the maximum length of a default in a description, in bytes of JSON.
const longestDefault = 160

// describe adds the defaults to the descriptions of fields. The schema has no defaults: the
// module's program applies them, so that manifests stay as they were written.
func (d *Defaults) describe(t *model.Type, p *props) {
	if d == nil {
		return
	}
	switch {
	case t.Object != nil:
		for _, f := range t.Object.All {
			x, ok := p.Properties[f.InputName()]
			if !ok || !f.Input || f.SecretRef != "" {
				continue
			}
			d.Inner[f.Name].describe(f.Type, &x)
			if v, ok := d.Values[f.Name]; ok {
				describeDefault(v, &x)
			}
			p.Properties[f.InputName()] = x
		}
	case t.Element != nil && p.Items != nil:
		d.Inner[""].describe(t.Element, p.Items.Schema)
	case t.Element != nil && p.AdditionalProperties != nil:
		d.Inner[""].describe(t.Element, p.AdditionalProperties.Schema)
	}
}

func describeDefault(v cty.Value, p *props) {
	raw, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return
	}
	text := "Default: " + string(raw) + "."
	if len(raw) > longestDefault {
		text = "It has a default, which is too long for this description."
	}
	if p.Description != "" {
		text = p.Description + "\n" + text
	}
	p.Description = text
}
