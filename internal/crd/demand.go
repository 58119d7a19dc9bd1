package crd

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/model"
)

// The API server estimates the costs of rules by the maximum number of objects. It refuses rules
// that cost more than ten million, and kinds whose rules cost more than a hundred million in total.
const (
	loopCost     = 3       // of one element
	stepCost     = 1       // of a condition, and of each field on the way to the one that it is about
	manyElements = 1 << 20 // at most: an object takes three bytes, and a request three million
	mostPerRule  = 9 << 20
	mostPerKind  = 56 << 20
)

const (
	// unlessReferred is the beginning of the rules.
	unlessReferred = "has(self.references) || "
	// onceImported begins those of the identity. spec.import is immutable, and an identity that was
	// given when the type had another version of its schema stays valid.
	onceImported = "oldSelf.?" + importInRules + ".hasValue() || "
	// importInRules is spec.import: import is a reserved word.
	importInRules = "__import__"
)

// demands are the rules that fields of elements and of the identity are given unless
// spec.references, which may give them, is. A schema cannot require them: it does not know of the
// references of the same object.
type demands struct {
	rules apiextensionsv1.ValidationRules
	spent int64
}

// place is a value in spec.
type place struct {
	// cel is the value in rules, and path the one in messages. field is the path of the value, or
	// of the outermost list that has it. when begins the rules about what is in the value, with as
	// many open parentheses as opened.
	cel, path, field, when string
	opened                 int
	// elements is the number of values that there may be, looped the cost of finding them, steps
	// the number of fields from the innermost element to the value.
	elements, looped, steps int64
	loops                   int
}

// property is the place of a field of an object.
func (p place) property(name string) place {
	out := p
	if p.loops == 0 {
		out.field = p.field + "." + name
	}
	out.cel, out.path = p.cel+"."+celName(name), p.path+"."+name
	out.when += "!has(" + out.cel + ") || "
	out.looped += p.elements * (p.steps + 2) * stepCost
	out.steps = p.steps + 1
	return out
}

// each is the place of the elements of a list of at most so many elements; 0 is unlimited. They may
// be null.
func (p place) each(most int64, null bool) place {
	if most == 0 || most > manyElements {
		most = manyElements
	}
	out := p
	out.cel, out.path = fmt.Sprintf("e%d", p.loops), p.path+"[*]"
	out.when += p.cel + ".all(" + out.cel + ", "
	out.opened, out.loops, out.steps = p.opened+1, p.loops+1, 0
	out.elements = min(p.elements*most, mostPerKind)
	out.looped += out.elements * loopCost
	if null {
		out.when += out.cel + " == null || "
		out.looped += out.elements * stepCost
	}
	return out
}

// take takes what objects in a value require out of its schema, and adds rules for it, if their
// costs are within the limits. Otherwise the provider reports what is missing, as it does in
// elements of maps.
func (d *demands) take(t *model.Type, schema *props, at place, visible bool) {
	if t.Singleton {
		t = t.Element
	}
	switch {
	case schema.Items != nil && t.Element != nil:
		var most int64
		if schema.MaxItems != nil {
			most = *schema.MaxItems
		}
		element := schema.Items.Schema
		d.take(t.Element, element, at.each(most, element.Nullable), visible)
		return
	case schema.AdditionalProperties != nil && t.Element != nil:
		d.take(t.Element, schema.AdditionalProperties.Schema, at, false)
		return
	case t.Object == nil:
		return
	}
	for _, name := range schema.Required {
		if f := t.Object.ByInput(name); visible && f != nil && celSees(schema.Properties[name]) {
			d.require(f, schema, at)
		}
	}
	schema.Required = nil
	for _, f := range t.Object.Settable() {
		inner, ok := schema.Properties[f.InputName()]
		if ok && f.SecretRef == "" {
			d.take(f.Type, &inner, at.property(f.InputName()), visible && celSees(inner))
			schema.Properties[f.InputName()] = inner
		}
	}
}

func (d *demands) require(f *model.Field, object *props, at place) {
	name := f.InputName()
	condition, others, conditions := given(at.cel, name), "spec.references sets it", int64(1)
	if r := f.Reference; r != nil && object.Properties[r.Ref].Type != "" {
		condition, conditions = condition+" || "+referenced(at.cel, r), 3
		others = fmt.Sprintf("%s or %s is given, or %s", r.Ref, r.Selector, others)
	}
	cost := at.looped + at.elements*(at.steps+1)*stepCost*conditions
	if cost > mostPerRule || d.spent+cost > mostPerKind {
		return
	}
	d.spent += cost
	field := at.field
	if at.loops == 0 {
		field += "." + name
	}
	d.rules = append(d.rules, apiextensionsv1.ValidationRule{
		FieldPath: field,
		Rule:      unlessReferred + at.when + condition + strings.Repeat(")", at.opened),
		Message:   requiredMessage(at.path, name) + ", unless " + others,
	})
}

// demandUnlessReferred makes rules of what elements of lists in forProvider and initProvider, and
// the identity, require.
func demandUnlessReferred(t, identity *model.Type, spec *props) {
	d := demands{}
	for _, part := range []string{"forProvider", "initProvider"} {
		fields, ok := spec.Properties[part]
		if !ok {
			continue // a data source is never created
		}
		at := place{cel: "self", path: "spec", elements: 1}.property(part)
		d.take(t, &fields, at, true)
		spec.Properties[part] = fields
	}
	if identity != nil {
		of := spec.Properties["import"].Properties
		fields := of["identity"]
		at := place{cel: "self", path: "spec", elements: 1}.property("import").property("identity")
		others := len(d.rules)
		d.take(identity, &fields, at, true)
		of["identity"] = fields
		for i := range d.rules[others:] {
			rule := &d.rules[others+i]
			rule.Rule, rule.OptionalOldSelf = onceImported+rule.Rule, ptr.To(true)
		}
	}
	spec.XValidations = append(spec.XValidations, d.rules...)
}
