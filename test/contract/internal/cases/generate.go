package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// Generate returns the case of a seed. Only direct cases have what a manifest cannot express.
func Generate(style Style, direct bool, seed int) *Case {
	return rapid.Custom(func(t *rapid.T) *Case { return draw(t, style, direct) }).Example(seed)
}

// Faults lists all faults by RPC. The provider implements them.
var Faults = map[string][]string{
	"Validate":        {"error", "warning", "call"},
	"Upgrade":         {"error", "null", "unknown", "writeonly", "call"},
	"UpgradeIdentity": {"error", "null", "call"},
	"Read": {
		"error", "call", "warning", "gone", "errorgone", "unknown", "writeonly", "malformed", "noidentity", "newidentity",
		"unknownidentity", "deferred", "private", "noprivate",
	},
	"Plan": {
		"error", "call", "warning", "null", "invalid", "malformed", "unknownconfig", "noidentity", "newidentity", "unknownidentity",
		"deferred", "private", "noprivate", "badpath", "replace", "writeonly",
	},
	"Apply": {
		"error", "errorpartial", "errornull", "errornoprivate", "call", "warning", "nothing", "null", "unknown", "inconsistent", "malformed",
		"noidentity", "newidentity", "unknownidentity", "writeonly", "private", "noprivate",
	},
	"Move": {
		"error", "call", "warning", "null", "unknown", "writeonly", "malformed", "private", "noprivate", "noidentity",
		"unknownidentity",
	},
	"Import": {"error", "call", "none", "two", "othertype", "null", "noidentity", "unknownidentity", "deferred", "writeonly", "warning"},
}

func draw(t *rapid.T, style Style, direct bool) *Case {
	c := &Case{Style: style, Direct: direct, Seed: rapid.Uint64().Draw(t, "seed")}
	c.Legacy = rapid.IntRange(0, 3).Draw(t, "legacy") == 0 && (style == Hand || style == HandNoPlan)
	c.Schemas = drawSchemas(t, style)
	length := rapid.IntRange(3, 7).Draw(t, "steps")
	var before *Step
	for range length {
		step := c.drawStep(t, before)
		c.Steps = append(c.Steps, step)
		before = &step
	}
	return c
}

// valid returns a configuration with values for all required fields, which the SDKs insist on.
func valid(b *schema.Block, v cty.Value) cty.Value { return mapBlock(b, v, validAttribute) }

// mapBlock applies f to the attributes of a block and of the blocks in it.
func mapBlock(b *schema.Block, v cty.Value, f func(*schema.Attribute, cty.Value) cty.Value) cty.Value {
	values := map[string]cty.Value{}
	for name, a := range b.Attributes {
		values[name] = f(a, v.GetAttr(name))
	}
	for name, n := range b.Blocks {
		values[name] = MapObjects(n.Nesting, v.GetAttr(name), func(v cty.Value) cty.Value { return mapBlock(n.Block, v, f) })
	}
	if len(values) == 0 {
		return cty.EmptyObjectVal
	}
	return cty.ObjectVal(values)
}

func validAttribute(a *schema.Attribute, v cty.Value) cty.Value {
	if v.IsNull() {
		if !a.Required {
			return v
		}
		v = something(a.ImpliedType())
	}
	if a.Nested == nil {
		return v
	}
	return MapObjects(a.Nested.Nesting, v, func(v cty.Value) cty.Value {
		if v.IsNull() {
			return v
		}
		return valid(&schema.Block{Attributes: a.Nested.Attributes}, v)
	})
}

// something returns a value of a type that is not null.
func something(t cty.Type) cty.Value {
	switch {
	case t == cty.Number:
		return cty.NumberIntVal(1)
	case t == cty.Bool:
		return cty.True
	case t.IsListType():
		return cty.ListValEmpty(t.ElementType())
	case t.IsSetType():
		return cty.SetValEmpty(t.ElementType())
	case t.IsMapType():
		return cty.MapValEmpty(t.ElementType())
	case t.IsObjectType():
		return cty.ObjectVal(nulls(t))
	}
	return cty.StringVal("something")
}

func (c *Case) drawStep(t *rapid.T, before *Step) Step {
	var step Step
	one := func(n int, label string) bool { return rapid.IntRange(1, n).Draw(t, label) == n }
	if before != nil {
		step.Version = before.Version
	}
	if before != nil && before.Version == 0 && one(8, "upgrade") {
		step.Version = 1
	}
	b := c.Schemas[step.Version].Block
	switch {
	case before == nil || before.Config == nil:
		step.Config = drawConfig(t, b)
		if one(3, "import") {
			step.Import = ImportByID
			if c.Schemas[step.Version].Identity != nil && rapid.Bool().Draw(t, "identity") {
				step.Import = ImportByIdentity
			}
		}
	case one(7, "destroy"):
	case rapid.Bool().Draw(t, "same"):
		step.Config = c.convertConfig(*before, step.Version)
	default:
		step.Config = c.changeConfig(t, *before, step.Version)
	}
	if before != nil {
		step.Taint = one(8, "taint")
		switch rapid.IntRange(1, 10).Draw(t, "drift") {
		case 8, 9:
			step.Drift = DriftChanged
		case 10:
			step.Drift = DriftGone
		}
	}
	step.CreateBeforeDestroy = one(6, "createBeforeDestroy")
	if one(6, "ignoreChanges") {
		if one(3, "all") {
			step.IgnoreChanges = []string{"*"}
		} else {
			step.IgnoreChanges = drawNames(t, b)
		}
	}
	if step.Config != nil && c.Style != Hand && c.Style != HandNoPlan {
		v, err := c.ConfigValue(step)
		if err != nil {
			panic(err)
		}
		isInvalid := one(12, "invalid")
		if !isInvalid {
			v = valid(b, v)
		}
		values := v.AsValueMap()
		if !isInvalid || !c.Direct {
			values["id"] = cty.NullVal(cty.String) // the legacy SDK's is optional, but not for users, nor in manifests
		}
		if c.Style == SDK {
			values = withoutClashingKeys(cty.ObjectVal(values)).AsValueMap()
		}
		step.Config = encode(cty.ObjectVal(values), b)
	}
	if before != nil && before.Config != nil && one(12, "depose") {
		// Few steps would leave two objects behind by chance.
		step.Config, step.Taint, step.CreateBeforeDestroy = c.convertConfig(*before, step.Version), true, true
		step.Faults = map[string]string{"Apply": rapid.SampledFrom([]string{"errorpartial", "unknown", "inconsistent"}).Draw(t, "kind")}
	}
	if c.Direct {
		step.Move = before != nil && c.Style != SDK && one(4, "move")
		step.Sensitive = c.drawSensitive(t, step)
	}
	if step.Faults == nil && one(3, "fault") {
		// Apply is where most can go wrong.
		rpcs := []string{"Validate", "Plan", "Plan", "Apply", "Apply", "Apply"}
		if before != nil {
			rpcs = append(rpcs, "Upgrade", "Read", "Read")
			if step.Version != before.Version {
				rpcs = append(rpcs, "UpgradeIdentity", "Upgrade")
			}
		}
		if step.Import != NoImport {
			rpcs = append(rpcs, "Import", "Import", "Read")
		}
		if step.Move {
			rpcs = append(rpcs, "Move", "Move", "Move", "Move")
		}
		rpc := rapid.SampledFrom(rpcs).Draw(t, "rpc")
		step.Faults = map[string]string{rpc: rapid.SampledFrom(Faults[rpc]).Draw(t, "kind")}
	}
	return step
}

// drawSensitive draws some of the configured values, and of the elements of maps and lists.
func (c *Case) drawSensitive(t *rapid.T, step Step) []instance.Path {
	v, err := c.ConfigValue(step)
	if err != nil {
		panic(err)
	}
	if v.IsNull() || rapid.IntRange(0, 2).Draw(t, "sensitive") > 0 {
		return nil
	}
	var out []instance.Path
	b := c.Schemas[step.Version].Block
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if len(path) == 0 {
			return true, nil
		}
		if v.IsNull() {
			return false, nil
		}
		// Whole attributes, and the texts, numbers and booleans in them: tofu's conversions forget
		// marks of objects.
		can := b.AttributeByPath(path) != nil || v.Type().IsPrimitiveType()
		if can && !hasEmptyObjects(v.Type()) && rapid.IntRange(0, 3).Draw(t, "mark") == 0 {
			out = append(out, instance.Path(path.Copy()))
			return false, nil
		}
		return !v.Type().IsSetType(), nil // elements of sets have no paths
	})
	return out
}

// hasEmptyObjects reports whether there are objects without attributes in values of a type: tofu's
// conversions forget that they are sensitive.
func hasEmptyObjects(t cty.Type) bool {
	switch {
	case t.IsCollectionType():
		return hasEmptyObjects(t.ElementType())
	case t.IsTupleType():
		return slices.ContainsFunc(t.TupleElementTypes(), hasEmptyObjects)
	case t.IsObjectType():
		types := slices.Collect(maps.Values(t.AttributeTypes()))
		return len(types) == 0 || slices.ContainsFunc(types, hasEmptyObjects)
	}
	return false
}

func drawNames(t *rapid.T, b *schema.Block) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		if rapid.Bool().Draw(t, "ignore") {
			out = append(out, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		if rapid.Bool().Draw(t, "ignore") {
			out = append(out, name)
		}
	}
	return out
}

// drawSchemas draws a schema and its successor, which lacks an attribute and has another.
func drawSchemas(t *rapid.T, style Style) [2]*schema.Resource {
	first := &schema.Resource{Block: &schema.Block{}, Version: int64(rapid.IntRange(0, 1).Draw(t, "version"))}
	first.Block = lowercase(schematest.Block(t))
	restrict(first.Block, style)
	first.Block.Attributes["id"] = &schema.Attribute{Type: cty.String, Computed: true, Optional: style == SDK}
	if style == SDK {
		// The SDK refuses resources that nothing can be changed of.
		first.Block.Attributes["note"] = &schema.Attribute{Type: cty.String, Optional: true}
	}
	if rapid.IntRange(0, 3).Draw(t, "identity") > 0 {
		first.Identity = drawIdentity(t)
	}
	second := clone(first)
	second.Version++
	second.Block.Attributes["added"] = &schema.Attribute{Type: cty.String, Optional: true, Computed: rapid.Bool().Draw(t, "computed")}
	if names := slices.Sorted(maps.Keys(first.Block.Attributes)); len(names) > 1 {
		if name := rapid.SampledFrom(names).Draw(t, "removed"); name != "id" && name != "note" {
			delete(second.Block.Attributes, name)
		}
	}
	if second.Identity != nil && rapid.Bool().Draw(t, "identityVersion") {
		second.Identity.Version++
		second.Identity.Attributes["added"] = &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
	}
	return [2]*schema.Resource{first, second}
}

func clone(r *schema.Resource) *schema.Resource {
	raw, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	out := &schema.Resource{}
	if err := json.Unmarshal(raw, out); err != nil {
		panic(err)
	}
	return out
}

func drawIdentity(t *rapid.T) *schema.Identity {
	out := &schema.Identity{
		Version:    int64(rapid.IntRange(0, 1).Draw(t, "version")),
		Attributes: map[string]*schema.IdentityAttribute{"id": {Type: cty.String, RequiredForImport: true}},
	}
	for _, a := range []struct {
		name string
		ty   cty.Type
	}{{"region", cty.String}, {"number", cty.Number}, {"flag", cty.Bool}, {"tags", cty.List(cty.String)}} {
		switch rapid.IntRange(0, 3).Draw(t, a.name) {
		case 0:
			out.Attributes[a.name] = &schema.IdentityAttribute{Type: a.ty, RequiredForImport: true}
		case 1:
			out.Attributes[a.name] = &schema.IdentityAttribute{Type: a.ty, OptionalForImport: true}
		}
	}
	return out
}

// lowercase gives blocks the names that Terraform allows.
func lowercase(b *schema.Block) *schema.Block {
	out := &schema.Block{Attributes: lowercaseAttributes(b.Attributes), Blocks: map[string]*schema.NestedBlock{}}
	for name, n := range b.Blocks {
		out.Blocks[lower(name)] = &schema.NestedBlock{Nesting: n.Nesting, Block: lowercase(n.Block), MinItems: n.MinItems, MaxItems: n.MaxItems}
	}
	return out
}

func lowercaseAttributes(in map[string]*schema.Attribute) map[string]*schema.Attribute {
	out := map[string]*schema.Attribute{}
	for name, a := range in {
		x := &schema.Attribute{
			Type: a.Type, Required: a.Required, Optional: a.Optional, Computed: a.Computed,
			Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
		}
		if a.Nested != nil {
			x.Nested = &schema.NestedAttributes{Nesting: a.Nested.Nesting, Attributes: lowercaseAttributes(a.Nested.Attributes)}
		}
		out[lower(name)] = x
	}
	return out
}

func lower(name string) string { return strings.ToLower(name) }

func drawConfig(t *rapid.T, b *schema.Block) json.RawMessage {
	return encode(configurable(b, DrawValue(t, b)), b)
}

// DrawValue draws a value without null elements in nested attributes, because OpenTofu crashes when
// it compares or shows them.
func DrawValue(t *rapid.T, b *schema.Block) cty.Value {
	out, err := cty.Transform(schematest.Value(t, b), func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) == 0 || !v.IsNull() {
			return v, nil
		}
		if a := b.AttributeByPath(path[:len(path)-1]); a != nil && a.Nested != nil && a.Nested.Nesting != schema.NestingSingle {
			return cty.ObjectVal(nulls(v.Type())), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

func encode(v cty.Value, b *schema.Block) json.RawMessage {
	raw, err := ctyjson.Marshal(v, b.ImpliedType())
	if err != nil {
		panic(fmt.Sprintf("encoding a configuration: %s", err))
	}
	// OpenTofu's language takes a byte order mark at the beginning of a string for none of it.
	return bytes.ReplaceAll(raw, []byte("\ufeff"), nil)
}

// convertConfig returns a step's configuration for another version of the schema.
func (c *Case) convertConfig(step Step, version int) json.RawMessage {
	if step.Version == version {
		return step.Config
	}
	v, err := c.ConfigValue(step)
	if err != nil {
		panic(err)
	}
	return encode(configurable(c.Schemas[version].Block, Reshape(v, c.Schemas[version].Block)), c.Schemas[version].Block)
}

// Reshape returns v as a value of another version of its schema.
func Reshape(v cty.Value, b *schema.Block) cty.Value {
	if v.IsNull() {
		return cty.NullVal(b.ImpliedType())
	}
	values := b.EmptyValue().AsValueMap()
	if values == nil {
		return cty.EmptyObjectVal
	}
	for name := range values {
		if v.Type().HasAttribute(name) {
			values[name] = v.GetAttr(name)
		}
	}
	return cty.ObjectVal(values)
}

// changeConfig draws some of the top-level attributes and blocks anew.
func (c *Case) changeConfig(t *rapid.T, step Step, version int) json.RawMessage {
	b := c.Schemas[version].Block
	was, err := ctyjson.Unmarshal(c.convertConfig(step, version), b.ImpliedType())
	if err != nil {
		panic(err)
	}
	now := configurable(b, DrawValue(t, b))
	values := was.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if rapid.IntRange(0, 2).Draw(t, "change") == 0 {
			values[name] = now.GetAttr(name)
		}
	}
	return encode(cty.ObjectVal(values), b)
}

// configurable returns v as a user can write it: what only the provider sets is null, and dynamic
// values have types of JSON.
func configurable(b *schema.Block, v cty.Value) cty.Value {
	return mapBlock(b, v, configurableAttribute)
}

func configurableAttribute(a *schema.Attribute, v cty.Value) cty.Value {
	if !a.Required && !a.Optional {
		return cty.NullVal(a.ImpliedType())
	}
	if a.Nested == nil {
		return jsonTyped(v, a.Type)
	}
	return MapObjects(a.Nested.Nesting, v, func(v cty.Value) cty.Value {
		if v.IsNull() {
			return v
		}
		values := map[string]cty.Value{}
		for name, x := range a.Nested.Attributes {
			values[name] = configurableAttribute(x, v.GetAttr(name))
		}
		if len(values) == 0 {
			return cty.EmptyObjectVal
		}
		return cty.ObjectVal(values)
	})
}

func nulls(t cty.Type) map[string]cty.Value {
	out := map[string]cty.Value{}
	for name, ty := range t.AttributeTypes() {
		out[name] = cty.NullVal(ty)
	}
	return out
}

// MapObjects applies f to each object of a nesting.
func MapObjects(nesting schema.Nesting, v cty.Value, f func(cty.Value) cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	if nesting == schema.NestingSingle || nesting == schema.NestingGroup {
		return f(v)
	}
	if v.LengthInt() == 0 {
		return v
	}
	t := v.Type()
	if t.IsMapType() || t.IsObjectType() {
		values := v.AsValueMap()
		for key, x := range values {
			values[key] = f(x)
		}
		if t.IsMapType() {
			return cty.MapVal(values)
		}
		return cty.ObjectVal(values)
	}
	values := v.AsValueSlice()
	for i, x := range values {
		values[i] = f(x)
	}
	switch {
	case t.IsSetType():
		return cty.SetVal(values)
	case t.IsTupleType():
		return cty.TupleVal(values)
	}
	return cty.ListVal(values)
}

// jsonTyped returns v with dynamic values converted to types of JSON.
func jsonTyped(v cty.Value, t cty.Type) cty.Value {
	if !t.HasDynamicTypes() {
		return v
	}
	if v.IsNull() {
		return cty.NullVal(t)
	}
	if t == cty.DynamicPseudoType {
		raw, err := ctyjson.Marshal(v, v.Type())
		if err != nil {
			panic(err)
		}
		ty, err := ctyjson.ImpliedType(raw)
		if err != nil {
			panic(err)
		}
		out, err := ctyjson.Unmarshal(raw, ty)
		if err != nil {
			panic(err)
		}
		return out
	}
	switch {
	case t.IsObjectType():
		values := v.AsValueMap()
		for name, ty := range t.AttributeTypes() {
			values[name] = jsonTyped(values[name], ty)
		}
		return cty.ObjectVal(values)
	case t.IsTupleType():
		values := v.AsValueSlice()
		for i, x := range values {
			values[i] = jsonTyped(x, t.TupleElementType(i))
		}
		return cty.TupleVal(values)
	default: // a collection: schemas have no dynamic ones
		return cty.NullVal(t)
	}
}
