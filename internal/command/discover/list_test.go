package discover_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/discover"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/translate"
)

func request(t *testing.T, p *model.Provider, resourceType string, limit int64, arguments map[string]any) discover.Request {
	t.Helper()
	list := p.ListResource(resourceType)
	if list == nil {
		t.Fatalf("%s cannot be listed", resourceType)
	}
	c, diags := translate.ListConfig(list, arguments, nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return discover.Request{Resource: p.Resources[resourceType], List: list, Config: c, Limit: limit}
}

// listed is a listing, shortly.
func listed(l discover.Listing) []string {
	var out []string
	for _, o := range l.Objects {
		out = append(out, o.DisplayName+" "+translate.CanonicalIdentity(o.Identity))
	}
	return out
}

func TestList(t *testing.T) {
	t.Parallel()
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			cloud := examplecloudtest.Start(t)
			p, server := examplecloudtest.Open(t, form, cloud, nil)
			made := func(name, region string) string {
				thing := cloud.Make(t, "things", map[string]any{"name": name, "region": region})
				return name + " id=" + thing["id"].(string) + ",region=" + region
			}
			a, b, c := made("a", "us-east-1"), made("b", "eu-central-1"), made("c", "us-east-1")
			cloud.Make(t, "aliases", map[string]any{"name": "x", "target": "t"})
			before := cloud.Audit(t)
			tests := map[string]struct {
				limit     int64
				arguments map[string]any
				want      []string
				more      bool
			}{
				"all":               {limit: 10, want: []string{a, b, c}},
				"some":              {limit: 10, arguments: map[string]any{"region": "us-east-1"}, want: []string{a, c}},
				"none":              {limit: 10, arguments: map[string]any{"name": "nobody"}},
				"up to the limit":   {limit: 1, arguments: map[string]any{"region": "eu-central-1"}, want: []string{b}, more: true},
				"exactly the limit": {limit: 3, want: []string{a, b, c}, more: true},
			}
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					l := discover.List(t.Context(), server, request(t, p, "examplecloud_thing", test.limit, test.arguments))
					if len(l.Diagnostics) > 0 {
						t.Fatal(l.Diagnostics)
					}
					if diff := cmp.Diff(test.want, listed(l)); diff != "" || l.More != test.more {
						t.Errorf("more: %v; -want, +got:\n%s", l.More, diff)
					}
				})
			}
			if l := discover.List(t.Context(), server, request(t, p, "examplecloud_thing", 2, nil)); len(l.Objects) != 2 || !l.More {
				t.Errorf("of three things, at most two: %v, more: %v", listed(l), l.More)
			}
			t.Run("several types", func(t *testing.T) {
				all := discover.All(t.Context(), server, []discover.Request{
					request(t, p, "examplecloud_alias", 10, nil), request(t, p, "examplecloud_thing", 10, nil), request(t, p, "examplecloud_ticket", 10, nil),
				})
				var got [][]string
				for _, l := range all {
					if len(l.Diagnostics) > 0 {
						t.Error(l.Diagnostics)
					}
					got = append(got, listed(l))
				}
				if diff := cmp.Diff([][]string{{"x name=x"}, {a, b, c}, nil}, got); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			})
			if diff := cmp.Diff(before, cloud.Audit(t)); diff != "" {
				t.Errorf("listing changed something:\n%s", diff)
			}
			if p.ListResource("examplecloud_id_import") != nil {
				t.Error("examplecloud_id_import has no identity, and seems to have a list")
			}
		})
	}
}

// What goes wrong at the provider is told, and is no panic.
func TestListFails(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, cloud, nil)
	cloud.Fault(t, map[string]any{"on": "list", "collection": "things", "status": 418})
	l := discover.List(t.Context(), server, request(t, p, "examplecloud_thing", 10, nil))
	if !l.Diagnostics.HasSummary("Cannot list") || len(l.Objects) > 0 {
		t.Errorf("got %v, %v", l.Objects, l.Diagnostics)
	}

	wrong := request(t, p, "examplecloud_thing", 10, nil)
	wrong.Config = cty.ObjectVal(map[string]cty.Value{"region": cty.True})
	if l = discover.List(t.Context(), server, wrong); !l.Diagnostics.HasErrors() {
		t.Error("arguments of another type are accepted")
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l = discover.List(ctx, server, request(t, p, "examplecloud_alias", 10, nil)); !strings.Contains(l.Diagnostics.String(), "cancel") {
		t.Errorf("got %v", l.Diagnostics)
	}
}
