package translate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/text"
)

// Summaries of the diagnostics of this package, as in Terraform where it has the same.
const (
	unsupportedArgument = "Unsupported argument"
	incorrectType       = "Incorrect attribute value type"
	tooManyBlocks       = "Too many blocks"
	invalidSecret       = "Invalid Secret reference"
	equalKeys           = "Equal map keys"
	imprecise           = "Number may have lost digits"
)

// Decode is the inverse of Encode. All fields, including sensitive ones, are under their JSONName.
func Decode(t *model.Type, in any) (cty.Value, diagnostic.Diagnostics) {
	d := decoder{whole: true}
	v := d.value(t, in)
	if d.diags.HasErrors() {
		return cty.NullVal(t.Cty), d.diags
	}
	return v, d.diags
}

// decoder converts JSON to one cty value. The value of a decoder with errors is meaningless.
type decoder struct {
	// whole is set for the output of Encode, where every field is an input under its JSONName.
	// Otherwise the input is in the form of spec.
	whole bool
	// conceal is set if the input is from a Secret and must not be quoted. Its keys may also be
	// Terraform's names, and paths have the keys that the Secret has.
	conceal bool
	// secrets resolves references. namespaced is set if references contain a namespace.
	secrets Secrets

	path      cty.Path
	sensitive []cty.Path
	diags     diagnostic.Diagnostics
}

func (d *decoder) errorf(t *model.Type, summary, detail string, args ...any) cty.Value {
	d.diags = append(d.diags, diagnostic.AttributeErrorf(d.path, summary, detail, args...)...)
	return t.Absent
}

func (d *decoder) push(s cty.PathStep) { d.path = append(d.path, s) }
func (d *decoder) pop()                { d.path = d.path[:len(d.path)-1] }

func (d *decoder) value(t *model.Type, in any) cty.Value {
	if in == nil {
		return t.Absent
	}
	if t.Singleton && !d.whole {
		return d.singleton(t, in)
	}
	if t.As == model.JSON && !d.whole {
		return d.jsonText(t, in)
	}
	switch t.Kind {
	case model.String:
		switch x := in.(type) {
		case string:
			if !utf8.ValidString(x) {
				return d.errorf(t, incorrectType, "The text is not valid UTF-8.")
			}
			return cty.StringVal(x)
		case bool:
			if x {
				return cty.StringVal("true")
			}
			return cty.StringVal("false")
		}
		if n, ok := d.number(t, in); ok {
			return cty.StringVal(numberText(n))
		}
	case model.Number:
		if n, ok := d.number(t, in); ok {
			return n
		}
		if s, ok := in.(string); ok {
			if n, ok := numberFromText(s); ok {
				return n
			}
		}
	case model.Bool:
		switch in {
		case true, "true":
			return cty.True
		case false, "false":
			return cty.False
		}
	case model.Dynamic:
		if !d.whole && deeper(in, maxNesting) {
			return d.errorf(t, incorrectType, "It is nested more than %d levels deep.", maxNesting)
		}
		return d.dynamic(t, in)
	case model.List, model.Set:
		if list, ok := in.([]any); ok {
			return d.list(t, list)
		}
	case model.Tuple:
		if list, ok := in.([]any); ok {
			return d.tuple(t, list)
		}
	case model.Map:
		if m, ok := in.(map[string]any); ok {
			return d.mapping(t, m)
		}
	case model.Object:
		if m, ok := in.(map[string]any); ok {
			return d.object(t, m)
		}
	}
	return d.wrongType(t, in)
}

func (d *decoder) wrongType(t *model.Type, in any) cty.Value {
	got := describe(in)
	if s, ok := in.(string); ok && t.IsPrimitive() && !d.conceal {
		got = fmt.Sprintf("the string %q", text.Shorten(s, 64))
	}
	return d.errorf(t, incorrectType, "It must be %s, not %s.", wanted(t), got)
}

func wanted(t *model.Type) string {
	switch t.Kind {
	case model.Object:
		return "an object"
	case model.Tuple:
		return fmt.Sprintf("a list of %d elements", len(t.Tuple))
	case model.List, model.Set:
		return "a list"
	case model.Bool:
		return "true or false"
	default:
		return "a " + string(t.Kind)
	}
}

func describe(in any) string {
	switch in.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case nil:
		return "null"
	default:
		return "a number"
	}
}

// number reads a number of the types that JSON decoders return.
func (d *decoder) number(t *model.Type, in any) (cty.Value, bool) {
	switch x := in.(type) {
	case int64:
		return cty.NumberIntVal(x), true
	case int:
		return cty.NumberIntVal(int64(x)), true
	case float64:
		if !d.whole && mayBeRounded(x) {
			d.diags = append(d.diags, diagnostic.Diagnostic{
				Severity: diagnostic.Warning, Summary: imprecise, Attribute: d.path.Copy(),
				Detail: "Kubernetes keeps whole numbers exactly only up to 64 bits, and decimals up to 15 digits; " +
					"this one may have been rounded. " + d.instead(t),
			})
		}
		return numberFromFloat(x)
	case json.Number:
		return numberFromText(x.String())
	}
	return cty.NilVal, false
}

// exactDigits is the number of digits of a decimal that a float64 always keeps.
const exactDigits = 15

// mayBeRounded reports whether a number that was decoded to a float64 may have had more digits.
func mayBeRounded(x float64) bool {
	if x == math.Trunc(x) {
		return math.Abs(x) >= 1<<63 // others are decoded to an int64
	}
	digits, _, _ := strings.Cut(strconv.FormatFloat(math.Abs(x), 'e', -1, 64), "e")
	return len(digits)-len(".") > exactDigits
}

// instead returns how a number of a type can be written with all its digits.
func (d *decoder) instead(t *model.Type) string {
	switch t.Kind {
	case model.String:
		return "Write it in quotes."
	case model.Dynamic:
		return `Write it as {"$type": "number", "$value": "…"}.`
	}
	var names []string
	for _, step := range d.path {
		if s, ok := step.(cty.GetAttrStep); ok {
			names = append(names, s.Name)
		}
	}
	return fmt.Sprintf("With fields.%s.type: string for this resource type in the TerraformProvider, it is written "+
		"as text and kept exactly.", strings.Join(names, "."))
}

// singleton reads a block that is presented as an object, or nothing.
func (d *decoder) singleton(t *model.Type, in any) cty.Value {
	m, ok := in.(map[string]any)
	if !ok {
		return d.errorf(t, incorrectType, "It must be an object, not %s.", describe(in))
	}
	if t.Kind == model.Set {
		d.push(cty.IndexStep{Key: cty.DynamicVal})
	} else {
		d.push(cty.IndexStep{Key: cty.Zero})
	}
	v := d.object(t.Element, m)
	d.pop()
	return d.collect(t, []cty.Value{v})
}

func (d *decoder) list(t *model.Type, in []any) cty.Value {
	if t.Block != "" && t.MaxItems > 0 && int64(len(in)) > t.MaxItems {
		return d.errorf(t, tooManyBlocks, "There may be at most %d.", t.MaxItems)
	}
	values := make([]cty.Value, len(in))
	for i, x := range in {
		if t.Kind == model.Set {
			d.push(cty.IndexStep{Key: cty.DynamicVal})
		} else {
			d.push(cty.IndexStep{Key: cty.NumberIntVal(int64(i))})
		}
		if x == nil && t.Block != "" {
			values[i] = d.errorf(t.Element, incorrectType, "It must be an object, not null.")
		} else {
			values[i] = d.value(t.Element, x)
		}
		d.pop()
	}
	return d.collect(t, values)
}

func (d *decoder) collect(t *model.Type, values []cty.Value) cty.Value {
	if d.diags.HasErrors() {
		return t.Absent
	}
	if t.Cty == cty.DynamicPseudoType {
		return cty.TupleVal(values)
	}
	if len(values) == 0 {
		if t.Kind == model.Set {
			return cty.SetValEmpty(t.Cty.ElementType())
		}
		return cty.ListValEmpty(t.Cty.ElementType())
	}
	if !d.unify(t, values) {
		return t.Absent
	}
	if t.Kind == model.Set {
		return cty.SetVal(values)
	}
	return cty.ListVal(values)
}

// unify converts the elements of a collection with a dynamic element type to one type, as Terraform
// does.
func (d *decoder) unify(t *model.Type, values []cty.Value) bool {
	if !t.Cty.ElementType().HasDynamicTypes() {
		return true
	}
	types := make([]cty.Type, len(values))
	for i, v := range values {
		types[i] = v.Type()
	}
	_, conversions := convert.UnifyUnsafe(types)
	if conversions == nil {
		d.errorf(t, incorrectType, "All elements must have the same type.")
		return false
	}
	for i, c := range conversions {
		if c == nil {
			continue
		}
		v, err := c(values[i])
		if err != nil {
			d.errorf(t, incorrectType, "All elements must have the same type.")
			return false
		}
		values[i] = v
	}
	return true
}

func (d *decoder) tuple(t *model.Type, in []any) cty.Value {
	if len(in) != len(t.Tuple) {
		return d.errorf(t, incorrectType, "It must be a list of %d elements, not of %d.", len(t.Tuple), len(in))
	}
	values := make([]cty.Value, len(in))
	for i, x := range in {
		d.push(cty.IndexStep{Key: cty.NumberIntVal(int64(i))})
		values[i] = d.value(t.Tuple[i], x)
		d.pop()
	}
	return cty.TupleVal(values)
}

func (d *decoder) mapping(t *model.Type, in map[string]any) cty.Value {
	values := make(map[string]cty.Value, len(in))
	object := t.Cty == cty.DynamicPseudoType
	for k, x := range in {
		if object {
			d.push(cty.GetAttrStep{Name: k})
		} else {
			d.push(cty.IndexStep{Key: cty.StringVal(k)})
		}
		name := cty.NormalizeString(k)
		switch _, taken := values[name]; {
		case taken:
			values[name] = d.errorf(t.Element, equalKeys, "Another key looks the same, and is the same to the "+
				"provider: the two differ only in how their characters are composed. Remove one of them.")
		case x == nil && t.Block != "":
			values[name] = d.errorf(t.Element, incorrectType, "It must be an object, not null.")
		default:
			values[name] = d.value(t.Element, x)
		}
		d.pop()
	}
	switch {
	case d.diags.HasErrors():
		return t.Absent
	case object:
		return cty.ObjectVal(values)
	case len(values) == 0:
		return cty.MapValEmpty(t.Cty.ElementType())
	}
	return d.unifyMap(t, values)
}

func (d *decoder) unifyMap(t *model.Type, values map[string]cty.Value) cty.Value {
	if t.Cty.ElementType().HasDynamicTypes() {
		keys := slices.Sorted(maps.Keys(values))
		list := make([]cty.Value, len(keys))
		for i, k := range keys {
			list[i] = values[k]
		}
		if !d.unify(t, list) {
			return t.Absent
		}
		for i, k := range keys {
			values[k] = list[i]
		}
	}
	return cty.MapVal(values)
}

func (d *decoder) object(t *model.Type, in map[string]any) cty.Value {
	values := make(map[string]cty.Value, len(t.Object.All))
	used := 0
	for _, f := range t.Object.All {
		if !d.whole && !f.Input {
			values[f.Name] = f.Type.Absent
			continue
		}
		name := f.JSONName
		secret := !d.whole && f.SecretRef != ""
		if secret {
			name = f.SecretRef
		}
		x, given := in[name]
		at := f.Name
		if d.conceal {
			at = name
			if y, also := in[f.Name]; also && f.Name != name {
				if given {
					d.push(cty.GetAttrStep{Name: at})
					values[f.Name] = d.errorf(f.Type, unsupportedArgument, "It is given twice, also as %s.", f.Name)
					d.pop()
					used += 2
					continue
				}
				x, given, at = y, true, f.Name
			}
		}
		if !given {
			values[f.Name] = f.Type.Absent
			continue
		}
		used++
		d.push(cty.GetAttrStep{Name: at})
		switch {
		case x == nil:
			values[f.Name] = f.Type.Absent
		case secret:
			values[f.Name] = d.secret(f, x)
		default:
			values[f.Name] = d.value(f.Type, x)
		}
		d.pop()
	}
	if used < len(in) {
		d.unknownKeys(t, in)
	}
	return cty.ObjectVal(values)
}

func (d *decoder) unknownKeys(t *model.Type, in map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(in)) {
		if d.conceal && t.Object.ByTerraform(k) != nil {
			continue
		}
		if d.whole && t.Object.ByJSON(k) != nil || !d.whole && (t.Object.ByInput(k) != nil || t.Object.ByReference(k) != nil) {
			continue
		}
		d.push(cty.GetAttrStep{Name: k})
		detail := "There is no such field."
		if f := fieldMeant(t.Object, k); f != nil {
			switch {
			case f.Settled:
				detail = "It is settled by the configuration of the provider's kinds and cannot be given."
			case !f.Input:
				detail = "It is set by the provider and cannot be given."
			case f.SecretRef != "":
				detail = fmt.Sprintf("It is secret: refer to a key of a Secret with %s.", f.SecretRef)
			default:
				detail = fmt.Sprintf("There is no field %s. Did you mean %s?", k, f.JSONName)
			}
		}
		d.diags = append(d.diags, diagnostic.AttributeErrorf(d.path, unsupportedArgument, "%s", detail)...)
		d.pop()
	}
}

func fieldMeant(o *model.Fields, key string) *model.Field {
	if f := o.ByJSON(key); f != nil {
		return f
	}
	if f := o.ByTerraform(key); f != nil {
		return f
	}
	for _, f := range o.All {
		if strings.EqualFold(f.JSONName, key) {
			return f
		}
	}
	return nil
}

// Keys of the written-out form of a dynamically typed value.
const (
	dynamicType  = "$type"
	dynamicValue = "$value"
)

// maxNesting bounds the nesting of dynamically typed values that users write. The time that their
// types take grows with its square: 10,000 levels, which the API server accepts, took a minute.
const maxNesting = 200

// deeper reports whether a JSON value is nested more than some levels deep.
func deeper(in any, levels int) bool {
	switch x := in.(type) {
	case []any:
		return levels == 0 || slices.ContainsFunc(x, func(e any) bool { return deeper(e, levels-1) })
	case map[string]any:
		if levels == 0 {
			return true
		}
		for _, e := range x {
			if deeper(e, levels-1) {
				return true
			}
		}
	}
	return false
}

func (d *decoder) dynamic(t *model.Type, in any) cty.Value {
	switch x := in.(type) {
	case nil:
		return cty.NullVal(cty.DynamicPseudoType)
	case string:
		if !utf8.ValidString(x) {
			return d.errorf(t, incorrectType, "The text is not valid UTF-8.")
		}
		return cty.StringVal(x)
	case bool:
		return cty.BoolVal(x)
	case []any:
		values := make([]cty.Value, len(x))
		for i, e := range x {
			d.push(cty.IndexStep{Key: cty.NumberIntVal(int64(i))})
			values[i] = d.dynamic(t, e)
			d.pop()
		}
		return cty.TupleVal(values)
	case map[string]any:
		if written, ok := x[dynamicType]; ok && len(x) == 2 {
			if value, ok := x[dynamicValue]; ok {
				return d.writtenOut(t, written, value)
			}
		}
		values := make(map[string]cty.Value, len(x))
		for k, e := range x {
			d.push(cty.GetAttrStep{Name: k})
			values[cty.NormalizeString(k)] = d.dynamic(t, e)
			d.pop()
		}
		return cty.ObjectVal(values)
	default:
		if n, ok := d.number(t, in); ok {
			return n
		}
		return d.wrongType(t, in)
	}
}

func (d *decoder) writtenOut(t *model.Type, written, value any) cty.Value {
	raw, err := json.Marshal(written)
	if err != nil {
		return d.errorf(t, incorrectType, "The %s is not a type.", dynamicType)
	}
	ty, err := ctyjson.UnmarshalType(raw)
	if err != nil {
		return d.errorf(t, incorrectType, "The %s is not a type, such as \"number\" or [\"list\",\"string\"].", dynamicType)
	}
	// Keys inside are the user's, and stay as they are.
	back := decoder{whole: true, conceal: d.conceal, path: d.path.Copy()}
	v := back.verbatim(ty.WithoutOptionalAttributesDeep(), value)
	d.diags = append(d.diags, back.diags...)
	return v
}
