package importer

import (
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
			got := names(test.drafts, func(r *model.Resource, name string) bool { return taken[r.Kind+" "+name] })
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
		got, back := names(drafts, nil), names(reversed, nil)
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
