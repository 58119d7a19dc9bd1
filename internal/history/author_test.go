package history_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/history"
)

// The author of a generation is not told as that of another one.
func TestAuthorOf(t *testing.T) {
	cases := map[string]struct {
		annotation string
		want       history.Author
		text       string
	}{
		"of this generation": {annotation: "3 kubectl-edit alice",
			want: history.Author{ChangedBy: "alice", FieldManager: "kubectl-edit"}, text: "alice with kubectl-edit"},
		"a program without name": {annotation: "3 - alice", want: history.Author{ChangedBy: "alice"}, text: "alice"},
		"a user with spaces": {annotation: "3 argocd CN=alice, O=team a",
			want: history.Author{ChangedBy: "CN=alice, O=team a", FieldManager: "argocd"}, text: "CN=alice, O=team a with argocd"},
		"of an earlier one":       {annotation: "2 kubectl-edit alice"},
		"of a later one":          {annotation: "33 kubectl-edit alice"},
		"none":                    {},
		"not of the API server":   {annotation: "alice"},
		"a generation and a text": {annotation: "3 alice"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := history.AuthorOf(tc.annotation, 3)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("author (-want +got):\n%s", diff)
			}
			if got.String() != tc.text {
				t.Errorf("text %q, want %q", got.String(), tc.text)
			}
		})
	}
}
