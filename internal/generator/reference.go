package generator

import (
	"github.com/landbridge-io/landbridge/internal/model"
)

// referenceFields returns the reference and the selector of a field that can take its value from
// other resources, if the object's schema has them: spec.initProvider has none. name is the
// object's.
func (b *types) referenceFields(name string, of fieldName, r *model.Reference, schema props) []goField {
	var out []goField
	for _, x := range []struct{ goName, property, typ string }{
		{of.ref, r.Ref, "NamespacedReference"}, {of.selector, r.Selector, "NamespacedSelector"},
	} {
		p, ok := schema.Properties[x.property]
		if !ok {
			continue
		}
		f := goField{name: x.goName, typ: "xpv2." + x.typ, tf: "-", doc: p.Description, markers: markers(p)}
		object := p
		if p.Items != nil {
			object = *p.Items.Schema
		}
		if kind, ok := object.Properties["kind"]; ok {
			f.typ = b.claim(name + x.goName)
			if p.Items == nil {
				object.Description = "" // the field has the description
			}
			b.declareReference(f.typ, object, kind)
		}
		if p.Items != nil {
			f.typ = "[]" + f.typ
		}
		f.optional(x.property, false)
		out = append(out, f)
	}
	return out
}

// declareReference declares a reference, or a selector, with a kind.
func (b *types) declareReference(name string, schema, kind props) {
	property := func(goName, typ, json string) goField {
		f := goField{name: goName, typ: typ, tf: "-", doc: schema.Properties[json].Description}
		f.optional(json, false)
		f.tf = ""
		return f
	}
	t := &goType{name: name, doc: schema.Description}
	k := property("Kind", "string", "kind")
	k.markers = append(k.markers, markers(kind)...)
	t.fields = append(t.fields, k)
	if p, ok := schema.Properties["name"]; ok {
		t.fields = append(t.fields, goField{name: "Name", typ: "string", doc: p.Description, json: "name"})
	} else {
		t.fields = append(t.fields, property("MatchLabels", "map[string]string", "matchLabels"),
			property("MatchControllerRef", "bool", "matchControllerRef"))
	}
	t.fields = append(t.fields, property("Namespace", "string", "namespace"), property("Policy", "xpv2.Policy", "policy"))
	b.declared = append(b.declared, t)
}
