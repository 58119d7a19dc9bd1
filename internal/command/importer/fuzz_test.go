package importer_test

import (
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// FuzzReadState checks that no state ends the command, and that each of its instances is imported
// or left out with a reason.
func FuzzReadState(f *testing.F) {
	everything, err := model.NewProvider("everything", schematest.Everything(), config.Provider{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(estate))
	f.Add([]byte(`{"version":4,"resources":[{"mode":"managed","type":"everything_plain","name":"../../x\u001b[2J\n---\n","provider":"provider[\"registry.terraform.io/acme/everything\"]","instances":[{"index_key":"../..","attributes":{"id":"x"}}]}]}`))
	f.Add([]byte(`{"version":3}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := importer.ReadState(raw, func(source, alias string) (*importer.ConfiguredProvider, error) {
			if source != "registry.terraform.io/acme/everything" {
				return nil, errors.New("there is none")
			}
			return &importer.ConfiguredProvider{
				Model: everything, Configuration: importer.Configuration{Kind: "ClusterProviderConfig", Name: alias},
			}, nil
		}, nil)
		if err != nil {
			return
		}
		for _, x := range out.Items {
			if x.Origin == "" || x.Stored == nil || !x.Stored.Exists() {
				t.Errorf("%+v is imported", x)
			}
		}
		for _, x := range out.Left {
			if x.Reason == "" {
				t.Errorf("%s is left out without a reason", x.Origin)
			}
		}
	})
}

// FuzzParseIdentity checks that an identity of the command line is the one of its canonical text.
func FuzzParseIdentity(f *testing.F) {
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"x_thing": {Type: "x_thing", Block: &schema.Block{}, Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
			"vpc_id": {Type: cty.String, RequiredForImport: true}, "zones": {Type: cty.List(cty.String), OptionalForImport: true},
			"count": {Type: cty.Number, OptionalForImport: true}, "public": {Type: cty.Bool, OptionalForImport: true},
		}}},
	}}
	p, err := model.NewProvider("x", s, config.Provider{})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		"vpc_id=v", " vpc_id=v, count=2,public=true", `vpc_id="a,b=c",zones=["x","y"]`,
		`{"vpcId": "v", "zones": ["x"]}`, `vpc_id="v"w`,
	} {
		f.Add(seed)
	}
	r := p.Resources["x_thing"]
	f.Fuzz(func(t *testing.T, text string) {
		v, err := importer.ParseIdentity(r, text)
		if err != nil {
			return
		}
		canonical := translate.CanonicalIdentity(v)
		again, err := importer.ParseIdentity(r, canonical)
		if err != nil || !again.RawEquals(v) {
			t.Errorf("%q is %#v, and %q is %#v, %v", text, v, canonical, again, err)
		}
	})
}
