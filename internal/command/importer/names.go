package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// maxName bounds the length of names, so that they can also be label values.
const maxName = 63

// kubernetesName returns a valid name for any text: invalid characters become one hyphen. It is
// deterministic; ok is set when the name is the text itself.
func kubernetesName(text string) (name string, ok bool) {
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name = strings.Trim(b.String(), "-")
	if len(name) > maxName {
		name = strings.TrimRight(name[:maxName], "-")
	}
	return name, name == text
}

// unique returns a name with a hash of its origin appended.
func unique(name, origin string, digits int) string {
	sum := sha256.Sum256([]byte(origin))
	suffix := "-" + hex.EncodeToString(sum[:])[:digits]
	if len(name) > maxName-len(suffix) {
		name = strings.TrimRight(name[:maxName-len(suffix)], "-")
	}
	return strings.TrimPrefix(name+suffix, "-")
}

// kindName is a resource type's kind, and a name in a namespace.
type kindName struct{ kind, namespace, name string }

// naming gives each draft a unique name. If several would have the same name, the hash of the
// origin is appended to each, so that names do not depend on the order. The first draft whose
// preferred name is valid as it is keeps it.
type naming struct {
	// taken reports names that are in use; nil for none.
	taken func(*model.Resource, string) bool
	used  map[kindName]bool
}

// wanted returns the name that an item has if no other has it, and whether that is its preferred
// name.
func wanted(i *Item) (_ kindName, same bool) {
	name, same := kubernetesName(i.Name)
	if name == "" {
		name, same = kubernetesName(i.Resource.Kind)
	}
	return kindName{i.Resource.CRDName(), i.Namespace, name}, same
}

func (n *naming) free(r *model.Resource, k kindName) bool {
	return !n.used[k] && (n.taken == nil || !n.taken(r, k.name))
}

func (n *naming) use(k kindName) {
	if n.used == nil {
		n.used = map[kindName]bool{}
	}
	n.used[k] = true
}

// certain returns the names of items that do not depend on which of the others can be read, nor on
// what is read; empty for the others.
func (n *naming) certain(items []Item) []string {
	count, nameless := map[kindName]int{}, map[kindName]bool{}
	of := func(k kindName) kindName { return kindName{kind: k.kind, namespace: k.namespace} }
	for i := range items {
		k, _ := wanted(&items[i])
		count[k]++
		if items[i].Name == "" { // it is named after what is read
			nameless[of(k)] = true
		}
	}
	out := make([]string, len(items))
	for i := range items {
		if k, _ := wanted(&items[i]); count[k] == 1 && !nameless[of(k)] && n.free(items[i].Resource, k) {
			out[i] = k.name
		}
	}
	return out
}

// names returns a name for each draft.
func (n *naming) names(drafts []*draft) []string {
	want := make([]kindName, len(drafts))
	exact := map[kindName][]int{}
	count := map[kindName]int{}
	for i, d := range drafts {
		k, same := wanted(&d.Item)
		want[i] = k
		count[k]++
		if same {
			exact[k] = append(exact[k], i)
		}
	}
	out := make([]string, len(drafts))
	keep := func(i int) bool { // whether it has the name without a hash
		k := want[i]
		return count[k] == 1 || len(exact[k]) == 1 && exact[k][0] == i
	}
	for i, d := range drafts {
		if keep(i) && n.free(d.Resource, want[i]) {
			out[i] = want[i].name
			n.use(want[i])
		}
	}
	for i, d := range drafts {
		for digits := 6; out[i] == ""; digits++ {
			k := kindName{want[i].kind, d.Namespace, unique(want[i].name, d.Origin, min(digits, 64))}
			if digits > 64 || n.free(d.Resource, k) {
				out[i] = k.name
				n.use(k)
			}
		}
	}
	return out
}

// externalName returns the external name of an object, for names of resources.
func externalName(r *model.Resource, state, identity cty.Value) string {
	return translate.ExternalName(r, state, identity)
}

// origin returns an object by its identity, for people.
func origin(r *model.Resource, identity cty.Value) string {
	return r.Type + " " + translate.CanonicalIdentity(identity)
}
