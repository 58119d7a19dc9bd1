package ui_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/ui"
)

// TestIndexOrder checks that the content is sorted and complete after any changes, and that what a
// reader has stays as it was.
func TestIndexOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := ui.NewIndex()
	want := map[string]bool{}
	var kept ui.Content
	var names []string
	for range 2000 {
		name := string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26)))
		e := ui.EntryOf(resource("Server", name), nil, true)
		switch random.IntN(6) {
		case 0, 1, 2:
			x.Set(e)
			want[name] = true
		case 3:
			x.Delete(e.Key)
			delete(want, name)
		case 4:
			if random.IntN(20) == 0 {
				x.Replace("cloud.landbridge.io", "Server", "team-a", []*ui.Entry{e})
				want = map[string]bool{name: true}
			}
		case 5:
			kept, names = x.Content(), nil
			for _, e := range kept.Entries {
				names = append(names, e.Key.Name)
			}
		}
		var got, all, still []string
		for _, e := range x.Content().Entries {
			got = append(got, e.Key.Name)
		}
		for name := range want {
			all = append(all, name)
		}
		slices.Sort(all)
		if diff := cmp.Diff(all, got); diff != "" {
			t.Fatalf("-want, +got:\n%s", diff)
		}
		for _, e := range kept.Entries {
			still = append(still, e.Key.Name)
		}
		if diff := cmp.Diff(names, still); diff != "" {
			t.Fatalf("what a reader has was changed: -want, +got:\n%s", diff)
		}
	}
}

// TestUsers checks what depends on an object, by names and by labels, directly and by others.
func TestUsers(t *testing.T) {
	network := resource("Network", "main")
	network.SetLabels(map[string]string{"zone": "one"})
	selecting := resource("Server", "selecting")
	set(selecting, []any{map[string]any{"to": "forProvider.network", "from": map[string]any{
		"kind": "Network", "selector": map[string]any{"matchLabels": map[string]any{"zone": "one"}},
	}}}, "spec", "references")
	circle := refers(refers(resource("Network", "circle"), "Server", "named"), "Server", "named")
	c := index(network, selecting, circle, refers(resource("Server", "named"), "Network", "main"),
		refers(resource("Server", "above"), "Network", "circle"),
		refers(resource("Server", "beside"), "Network", "other")).Content()
	var got []string
	for _, e := range c.Users().Of(explain.KeyOf(network)) {
		got = append(got, e.Key.Name)
	}
	if got := strings.Join(got, " "); got != "named selecting circle above" {
		t.Errorf("got %q", got)
	}
}
