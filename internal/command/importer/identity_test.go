package importer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func TestParseIdentity(t *testing.T) {
	t.Parallel()
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"x_thing": {Type: "x_thing", Block: &schema.Block{}, Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
			"vpc_id": {Type: cty.String, RequiredForImport: true}, "zones": {Type: cty.List(cty.String), OptionalForImport: true},
			"count": {Type: cty.Number, OptionalForImport: true}, "public": {Type: cty.Bool, OptionalForImport: true},
		}}},
		"x_plain": {Type: "x_plain", Block: &schema.Block{}},
	}}
	p, err := model.NewProvider("x", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		resourceType string
		// want is the identity in its canonical form, or the error.
		want, err string
	}{
		"vpc_id=v":                       {want: "vpc_id=v"},
		"vpcId=v":                        {want: "vpc_id=v"},
		" vpc_id=v, count=2,public=true": {want: "count=2,public=true,vpc_id=v"},
		`vpc_id="a,b=c",zones=["x","y"]`: {want: `vpc_id="a,b=c",zones=["x","y"]`},
		`{"vpcId": "v", "zones": ["x"]}`: {want: `vpc_id=v,zones=["x"]`},
		"vpc_id=a=b":                     {want: `vpc_id="a=b"`},
		"vpc_id=":                        {want: "vpc_id="},
		"v":                              {err: `"v" is not NAME=VALUE`},
		"=v":                             {err: `"=v" is not NAME=VALUE`},
		"vpc_id=v,vpcId=w":               {err: "vpcId is given twice"},
		"count=2":                        {err: "vpcId: Invalid import identity argument: The attribute is required to import Thing."},
		"vpc_id=v,region=x":              {err: "region: Unsupported argument: There is no such field."},
		"vpc_id=v,count=many":            {err: `count: Incorrect attribute value type: It must be a number, not the string "many".`},
		`vpc_id="v`:                      {err: "vpc_id: it is not JSON: unexpected EOF"},
		`vpc_id="v"w`:                    {err: `vpc_id: a comma is expected before "w"`},
		`{"vpcId"}`:                      {err: "it is not JSON: invalid character '}' after object key"},
		"":                               {err: "vpcId: Invalid import identity argument: The attribute is required to import Thing."},
		"id=v": {
			resourceType: "x_plain",
			err:          "Unsupported import by identity: x_plain has no identity. Use spec.import.id instead.",
		},
	}
	for text, test := range tests {
		if test.resourceType == "" {
			test.resourceType = "x_thing"
		}
		v, err := importer.ParseIdentity(p.Resources[test.resourceType], text)
		if err != nil {
			if diff := cmp.Diff(test.err, err.Error()); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", text, diff)
			}
			continue
		}
		got := translate.CanonicalIdentity(v)
		if got != test.want || test.err != "" {
			t.Errorf("%s: got %s, want %s%s", text, got, test.want, test.err)
		}
		// What is printed can be given.
		if again, err := importer.ParseIdentity(p.Resources[test.resourceType], got); err != nil || !again.RawEquals(v) {
			t.Errorf("%s does not come back: %v", got, err)
		}
	}
}
