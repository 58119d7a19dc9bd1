package managed_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// A field of which the plan shows no change stays as it is.
func TestChangesOfAField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		paths []string
		want  bool
	}{
		"no changes":                    {},
		"the field":                     {paths: []string{"id", "apiKey"}, want: true},
		"a part of it":                  {paths: []string{"apiKey.value"}, want: true},
		"an element":                    {paths: []string{"apiKey[0]"}, want: true},
		"another one that begins alike": {paths: []string{"apiKeyName"}},
		"more than are shown":           {paths: []string{"id", "…"}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var changes []any
			for _, path := range test.paths {
				changes = append(changes, m{"path": path})
			}
			if got := managed.ChangesField(changes, "apiKey"); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
