package discovery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/translate"
)

func request(t *testing.T, p *model.Provider, resourceType string, limit int64, arguments map[string]any) discovery.Request {
	t.Helper()
	list := p.ListResource(resourceType)
	if list == nil {
		t.Fatalf("%s cannot be listed", resourceType)
	}
	c, diags := translate.ListConfig(list, arguments, nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return discovery.Request{Resource: p.Resources[resourceType], List: list, Config: c, Limit: limit}
}

// list lists one type, and returns its objects shortly.
func list(ctx context.Context, server provider.Server, r discovery.Request) (l discovery.Listing, out []string) {
	l = discovery.List(ctx, server, r, func(objects []discovery.Object) { out = append(out, short(objects)...) })
	return l, out
}

func short(objects []discovery.Object) (out []string) {
	for _, o := range objects {
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
					l, got := list(t.Context(), server, request(t, p, "examplecloud_thing", test.limit, test.arguments))
					if len(l.Diagnostics) > 0 {
						t.Fatal(l.Diagnostics)
					}
					if diff := cmp.Diff(test.want, got); diff != "" || l.More != test.more {
						t.Errorf("more: %v; -want, +got:\n%s", l.More, diff)
					}
				})
			}
			if l, got := list(t.Context(), server, request(t, p, "examplecloud_thing", 2, nil)); len(got) != 2 || !l.More {
				t.Errorf("of three things, at most two: %v, more: %v", got, l.More)
			}
			t.Run("several types", func(t *testing.T) {
				requests := []discovery.Request{
					request(t, p, "examplecloud_alias", 10, nil), request(t, p, "examplecloud_thing", 10, nil),
					request(t, p, "examplecloud_ticket", 10, nil),
				}
				var got [][]string
				all, err := discovery.All(t.Context(), server, requests, func(_ discovery.Request, objects []discovery.Object) error {
					got = append(got, short(objects))
					return nil
				})
				if err != nil || len(all) != len(requests) {
					t.Errorf("%d listings, %v", len(all), err)
				}
				for i, l := range all {
					if len(l.Diagnostics) > 0 || l.Request.Resource != requests[i].Resource {
						t.Errorf("listing %d of %s: %v", i, l.Request.Resource.Type, l.Diagnostics)
					}
				}
				if diff := cmp.Diff([][]string{{"x name=x"}, {a, b, c}}, got); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
				stop, calls := errors.New("stop"), 0
				all, err = discovery.All(t.Context(), server, requests, func(r discovery.Request, _ []discovery.Object) error {
					if calls++; r.Resource == requests[1].Resource {
						return stop
					}
					return nil
				})
				if len(all) != 1 || !errors.Is(err, stop) || calls != 2 {
					t.Errorf("stopped at the second type: %d listings, %d calls, %v", len(all), calls, err)
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
	l, got := list(t.Context(), server, request(t, p, "examplecloud_thing", 10, nil))
	if !l.Diagnostics.HasSummary("Cannot list") || len(got) > 0 {
		t.Errorf("got %v, %v", got, l.Diagnostics)
	}

	wrong := request(t, p, "examplecloud_thing", 10, nil)
	wrong.Config = cty.ObjectVal(map[string]cty.Value{"region": cty.True})
	if l, _ = list(t.Context(), server, wrong); !l.Diagnostics.HasErrors() {
		t.Error("arguments of another type are accepted")
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, _ = list(ctx, server, request(t, p, "examplecloud_alias", 10, nil)); !strings.Contains(l.Diagnostics.String(), "cancel") {
		t.Errorf("got %v", l.Diagnostics)
	}
}

// Objects are passed on before the provider has listed all. Only what fits a page is sorted.
func TestListPages(t *testing.T) {
	t.Parallel()
	const page = 500
	cloud := examplecloudtest.Start(t)
	p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, cloud, nil)
	for n := range page + 1 {
		cloud.Make(t, "aliases", map[string]any{"name": fmt.Sprintf("n-%03d", n), "target": "t"})
	}
	for limit, want := range map[int64][]int{page: {page}, page + 1: {page, 1}, 2 * page: {page, 1}} {
		var sizes []int
		got := map[string]bool{}
		l := discovery.List(t.Context(), server, request(t, p, "examplecloud_alias", limit, nil), func(objects []discovery.Object) {
			sizes = append(sizes, len(objects))
			sorted := slices.IsSortedFunc(objects, func(a, b discovery.Object) int { return strings.Compare(a.DisplayName, b.DisplayName) })
			if len(want) == 1 && !sorted {
				t.Error("a single page is not sorted")
			}
			for _, o := range objects {
				got[o.DisplayName] = true
			}
		})
		if diff := cmp.Diff(want, sizes); diff != "" || len(l.Diagnostics) > 0 || int64(len(got)) != min(limit, page+1) {
			t.Errorf("limit %d: %d objects, %v; -want, +got:\n%s", limit, len(got), l.Diagnostics, diff)
		}
	}
}
