package discover_test

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/discover"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

func identity(id, region string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id), "region": cty.StringVal(region)})
}

func TestDocument(t *testing.T) {
	t.Parallel()
	region := &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
	s := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"x_thing": {
			Type: "x_thing", Block: &schema.Block{},
			Identity: &schema.Identity{Version: 3, Attributes: map[string]*schema.IdentityAttribute{
				"id": {Type: cty.String, RequiredForImport: true}, "region": region,
			}},
		},
		"x_plain": {Type: "x_plain", Block: &schema.Block{}},
	}}
	p, err := model.NewProvider("x", s, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	thing := p.Resources["x_thing"]
	object := func(name, id string, owners ...discovery.Owner) discovery.Object {
		return discovery.Object{Resource: thing, DisplayName: name, Identity: identity(id, "east"), Owners: owners}
	}
	pages := [][]discovery.Object{{object("a\x1b[2J\nb", "1")}, {}, {
		object("", "2", discovery.Owner{Kind: "Thing", Namespace: "team", Name: "two"},
			discovery.Owner{Address: "x_thing.two"}, discovery.Owner{
				Kind: "Thing", Namespace: "team", Name: "three", Declared: true,
			}),
	}}
	listing := discovery.Listing{Request: discovery.Request{Resource: thing}, More: true}
	failed := discovery.Listing{Request: discovery.Request{Resource: thing}, Diagnostics: diagnostic.Errorf("no", "no")}
	tests := map[string]struct {
		pages [][]discovery.Object
		gaps  discovery.Gaps
		table string
		json  string
	}{
		"nothing": {
			table: "No objects found.\n",
			json:  `{"objects":[]}`,
		},
		"nothing, since a required argument is missing": {
			gaps:  discovery.NewGaps([]discovery.Listing{failed}, nil),
			table: "Could not be listed completely: x_thing.\n",
			json:  `{"objects":[],"incomplete":["x_thing"]}`,
		},
		"all there is": {
			pages: pages,
			gaps:  discovery.NewGaps([]discovery.Listing{listing, failed}, []*model.Resource{p.Resources["x_plain"]}),
			table: `TYPE      NAME    IDENTITY           MANAGED BY
x_thing   a[2Jb   id=1,region=east   -
x_thing   -       id=2,region=east   team/two, x_thing.two, team/three (declared)
`,
			json: `{"objects":[` +
				`{"type":"x_thing","apiVersion":"x.landbridge.io/v1alpha1","kind":"Thing","displayName":"a\u001b[2J\nb","identity":{"id":"1","region":"east"},"identityVersion":3,"managedBy":[]},` +
				`{"type":"x_thing","apiVersion":"x.landbridge.io/v1alpha1","kind":"Thing","identity":{"id":"2","region":"east"},"identityVersion":3,"managedBy":[{"kind":"Thing","namespace":"team","name":"two"},{"address":"x_thing.two"},{"kind":"Thing","namespace":"team","name":"three","declared":true}]}],` +
				`"notListable":["x_plain"],"incomplete":["x_thing","x_thing"]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			write := func(to func(io.Writer) discover.Writer) []byte {
				var b bytes.Buffer
				w := to(&b)
				for _, objects := range test.pages {
					if err := w.Write(objects); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Close(test.gaps); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
			if diff := cmp.Diff(test.table, string(write(discover.NewTable))); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			var want discovery.Document
			if err := json.Unmarshal([]byte(test.json), &want); err != nil {
				t.Fatal(err)
			}
			for _, inYAML := range []bool{false, true} {
				var got discovery.Document
				if err := yaml.UnmarshalStrict(write(func(w io.Writer) discover.Writer { return discover.NewWriter(w, inYAML) }), &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("YAML %t: -want, +got:\n%s", inYAML, diff)
				}
			}
		})
	}
}
