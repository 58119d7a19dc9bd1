package ephemerals

import (
	"fmt"
	"math/rand/v2"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// attribute is one of a case's schema.
type attribute struct {
	name                                    string
	of                                      cty.Type
	required, optional, computed, sensitive bool
}

// result is what the provider makes of its result.
type result string

const (
	faithful    result = "faithful"
	absent      result = "absent"
	null        result = "null"
	unknown     result = "unknown"
	contradicts result = "contradicts"
	misfits     result = "misfits"
)

// Case is an ephemeral resource, and how its provider behaves.
type Case struct {
	attributes []attribute
	config     cty.Value
	result     result
	private    []byte
	// validates, opens and closes are what the provider says: "", "warning" or "error".
	validates, opens, closes string
}

// String describes a case.
func (c *Case) String() string {
	return fmt.Sprintf("%+v, configured as %#v: result %s, validate %q, open %q, close %q", c.attributes, c.config,
		c.result, c.validates, c.opens, c.closes)
}

var (
	types = map[string]struct {
		cty  cty.Type
		wire tftypes.Type
	}{
		"string": {cty.String, tftypes.String}, "number": {cty.Number, tftypes.Number}, "bool": {cty.Bool, tftypes.Bool},
		"list": {cty.List(cty.String), tftypes.List{ElementType: tftypes.String}}, "map": {
			cty.Map(cty.String), tftypes.Map{ElementType: tftypes.String},
		},
	}
	typeNames = []string{"string", "number", "bool", "list", "map"}
	results   = []result{absent, null, unknown, contradicts, misfits}
)

// Generate returns a random case.
func Generate(seed uint64, i int) *Case {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	c := &Case{result: faithful, private: []byte(fmt.Sprint("private-", i))}
	if r.IntN(3) == 0 {
		c.result = results[r.IntN(len(results))]
	}
	said := func() string {
		return []string{"", "", "", "", "", "warning", "error"}[r.IntN(7)]
	}
	c.validates, c.opens, c.closes = said(), said(), said()
	values := map[string]cty.Value{}
	for n := range 1 + r.IntN(5) {
		a := attribute{name: fmt.Sprintf("a%d", n), of: types[typeNames[r.IntN(len(typeNames))]].cty, sensitive: r.IntN(4) == 0}
		switch r.IntN(4) {
		case 0:
			a.required = true
		case 1:
			a.optional = true
		case 2:
			a.optional, a.computed = true, true
		default:
			a.computed = true
		}
		values[a.name] = cty.NullVal(a.of)
		if a.required || a.optional && r.IntN(2) == 0 {
			values[a.name] = value(r, a.of)
		}
		c.attributes = append(c.attributes, a)
	}
	c.config = cty.ObjectVal(values)
	return c
}

// value returns a random value that is not null.
func value(r *rand.Rand, of cty.Type) cty.Value {
	text := func() cty.Value { return cty.StringVal(fmt.Sprint("v", r.IntN(1000))) }
	switch {
	case of == cty.Number:
		return cty.NumberIntVal(int64(r.IntN(1000)))
	case of == cty.Bool:
		return cty.BoolVal(r.IntN(2) == 0)
	case of.IsListType():
		return cty.ListVal([]cty.Value{text(), text()})
	case of.IsMapType():
		return cty.MapVal(map[string]cty.Value{"k": text()})
	default:
		return text()
	}
}

// schema is the case's schema on the wire.
func (c *Case) schema() *tfprotov6.Schema {
	block := &tfprotov6.SchemaBlock{}
	for _, a := range c.attributes {
		out := &tfprotov6.SchemaAttribute{Name: a.name, Required: a.required, Optional: a.optional, Computed: a.computed, Sensitive: a.sensitive}
		for _, t := range types {
			if t.cty.Equals(a.of) {
				out.Type = t.wire
			}
		}
		block.Attributes = append(block.Attributes, out)
	}
	return &tfprotov6.Schema{Block: block}
}

// answer is the provider's result: what is configured, and values for what is computed.
func (c *Case) answer() cty.Value {
	r := rand.New(rand.NewPCG(1, uint64(len(c.attributes))))
	values := c.config.AsValueMap()
	for i, a := range c.attributes {
		if a.computed && values[a.name].IsNull() {
			values[a.name] = value(r, a.of)
		}
		if i == 0 && c.result == unknown {
			values[a.name] = cty.UnknownVal(a.of)
		}
		if !a.computed && c.result == contradicts {
			values[a.name] = cty.NullVal(a.of)
			if c.config.GetAttr(a.name).IsNull() {
				values[a.name] = value(r, a.of)
			}
		}
	}
	return cty.ObjectVal(values)
}

// refused reports whether the result must not be used, and whether OpenTofu sees that.
func (c *Case) refused() (refused, theirs bool) {
	switch c.result {
	case faithful:
		return false, false
	case contradicts:
		for _, a := range c.attributes {
			if !a.computed {
				return true, false
			}
		}
		return false, false
	default:
		return true, true
	}
}
