package query_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/query"
	"github.com/landbridge-io/landbridge/internal/discovery"
)

// What a namespace is told of the owners of an object.
func TestTold(t *testing.T) {
	t.Parallel()
	owner := func(namespace, name string, declared bool) discovery.Owner {
		return discovery.Owner{Kind: "Thing", Namespace: namespace, Name: name, Declared: declared}
	}
	for name, test := range map[string]struct {
		all    []discovery.Owner
		want   v1alpha1.QueriedOwnership
		owners []string
	}{
		"of no owner": {want: v1alpha1.QueriedUnmanaged},
		"managed":     {all: []discovery.Owner{owner("a", "x", false)}, want: v1alpha1.QueriedManaged, owners: []string{"x"}},
		"declared":    {all: []discovery.Owner{owner("a", "x", true)}, want: v1alpha1.QueriedDeclared, owners: []string{"x"}},
		"managed and declared": {
			all: []discovery.Owner{owner("a", "b", true), owner("a", "x", false)}, want: v1alpha1.QueriedManaged,
			owners: []string{"x", "b"},
		},
		"managed elsewhere":            {all: []discovery.Owner{owner("b", "x", false)}},
		"declared elsewhere":           {all: []discovery.Owner{owner("b", "x", true)}},
		"of the cluster":               {all: []discovery.Owner{owner("", "x", false)}},
		"declared here, managed there": {all: []discovery.Owner{owner("a", "x", true), owner("b", "y", false)}},
		"declared here and there": {
			all: []discovery.Owner{owner("b", "y", true), owner("a", "x", true)}, want: v1alpha1.QueriedDeclared,
			owners: []string{"x"},
		},
		"managed here, and wanted there": {
			all: []discovery.Owner{owner("b", "y", false), owner("a", "x", false)}, want: v1alpha1.QueriedManaged,
			owners: []string{"x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, owners := query.Told(test.all, "a")
			var names []string
			for _, o := range owners {
				names = append(names, o.Name)
			}
			if diff := cmp.Diff(test.owners, names); diff != "" || got != test.want {
				t.Errorf("got %q, want %q; owners -want, +got:\n%s", got, test.want, diff)
			}
		})
	}
}

// A status has a bounded number of objects, the most important first.
func TestFirst(t *testing.T) {
	t.Parallel()
	object := func(name string, o v1alpha1.QueriedOwnership, violates ...string) v1alpha1.QueriedObject {
		return v1alpha1.QueriedObject{DisplayName: name, Ownership: o, Violates: violates, Identity: apiextensionsv1.JSON{Raw: []byte(`{}`)}}
	}
	many := make([]v1alpha1.QueriedObject, 150)
	for i := range many {
		many[i] = object(fmt.Sprint(i), v1alpha1.QueriedManaged)
	}
	large := object("large", v1alpha1.QueriedUnmanaged)
	large.Identity.Raw = []byte(`{"id":"` + strings.Repeat("x", 100<<10) + `"}`)
	for name, test := range map[string]struct {
		all   []v1alpha1.QueriedObject
		want  []string
		count int
	}{
		"none": {},
		"order": {
			all: []v1alpha1.QueriedObject{
				object("managed", v1alpha1.QueriedManaged), object("declared", v1alpha1.QueriedDeclared),
				object("b", v1alpha1.QueriedUnmanaged), object("a", v1alpha1.QueriedUnmanaged), object("violates", v1alpha1.QueriedManaged, "p"),
			},
			want: []string{"violates", "b", "a", "declared", "managed"}, count: 5,
		},
		"number": {all: many, count: 100},
		"size":   {all: []v1alpha1.QueriedObject{large, large, large}, count: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := query.First(test.all)
			var names []string
			for _, o := range got {
				names = append(names, o.DisplayName)
			}
			if len(got) != test.count || test.want != nil && !cmp.Equal(test.want, names) {
				t.Errorf("got %d objects %v, want %d %v", len(got), names, test.count, test.want)
			}
		})
	}
}

// Pages are bounded in size and number, and are documents of the command discover.
func TestPaginate(t *testing.T) {
	t.Parallel()
	objects := func(n, size int) (out []discovery.DocumentObject) {
		for range n {
			out = append(out, discovery.DocumentObject{Type: "x", Identity: map[string]any{"id": strings.Repeat("x", size)}})
		}
		return out
	}
	for name, test := range map[string]struct {
		all         []discovery.DocumentObject
		pages, left int
	}{
		"none":                {pages: 1},
		"one page":            {all: objects(100, 10), pages: 1},
		"several":             {all: objects(6, 200<<10), pages: 3},
		"one that is too big": {all: append(objects(1, 600<<10), objects(2, 10)...), pages: 1, left: 1},
		"too many":            {all: objects(2*query.MaxPages+3, 200<<10), pages: query.MaxPages, left: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages, left, err := query.Paginate(test.all)
			if err != nil || len(pages) != test.pages || left != test.left {
				t.Errorf("%d pages, %d left, %v; want %d and %d", len(pages), left, err, test.pages, test.left)
			}
			n := 0
			for _, p := range pages {
				var d discovery.Document
				if err := json.Unmarshal([]byte(p), &d); err != nil || len(p) > 1<<20 || d.Objects == nil {
					t.Errorf("a page of %d bytes: %v", len(p), err)
				}
				n += len(d.Objects)
			}
			if n+left != len(test.all) {
				t.Errorf("%d objects in pages, %d left, of %d", n, left, len(test.all))
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{0: time.Second, 3: 8 * time.Second, 9: 5 * time.Minute, 1000: 5 * time.Minute} {
		if got := query.Backoff(failures, 5*time.Minute); got != want {
			t.Errorf("after %d failures: %s, want %s", failures, got, want)
		}
	}
}

// Events tell what has changed, and nothing else.
func TestEvents(t *testing.T) {
	t.Parallel()
	violation := []v1alpha1.EstateViolation{{Policy: "p", Message: "no", Objects: 2}}
	for name, test := range map[string]struct {
		before, now v1alpha1.ResourceQueryStatus
		want        []string
	}{
		"nothing": {},
		"counts": {
			now:  v1alpha1.ResourceQueryStatus{Total: 3, Managed: 1, Unmanaged: 2},
			want: []string{"ObjectsChanged 3 objects: 1 managed, 0 declared, 2 unmanaged, 0 of other namespaces."},
		},
		"violated": {
			now:  v1alpha1.ResourceQueryStatus{Violations: violation},
			want: []string{"EstatePolicyWarning EstatePolicy p: 2 objects: no"},
		},
		"still violated": {
			before: v1alpha1.ResourceQueryStatus{Violations: violation},
			now:    v1alpha1.ResourceQueryStatus{Violations: violation},
		},
		"not violated again": {before: v1alpha1.ResourceQueryStatus{Violations: violation}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, e := range query.Events(test.before, test.now) {
				got = append(got, string(e.Reason)+" "+e.Message)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
