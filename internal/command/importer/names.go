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

// names returns a unique name for each draft. If several would have the same name, the hash of the
// origin is appended to each, so that names do not depend on the order. The first draft whose
// preferred name is valid as it is keeps it. taken reports names that are in use.
func names(drafts []*draft, taken func(*model.Resource, string) bool) []string {
	wanted := make([]kindName, len(drafts))
	exact := map[kindName][]int{}
	count := map[kindName]int{}
	for i, d := range drafts {
		name, same := kubernetesName(d.Name)
		if name == "" {
			name, same = kubernetesName(d.Resource.Kind)
		}
		wanted[i] = kindName{d.Resource.CRDName(), d.Namespace, name}
		count[wanted[i]]++
		if same {
			exact[wanted[i]] = append(exact[wanted[i]], i)
		}
	}
	out := make([]string, len(drafts))
	used := map[kindName]bool{}
	free := func(d *draft, k kindName) bool { return !used[k] && (taken == nil || !taken(d.Resource, k.name)) }
	keep := func(i int) bool { // whether it has the name without a hash
		k := wanted[i]
		return count[k] == 1 || len(exact[k]) == 1 && exact[k][0] == i
	}
	for i, d := range drafts {
		if keep(i) && free(d, wanted[i]) {
			out[i] = wanted[i].name
			used[wanted[i]] = true
		}
	}
	for i, d := range drafts {
		for digits := 6; out[i] == ""; digits++ {
			k := kindName{wanted[i].kind, d.Namespace, unique(wanted[i].name, d.Origin, min(digits, 64))}
			if digits > 64 || free(d, k) {
				out[i] = k.name
				used[k] = true
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
