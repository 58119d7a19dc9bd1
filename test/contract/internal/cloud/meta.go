package cloud

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// metaBlock is the schema of provider_meta, of the providers that have one.
var metaBlock = &schema.Block{Attributes: map[string]*schema.Attribute{
	"module": {Type: cty.String, Optional: true},
	"count":  {Type: cty.Number, Optional: true},
}}

// MetaLiteral is the configured provider_meta in JSON syntax. Meta returns the same.
var MetaLiteral = map[string]any{"module": "differential", "count": 7}

// Meta returns the configured provider_meta, or cty.NilVal if there is no schema for it.
func (a *Active) Meta() cty.Value {
	if !a.Case.Direct {
		return cty.NilVal
	}
	return cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal("differential"), "count": cty.NumberIntVal(7)})
}

// decodeMeta decodes provider_meta. The legacy SDK has an empty schema for it if a case has none.
func decodeMeta(v *tfprotov6.DynamicValue) cty.Value {
	if out, err := decodeAs(v, metaBlock.ImpliedType()); err == nil {
		return out
	}
	return decode(v, cty.EmptyObject)
}
