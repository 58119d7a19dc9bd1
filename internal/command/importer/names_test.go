package importer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/model"
)

func TestKubernetesName(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		want string
		ok   bool
	}{
		"web":                            {"web", true},
		"web-1":                          {"web-1", true},
		"web_1":                          {"web-1", false},
		"Web Server (prod)":              {"web-server-prod", false},
		"db.one":                         {"db-one", false},
		"--x--":                          {"x", false},
		"größe":                          {"gr-e", false},
		"":                               {"", true},
		"***":                            {"", false},
		`net["eu"].sub-main[0]`:          {"net-eu-sub-main-0", false},
		strings.Repeat("a", 63):          {strings.Repeat("a", 63), true},
		strings.Repeat("a", 62) + "-b-c": {strings.Repeat("a", 62), false},
	}
	for text, test := range tests {
		name, ok := kubernetesName(text)
		if name != test.want || ok != test.ok {
			t.Errorf("%q: got %q, %v, want %q, %v", text, name, ok, test.want, test.ok)
		}
	}
}

func aDraft(r *model.Resource, name, origin string) *draft {
	return &draft{Item: Item{Resource: r, Name: name, Origin: origin}}
}

func TestNames(t *testing.T) {
	t.Parallel()
	thing := &model.Resource{Kind: "Thing", Plural: "things", Group: "x.io"}
	other := &model.Resource{Kind: "Other", Plural: "others", Group: "x.io"}
	tests := map[string]struct {
		drafts []*draft
		taken  []string
		want   []string
	}{
		"of several kinds": {
			drafts: []*draft{aDraft(thing, "a", "1"), aDraft(other, "a", "2")},
			want:   []string{"a", "a"},
		},
		"what is a name is kept": {
			drafts: []*draft{aDraft(thing, "a_b", "1"), aDraft(thing, "a-b", "2"), aDraft(thing, "a.b", "3")},
			want:   []string{"a-b-6b86b2", "a-b", "a-b-4e0740"},
		},
		"none is": {
			drafts: []*draft{aDraft(thing, "a_b", "1"), aDraft(thing, "a.b", "3")},
			want:   []string{"a-b-6b86b2", "a-b-4e0740"},
		},
		"both are": {
			drafts: []*draft{aDraft(thing, "a", "1"), aDraft(thing, "a", "3")},
			want:   []string{"a-6b86b2", "a-4e0740"},
		},
		"in use already": {
			drafts: []*draft{aDraft(thing, "a", "1"), aDraft(other, "b", "1")}, taken: []string{"Thing a"},
			want: []string{"a-6b86b2", "b"},
		},
		"in use already, also with a hash": {
			drafts: []*draft{aDraft(thing, "a", "1")}, taken: []string{"Thing a", "Thing a-6b86b2"},
			want: []string{"a-6b86b27"},
		},
		"nothing to go by": {
			drafts: []*draft{aDraft(thing, "", "1"), aDraft(other, "??", "2")},
			want:   []string{"thing", "other"},
		},
		"another one's name with its hash": {
			drafts: []*draft{aDraft(thing, "a", "1"), aDraft(thing, "a", "3"), aDraft(thing, "a-6b86b2", "2")},
			want:   []string{"a-6b86b27", "a-4e0740", "a-6b86b2"},
		},
		"long": {
			drafts: []*draft{aDraft(thing, strings.Repeat("a", 80), "1"), aDraft(thing, strings.Repeat("a", 81), "3")},
			want:   []string{strings.Repeat("a", 56) + "-6b86b2", strings.Repeat("a", 56) + "-4e0740"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := map[string]bool{}
			for _, x := range test.taken {
				taken[x] = true
			}
			n := &naming{taken: func(r *model.Resource, name string) bool { return taken[r.Kind+" "+name] }}
			got := n.names(test.drafts)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// Whatever things are called, each gets a valid name of its own, and the order does not matter.
func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	thing := &model.Resource{Kind: "Thing", Plural: "things", Group: "x.io"}
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab-_.[]\"ABü0")), 0, 5, -1), 1, 12).Draw(t, "names")
		var drafts, reversed []*draft
		for i, text := range texts {
			drafts = append(drafts, aDraft(thing, text, string(rune('a'+i))))
		}
		for i := range drafts {
			reversed = append(reversed, drafts[len(drafts)-1-i])
		}
		got, back := (&naming{}).names(drafts), (&naming{}).names(reversed)
		seen := map[string]bool{}
		for i, name := range got {
			if msgs := validation.IsDNS1123Label(name); len(msgs) > 0 {
				t.Errorf("%q: %v", name, msgs)
			}
			if seen[name] {
				t.Errorf("%q twice", name)
			}
			seen[name] = true
			if other := back[len(back)-1-i]; other != name {
				t.Errorf("%q is %q in another order", name, other)
			}
		}
	})
}

// Names that are given before all is read are those that all would have together.
func TestCertainNames(t *testing.T) {
	t.Parallel()
	kinds := []*model.Resource{{Kind: "Thing", Plural: "things", Group: "x.io"}, {Kind: "A", Plural: "as", Group: "x.io"}}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab-_B")), 0, 3, -1)
		used := rapid.SliceOfN(text, 0, 2).Draw(t, "used")
		taken := func(_ *model.Resource, name string) bool { return slices.Contains(used, name) }
		var items []Item
		var drafts []*draft
		var early []int
		for i := range rapid.IntRange(1, 8).Draw(t, "items") {
			d := aDraft(rapid.SampledFrom(kinds).Draw(t, "kind"), text.Draw(t, "name"), string(rune('a'+i)))
			d.Namespace = rapid.SampledFrom([]string{"", "n"}).Draw(t, "namespace")
			items = append(items, d.Item)
			if !rapid.Bool().Draw(t, "can be read") {
				continue
			}
			if d.Name == "" {
				d.Name = text.Draw(t, "name as read")
			}
			drafts, early = append(drafts, d), append(early, i)
		}
		want := (&naming{taken: taken}).names(drafts)

		n := &naming{taken: taken}
		certain := n.certain(items)
		got := make([]string, len(drafts))
		var waiting []*draft
		var of []int
		for i, d := range drafts {
			if got[i] = certain[early[i]]; got[i] == "" {
				waiting, of = append(waiting, d), append(of, i)
				continue
			}
			k, _ := wanted(&d.Item)
			n.use(k)
		}
		for i, name := range n.names(waiting) {
			got[of[i]] = name
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-all together, +early:\n%s", diff)
		}
	})
}
