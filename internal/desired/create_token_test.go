package desired_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
)

func TestCreateTokenIn(t *testing.T) {
	token := &desired.CreateToken{Attribute: "token"}
	for name, tc := range map[string]struct {
		token            *desired.CreateToken
		config, existing string
		exists           bool
		want             string
	}{
		"no token configured":      {token: nil, want: ""},
		"a new object":             {token: token, want: "new"},
		"the user's":               {token: token, config: "mine", want: "mine"},
		"the user's, of an object": {token: token, config: "mine", exists: true, existing: "old", want: "mine"},
		"that of the object":       {token: token, exists: true, existing: "old", want: "old"},
		"an object without one":    {token: token, exists: true, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			existing := cty.NilVal
			if tc.exists {
				existing = object(map[string]string{"id": "i-1", "token": tc.existing})
			}
			got := tc.token.In(object(map[string]string{"id": "", "token": tc.config}), existing, "new")
			if of := token.Of(got); of != tc.want {
				t.Errorf("got %q, want %q", of, tc.want)
			}
		})
	}
}
