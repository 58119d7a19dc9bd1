package generator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

type props = apiextensionsv1.JSONSchemaProps

// goType is the declaration of a struct or, if underlying is set, of another type.
type goType struct {
	name       string
	doc        string
	markers    []string
	underlying string
	fields     []goField
}

// goField is a field of a struct. Embedded fields have no name.
type goField struct {
	name, typ string
	doc       string
	markers   []string
	json, tf  string
}

// types makes the Go types of one kind from the schema of the CRD, with names and shapes from the
// model.
type types struct {
	// of is the resource type or the kind.
	of string
	// scope is the package's.
	scope    scope
	fields   map[*model.Fields]map[*model.Field]fieldName
	declared []*goType
	renamed  []model.Renamed
}

// claim claims the name of a type in the package.
func (b *types) claim(name string) string {
	got := b.scope.claim(name)
	if got != name {
		b.renamed = append(b.renamed, model.Renamed{Type: b.of, Wanted: name, Got: got})
	}
	return got
}

func (b *types) namesOf(t *model.Fields) map[*model.Field]fieldName {
	names, ok := b.fields[t]
	if !ok {
		names = fieldNames(t)
		b.fields[t] = names
		b.renamed = append(b.renamed, renamedFields(b.of, names, t)...)
	}
	return names
}

// object declares the struct of an object whose name is already claimed. status selects observed
// fields; otherwise settable ones.
func (b *types) object(name string, t *model.Type, schema props, status bool) error {
	declared := &goType{name: name, markers: rules(schema)}
	b.declared = append(b.declared, declared)
	names := b.namesOf(t.Object)
	for _, f := range t.Object.Settable() {
		property, goName := f.JSONName, names[f].value
		if !status {
			if !f.Input {
				continue
			}
			property = f.InputName()
			if f.SecretRef != "" {
				goName = names[f].secretRef
			}
		} else if !f.Observed {
			continue
		}
		fieldSchema, ok := schema.Properties[property]
		if !ok {
			return fmt.Errorf("%s: the CRD has no field %s", name, property)
		}
		field := goField{name: goName, doc: fieldSchema.Description, markers: markers(fieldSchema)}
		if !status && f.SecretRef != "" {
			field.typ, field.tf = "xpv2.LocalSecretKeySelector", "-"
			if _, anywhere := fieldSchema.Properties["namespace"]; anywhere {
				field.typ = "xpv2.SecretKeySelector"
			}
		} else {
			typ, err := b.typ(name+goName, f.Type, fieldSchema, status)
			if err != nil {
				return err
			}
			if f.Immutable && len(fieldSchema.XValidations) > 0 {
				field.markers = append(append(field.markers, "+immutable"), rules(fieldSchema)...)
			}
			field.typ, field.tf = typ, f.Name
			if f.Added {
				field.tf = "-"
			}
		}
		field.optional(property, slices.Contains(schema.Required, property))
		declared.fields = append(declared.fields, field)
		if r := f.Reference; r != nil && !status {
			declared.fields = append(declared.fields, b.referenceFields(name, names[f], r, schema)...)
		}
	}
	if len(declared.fields) != len(schema.Properties) {
		return fmt.Errorf("%s: the CRD has %d fields, and the model %d", name, len(schema.Properties), len(declared.fields))
	}
	return nil
}

// optional makes a field optional unless it is required: nil means unset and is omitted. An empty
// list or map is set.
func (f *goField) optional(property string, required bool) {
	omit := ""
	switch {
	case required:
		f.markers = append(f.markers, "+kubebuilder:validation:Required")
	case nilable(f.typ):
		omit = ",omitzero"
		f.markers = append(f.markers, "+optional")
	default:
		omit = ",omitempty"
		f.typ = "*" + f.typ
		f.markers = append(f.markers, "+optional")
	}
	f.json = property + omit
	if f.tf != "-" && omit != "" {
		f.tf += ",omitempty"
	}
}

// typ returns the Go type of a value. name is the name of the struct if the type is one.
func (b *types) typ(name string, t *model.Type, schema props, status bool) (string, error) {
	switch schema.Type {
	case "":
		return "apiextensionsv1.JSON", nil
	case "string":
		return "string", nil
	case "number":
		return "managed.Number", nil
	case "integer":
		return "int64", nil
	case "boolean":
		return "bool", nil
	case "array":
		element, err := b.element(name, t.Element, *schema.Items.Schema, status)
		return "[]" + element, err
	case "object":
		switch {
		case schema.AdditionalProperties != nil:
			element, err := b.element(name, t.Element, *schema.AdditionalProperties.Schema, status)
			return "map[string]" + element, err
		case schema.XPreserveUnknownFields != nil:
			return "runtime.RawExtension", nil
		}
		if t.Singleton {
			t = t.Element
		}
		name = b.claim(name)
		return name, b.object(name, t, schema, status)
	default:
		return "", fmt.Errorf("%s: there is no Go type for the schema's type %s", name, schema.Type)
	}
}

// element returns the Go type of a collection's elements: a pointer if they may be null.
func (b *types) element(name string, t *model.Type, schema props, status bool) (string, error) {
	typ, err := b.typ(name, t, schema, status)
	if err != nil {
		return "", err
	}
	nullable := schema.Nullable
	schema.Nullable = false
	if m := markers(schema); len(m) > 0 {
		// Only fields and types can have markers.
		named := b.claim(name + "Element")
		b.declared = append(b.declared, &goType{name: named, markers: m, underlying: typ})
		return named, nil
	}
	if nullable && !nilable(typ) {
		typ = "*" + typ
	}
	return typ, nil
}

// nilable reports whether nil is a value of the type.
func nilable(typ string) bool {
	return strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map[") || typ == "apiextensionsv1.JSON"
}

// markers returns the markers of a field or type for the facts that its Go type does not express.
func markers(schema props) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(schema.Enum) > 0 {
		values := make([]string, len(schema.Enum))
		for i, v := range schema.Enum {
			values[i] = strings.Trim(string(v.Raw), `"`)
		}
		add("+kubebuilder:validation:Enum=%s", strings.Join(values, ";"))
	}
	if schema.MinLength != nil {
		add("+kubebuilder:validation:MinLength=%d", *schema.MinLength)
	}
	if schema.MinItems != nil {
		add("+kubebuilder:validation:MinItems=%d", *schema.MinItems)
	}
	if schema.MaxItems != nil {
		add("+kubebuilder:validation:MaxItems=%d", *schema.MaxItems)
	}
	if schema.XListType != nil {
		add("+listType=%s", *schema.XListType)
	}
	if schema.XMapType != nil {
		kind := "struct"
		if schema.AdditionalProperties != nil {
			kind = "map"
		}
		add("+%sType=%s", kind, *schema.XMapType)
	}
	if schema.Nullable {
		add("+nullable")
	}
	if schema.Default != nil {
		add("+kubebuilder:default=%s", schema.Default.Raw)
	}
	return out
}

// rules returns the validation rules of a type.
func rules(schema props) []string {
	var out []string
	for _, r := range schema.XValidations {
		rule := "+kubebuilder:validation:XValidation:rule=" + strconv.Quote(r.Rule) + ",message=" + strconv.Quote(r.Message)
		if r.FieldPath != "" {
			rule += ",fieldPath=" + strconv.Quote(r.FieldPath)
		}
		if r.OptionalOldSelf != nil && *r.OptionalOldSelf {
			rule += ",optionalOldSelf=true"
		}
		out = append(out, rule)
	}
	return out
}
