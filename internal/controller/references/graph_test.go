package references_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

func TestGraph(t *testing.T) {
	t.Parallel()
	a, b, c, d := key("Thing", "n", "a"), key("Thing", "n", "b"), key("Thing", "n", "c"), key("Other", "n", "d")
	var g references.Graph
	check := func(what string, got, want []store.Key) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", what, diff)
		}
	}
	check("without referrers", g.Referrers(a), nil)
	g.Refers(b, []store.Key{a})
	g.Refers(c, []store.Key{a, b})
	g.Refers(d, []store.Key{a})
	check("a", g.Referrers(a), []store.Key{d, b, c})
	check("b", g.Referrers(b), []store.Key{c})
	check("c", g.Referrers(c), nil)
	check("freed", g.Refers(c, []store.Key{b}), []store.Key{a})
	check("a, then", g.Referrers(a), []store.Key{d, b})
	g.Refers(a, []store.Key{c}) // a → c → b → a
	check("what goes round in circles", g.Referrers(a), []store.Key{d})
	g.Drop(schema.GroupKind{Group: group.Group, Kind: "Other"})
	check("a dropped kind", g.Referrers(a), nil)
	g.Refers(a, []store.Key{a})
	check("itself", g.Referrers(a), []store.Key{b})

	where := func(k store.Key, labels map[string]string) references.Where {
		return references.Where{Key: k, Labels: labels}
	}
	g.Awaits(a, []references.Where{where(d, nil), where(key("Thing", "n", ""), nil)})
	check("by name", g.Waiting(d, nil), []store.Key{a})
	check("by kind", g.Waiting(b, nil), []store.Key{a})
	check("of another namespace", g.Waiting(key("Thing", "m", "b"), nil), nil)
	check("itself", g.Waiting(a, nil), nil)
	g.Awaits(b, []references.Where{
		where(key("Thing", "n", ""), map[string]string{"tier": "x"}),
		where(key("Thing", "n", ""), map[string]string{"tier": "y"}),
	})
	g.Awaits(a, nil)
	check("no more", g.Waiting(d, nil), nil)
	check("without the label", g.Waiting(c, map[string]string{"tier": "z"}), nil)
	check("with the label", g.Waiting(c, map[string]string{"tier": "y", "other": "1"}), []store.Key{b})
	g.Drop(schema.GroupKind{Group: group.Group, Kind: "Thing"})
	check("of a kind that was dropped", g.Waiting(c, map[string]string{"tier": "y"}), nil)
}

// What a resource of another namespace refers to counts only if it permits that.
func TestGraphOfOtherNamespaces(t *testing.T) {
	t.Parallel()
	victim, neighbour, attacker := key("Thing", "n", "victim"), key("Thing", "n", "neighbour"), key("Thing", "evil", "attacker")
	for name, test := range map[string]struct {
		// permitted is the annotation of the victim and its neighbour.
		permitted string
		// attacked is set when the attacker's references count.
		attacked bool
	}{
		"no permission":               {},
		"permission for others":       {permitted: "friend, other"},
		"permission for the attacker": {permitted: "friend, evil", attacked: true},
		"permission for all":          {permitted: "*", attacked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := func(keys ...store.Key) []store.Key {
				if !test.attacked {
					return nil
				}
				return keys
			}
			check := func(what string, got, want []store.Key) {
				t.Helper()
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: -want +got:\n%s", what, diff)
				}
			}
			var g references.Graph
			g.Permits(victim, test.permitted)
			g.Permits(neighbour, test.permitted)

			g.Refers(attacker, []store.Key{victim})
			check("blocks a deletion", g.Referrers(victim), want(attacker))
			check("wakes what it referred to", g.Refers(attacker, nil), want(victim))

			g.Awaits(attacker, names(victim))
			check("is woken with it", g.Waiting(victim, nil), want(attacker))
			g.Awaits(attacker, []references.Where{{Key: key("Thing", "n", "")}})
			check("is woken with all of the kind", g.Waiting(victim, nil), want(attacker))
			g.Awaits(attacker, nil)

			// The neighbour refers to the victim, and the victim to the attacker: a reference of
			// the attacker to the neighbour would make a cycle, in which the victim does not wait
			// for the neighbour.
			g.Permits(attacker, "*")
			g.Refers(neighbour, []store.Key{victim})
			g.Refers(victim, []store.Key{attacker})
			g.Refers(attacker, []store.Key{neighbour})
			ordered := []store.Key{neighbour}
			if test.attacked {
				ordered = nil
			}
			check("breaks the order of deletion", g.Referrers(victim), ordered)
			g.Refers(victim, nil)
			g.Refers(neighbour, nil)

			g.Refers(attacker, []store.Key{victim})
			g.Permits(victim, "")
			check("blocks a deletion when the permission is withdrawn", g.Referrers(victim), nil)
		})
	}
}

// Of resources that are all to be deleted, at least one must have no referrers, whatever the
// references.
func TestGraphNeverBlocksAllDeletions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var g references.Graph
		names := []string{"a", "b", "c", "d", "e"}
		left := map[string]bool{}
		for _, n := range names {
			left[n] = true
			var to []store.Key
			for _, x := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID[string]).Draw(t, n) {
				to = append(to, key("Thing", "n", x))
			}
			g.Refers(key("Thing", "n", n), to)
		}
		for len(left) > 0 {
			i := slices.IndexFunc(names, func(n string) bool { return left[n] && len(g.Referrers(key("Thing", "n", n))) == 0 })
			if i < 0 {
				t.Fatalf("none of %v may go", left)
			}
			g.Refers(key("Thing", "n", names[i]), nil)
			delete(left, names[i])
		}
	})
}

// Who reads the Secret that a resource writes depends on its object, and does not keep it from
// being deleted.
func TestGraphOfSecrets(t *testing.T) {
	t.Parallel()
	writer, reader, referrer := key("Thing", "n", "writer"), key("Credential", "n", "reader"), key("Thing", "n", "referrer")
	check := func(t *testing.T, what string, got []store.Key, want ...store.Key) {
		t.Helper()
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", what, diff)
		}
	}
	for name, test := range map[string]struct {
		then                        func(g *references.Graph)
		writers, dependents, refers []store.Key
	}{
		"read and referred to": {writers: []store.Key{writer}, dependents: []store.Key{reader, referrer}, refers: []store.Key{referrer}},
		"in a circle": {
			then:    func(g *references.Graph) { g.Refers(writer, []store.Key{reader}) },
			writers: []store.Key{writer}, dependents: []store.Key{referrer}, refers: []store.Key{referrer},
		},
		"it writes another one": {
			then:       func(g *references.Graph) { g.Secrets(writer, nil, "other") },
			dependents: []store.Key{referrer}, refers: []store.Key{referrer},
		},
		"it writes none": {
			then:       func(g *references.Graph) { g.Secrets(writer, nil, "") },
			dependents: []store.Key{referrer}, refers: []store.Key{referrer},
		},
		"the kind of the reader is not served any more": {
			then:       func(g *references.Graph) { g.Drop(schema.GroupKind{Group: reader.Group, Kind: reader.Kind}) },
			dependents: []store.Key{referrer}, refers: []store.Key{referrer},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g references.Graph
			g.Secrets(writer, nil, "made")
			g.Secrets(reader, []string{"given", "made"}, "made too")
			g.Secrets(key("Credential", "elsewhere", "reader"), []string{"made"}, "")
			g.Refers(referrer, []store.Key{writer})
			if test.then != nil {
				test.then(&g)
			}
			check(t, "writers", g.Writers(reader), test.writers...)
			dependents, _ := g.Dependents(writer, configurations{})
			check(t, "dependents", dependents, test.dependents...)
			check(t, "referrers", g.Referrers(writer), test.refers...)
		})
	}
}

// configurations has the provider configuration of each resource.
type configurations map[store.Key]store.Key

func (c configurations) Of(x store.Key) []store.Key { return []store.Key{c[x]} }

func (c configurations) Users(of store.Key) (out []store.Key) {
	for x, uses := range c {
		if uses == of {
			out = append(out, x)
		}
	}
	return out
}

// What uses a provider configuration that reads the Secret of a resource depends on its object,
// wherever it is, unless the object depends on it.
func TestGraphOfConfigurations(t *testing.T) {
	t.Parallel()
	writer, user, elsewhere, other := key("Thing", "n", "writer"), key("Thing", "n", "user"),
		key("Thing", "m", "user"), key("Thing", "n", "other")
	reads, none := key("ClusterProviderConfig", "", "reads"), key("ClusterProviderConfig", "", "none")
	uses := configurations{writer: none, user: reads, elsewhere: reads, other: none}
	for name, test := range map[string]struct {
		uses              configurations
		then              func(g *references.Graph)
		dependents, users []store.Key
	}{
		"its users": {users: []store.Key{elsewhere, user}},
		"one refers to the writer, too": {
			then:       func(g *references.Graph) { g.Refers(user, []store.Key{writer}) },
			dependents: []store.Key{user}, users: []store.Key{elsewhere},
		},
		"the writer uses it itself": {uses: configurations{writer: reads, user: reads}, users: []store.Key{user}},
		"the writer depends on one": {
			then:  func(g *references.Graph) { g.Refers(writer, []store.Key{user}) },
			users: []store.Key{elsewhere},
		},
		"the writer depends on one by a configuration": {
			uses: configurations{writer: none, user: reads},
			then: func(g *references.Graph) {
				g.Secrets(user, nil, "other")
				g.Configures(none, []types.NamespacedName{{Namespace: "n", Name: "other"}})
			},
		},
		"it reads another one": {
			then: func(g *references.Graph) {
				g.Configures(reads, []types.NamespacedName{{Namespace: "m", Name: "made"}})
			},
		},
		"it is gone": {then: func(g *references.Graph) { g.Configures(reads, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g references.Graph
			g.Secrets(writer, nil, "made")
			g.Configures(reads, []types.NamespacedName{{Namespace: "n", Name: "made"}})
			g.Configures(none, []types.NamespacedName{{Namespace: "n", Name: "given"}})
			if test.then != nil {
				test.then(&g)
			}
			if test.uses == nil {
				test.uses = uses
			}
			dependents, users := g.Dependents(writer, test.uses)
			if diff := cmp.Diff([][]store.Key{test.dependents, test.users}, [][]store.Key{dependents, users}, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
