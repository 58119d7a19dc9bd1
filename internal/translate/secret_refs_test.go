package translate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// The Secrets to which a spec refers are found at any depth.
func TestSecretRefs(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	got := translate.SecretRefs(m{
		"name":              "x",
		"passwordSecretRef": m{"name": "one", "key": "k"},
		"rule":              []any{m{"keySecretRef": m{"name": "two", "namespace": "n", "key": "k"}}, m{"port": int64(1)}},
		"emptySecretRef":    m{},
		"vpcRef":            m{"name": "three"},
	})
	slices.SortFunc(got, func(a, b translate.SecretKeySelector) int { return strings.Compare(a.Name, b.Name) })
	if diff := cmp.Diff([]translate.SecretKeySelector{{Name: "one"}, {Name: "two", Namespace: "n"}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
