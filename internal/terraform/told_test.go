package terraform_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// An import by an id proves nothing about parts of the id.
func TestToldByID(t *testing.T) {
	for name, tc := range map[string]struct {
		id, title string
		want      bool
	}{
		"the id":           {"here/web", "", false},
		"a part of the id": {"here/web", "web", false},
		"something else":   {"here/web", "Web Server", true},
	} {
		t.Run(name, func(t *testing.T) {
			found := cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("here/web"), "title": cty.StringVal(tc.title)})
			if got := terraform.Told(&schema.Resource{}, terraform.ImportTarget{ID: tc.id, Identity: cty.NilVal}, found); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// An object exists if the provider told something about it that it was not given.
func TestTold(t *testing.T) {
	identity := &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
		"name":   {Type: cty.String, RequiredForImport: true},
		"number": {Type: cty.Number, OptionalForImport: true},
		"region": {Type: cty.String, OptionalForImport: true},
	}}
	given := cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal("web"), "number": cty.NumberIntVal(7), "region": cty.NullVal(cty.String),
	})
	for name, tc := range map[string]struct {
		change map[string]cty.Value
		want   bool
	}{
		"nothing":                      {nil, false},
		"the id that was given":        {map[string]cty.Value{"id": cty.StringVal("web")}, false},
		"an id made of what was given": {map[string]cty.Value{"id": cty.StringVal("things/web")}, false},
		"an id":                        {map[string]cty.Value{"id": cty.StringVal("i-1")}, true},
		"the identity":                 {map[string]cty.Value{"name": cty.StringVal("web"), "region": cty.StringVal("here")}, false},
		"a value that was given":       {map[string]cty.Value{"title": cty.StringVal("web"), "size": cty.NumberIntVal(7)}, false},
		"a required argument":          {map[string]cty.Value{"title": cty.StringVal("Web Server")}, true},
		"a number":                     {map[string]cty.Value{"size": cty.NumberIntVal(8)}, true},
		"zero values": {map[string]cty.Value{
			"title": cty.StringVal(""), "size": cty.NumberIntVal(0), "on": cty.False, "rules": cty.ListValEmpty(cty.String),
		}, false},
		"a true value": {map[string]cty.Value{"on": cty.True}, true},
		"an element":   {map[string]cty.Value{"rules": cty.ListVal([]cty.Value{cty.StringVal("allow")})}, true},
		"an element that was given": {
			map[string]cty.Value{
				"rules": cty.ListVal([]cty.Value{cty.StringVal("web"), cty.NullVal(cty.String)}),
			}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			state := map[string]cty.Value{
				"id": cty.NullVal(cty.String), "name": cty.NullVal(cty.String), "region": cty.NullVal(cty.String), "title": cty.NullVal(cty.String),
				"size": cty.NullVal(cty.Number), "on": cty.NullVal(cty.Bool), "rules": cty.NullVal(cty.List(cty.String)),
			}
			for name, v := range tc.change {
				state[name] = v
			}
			if got := terraform.Told(&schema.Resource{Identity: identity}, terraform.ImportTarget{Identity: given},
				cty.ObjectVal(state)); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
