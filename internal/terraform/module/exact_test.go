package module_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// An approved plan is carried out only with the values that were planned. Other plans only have to
// do the same to the same objects.
func TestExactPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source  string
		exact   bool
		refused bool
	}{
		"the same values":                {racks, true, false},
		"other values":                   {strings.ReplaceAll(racks, `"north"`, "plantimestamp()"), true, true},
		"other values, without approval": {strings.ReplaceAll(racks, `"north"`, "plantimestamp()"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstateOf(t, test.source, commandline.Options{})
			x := e.executor(e.server)
			p := e.plan(x, instance.Instance{}, e.config(1, "a"))
			p.Exact = test.exact
			planned := time.Now().Unix()
			waittest.Eventually(t, "another plan has another time, in seconds", func(context.Context) bool { return time.Now().Unix() > planned })
			out, diags := x.Apply(t.Context(), p)
			if refused := strings.Contains(diags.String(), "The plan has changed"); refused != test.refused || out.Exists() == refused {
				t.Errorf("the answer is %v, exists: %t", diags, out.Exists())
			}
			if !test.refused && diags.HasErrors() {
				t.Error(diags)
			}
		})
	}
}
