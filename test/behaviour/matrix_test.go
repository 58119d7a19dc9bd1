package behaviour_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// tests are the behaviours that need no setup, by name.
var tests = map[string]func(*testing.T, *column){}

// register adds the tests of a file.
func register(more map[string]func(*testing.T, *column)) map[string]func(*testing.T, *column) {
	for name, test := range more {
		if _, ok := behaviour.Find(name); !ok || tests[name] != nil {
			panic("unknown or repeated behaviour " + name)
		}
		tests[name] = test
	}
	return more
}

// TestMatrix tests the behaviours with one release.
func TestMatrix(t *testing.T) {
	each(t, func(t *testing.T, of behaviour.Column) {
		types := []string{
			"thing", "datastore", "ticket", "alias", "nickname", "id_import", "identity_import", "no_import",
			"credential", "shapes",
		}
		if of.Form == provider.SDKv2 {
			types = append(types, "odd_import")
		}
		c := shared(t).open(t, of, common, release.Latest, types...)
		for _, s := range behaviour.Sections() {
			for _, b := range s.Behaviours {
				if test := tests[b.Name]; test != nil && b.NotApplicable(of) == "" {
					t.Run(b.Name, func(t *testing.T) {
						t.Parallel()
						test(t, c)
					})
				}
			}
		}
	})
}
