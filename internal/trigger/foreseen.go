package trigger

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Foreseen returns the actions that a change of a resource's object would have invoked, a line for
// each. Conditions are shown, not evaluated: they may depend on what is known only then.
func Foreseen(u *unstructured.Unstructured, change Change) (out []string) {
	if u == nil || change == "" {
		return nil
	}
	all, err := Of(u)
	if err != nil {
		return []string{err.Error()}
	}
	for i := range all {
		t := &all[i]
		var events []string
		for _, e := range change.events() {
			if t.of(e) {
				events = append(events, string(e))
			}
		}
		if len(events) == 0 {
			continue
		}
		line := fmt.Sprintf("%s (%s): %s", t.Action, t.Name, strings.Join(events, ", "))
		if t.spelled != "" {
			line += ", if " + t.spelled
		}
		out = append(out, line)
	}
	return out
}
