package providerconfig_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// leased returns a handle on s that counts its leases in held.
func leased(s string, held *int) providerconfig.Handle[string] {
	return providerconfig.Handle[string]{
		Name: s, Secrets: []string{"secret of " + s},
		Acquire: func(context.Context) (string, func(), diagnostic.Diagnostics) {
			*held++
			return s, func() { *held-- }, nil
		},
	}
}

func TestJoinLeasesAllOrNone(t *testing.T) {
	t.Parallel()
	broken := diagnostic.Errorf("Broken", "It is broken.")
	for name, test := range map[string]struct {
		broken bool
		want   string
		held   int
	}{
		"all can be leased":   {want: "x=a y=b", held: 2},
		"the last one cannot": {broken: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := 0
			handles := map[string]providerconfig.Handle[string]{"x": leased("a", &held), "y": leased("b", &held)}
			if test.broken {
				handles["y"] = providerconfig.Refuse[string]("b", broken)
			}
			joined := providerconfig.Map(providerconfig.Join(handles), func(all map[string]string) string {
				return strings.Join([]string{"x=" + all["x"], "y=" + all["y"]}, " ")
			})
			if joined.Name != "a b" {
				t.Errorf("name %q", joined.Name)
			}
			got, release, diags := joined.Acquire(t.Context())
			if got != test.want || held != test.held || diags.HasErrors() != test.broken || joined.Diagnostics.HasErrors() != test.broken {
				t.Errorf("leased %q, %d held, %v and %v", got, held, diags, joined.Diagnostics)
			}
			if release != nil {
				release()
			}
			if held != 0 {
				t.Errorf("%d are still held", held)
			}
		})
	}
}

func TestMapKeepsTheLastUsableHandle(t *testing.T) {
	t.Parallel()
	held := 0
	h := leased("a", &held)
	failed := providerconfig.Refuse[string]("a", diagnostic.Errorf("Gone", "It is gone.")).WithLast(h)
	upper := providerconfig.Map(failed, strings.ToUpper)
	if _, _, diags := upper.Acquire(t.Context()); !diags.HasErrors() {
		t.Error("a handle that failed can be leased")
	}
	got, release, diags := upper.Last().Acquire(t.Context())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	release()
	if got != "A" || held != 0 {
		t.Errorf("leased %q, %d held", got, held)
	}
	joined := providerconfig.Join(map[string]providerconfig.Handle[string]{"x": failed, "y": leased("b", &held)})
	both, release, diags := joined.Last().Acquire(t.Context())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	release()
	if diff := cmp.Diff(map[string]string{"x": "a", "y": "b"}, both); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"secret of a"}, upper.Secrets); diff != "" {
		t.Errorf("secrets: -want +got:\n%s", diff)
	}
}

// What needs several configurations is paused while one of them is.
func TestJoinIsPausedWithOne(t *testing.T) {
	t.Parallel()
	held, paused := 0, false
	a, b := leased("a", &held), leased("b", &held)
	b.Paused = func() bool { return paused }
	joined := providerconfig.Map(providerconfig.Join(map[string]providerconfig.Handle[string]{"x": a, "y": b}),
		func(map[string]string) string { return "" })
	if joined.Paused() {
		t.Error("it is paused")
	}
	paused = true
	if !joined.Paused() {
		t.Error("it is not paused")
	}
}
