package discover_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/discover"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	region := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"x_thing": {Type: "x_thing", Block: &schema.Block{}, Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
			"id": {Type: cty.String, RequiredForImport: true}, "region": region,
		}}},
		"x_plain": {Type: "x_plain", Block: &schema.Block{}},
	}}
	p, err := model.NewProvider("x", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	thing := p.Resources["x_thing"]
	object := func(name, id string, owners ...discover.Owner) discover.Object {
		return discover.Object{Resource: thing, DisplayName: name, Identity: identity(id, "east"), Owners: owners}
	}
	listing := discover.Listing{Request: discover.Request{Resource: thing}, More: true, Objects: []discover.Object{
		object("a\x1b[2J\nb", "1"),
		object("", "2", discover.Owner{Kind: "Thing", Namespace: "team", Name: "two"}, discover.Owner{Address: "x_thing.two"}),
	}}
	failed := discover.Listing{Request: discover.Request{Resource: thing}, Diagnostics: diagnostic.Errorf("no", "no")}
	tests := map[string]struct {
		document discover.Document
		table    string
		json     string
	}{
		"nothing": {
			document: discover.NewDocument(nil, nil),
			table:    "No objects found.\n",
			json:     `{"objects":[]}`,
		},
		"nothing, since a required argument is missing": {
			document: discover.NewDocument([]discover.Listing{failed}, nil),
			table:    "Could not be listed completely: x_thing.\n",
			json:     `{"objects":[],"incomplete":["x_thing"]}`,
		},
		"all there is": {
			document: discover.NewDocument([]discover.Listing{listing, failed}, []*model.Resource{p.Resources["x_plain"]}),
			table: `TYPE      NAME    IDENTITY           MANAGED BY
x_thing   a[2Jb   id=1,region=east   -
x_thing   -       id=2,region=east   team/two, x_thing.two
`,
			json: `{"objects":[` +
				`{"type":"x_thing","apiVersion":"x.landbridge.io/v1alpha1","kind":"Thing","displayName":"a\u001b[2J\nb","identity":{"id":"1","region":"east"},"managedBy":[]},` +
				`{"type":"x_thing","apiVersion":"x.landbridge.io/v1alpha1","kind":"Thing","identity":{"id":"2","region":"east"},"managedBy":[{"kind":"Thing","namespace":"team","name":"two"},{"address":"x_thing.two"}]}],` +
				`"notListable":["x_plain"],"incomplete":["x_thing","x_thing"]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := test.document.Table(&b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.table, b.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			raw, err := json.Marshal(test.document)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.json, string(raw)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
