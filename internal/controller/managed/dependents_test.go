package managed_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// What a resource says about its dependents comes before what its provider says for all.
func TestReplacesDependents(t *testing.T) {
	for name, tc := range map[string]struct {
		policy    string
		byDefault bool
		want      bool
	}{
		"nothing is said":                       {want: false},
		"the resource allows it":                {policy: "Automatic", want: true},
		"the provider allows it":                {byDefault: true, want: true},
		"the resource refuses, and comes first": {policy: "Ask", byDefault: true, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"lifecycle": map[string]any{}}}}
			if tc.policy != "" {
				u.Object["spec"] = map[string]any{"lifecycle": map[string]any{"replaceDependents": tc.policy}}
			}
			kind := &managed.Kind{ReplacesDependents: func() bool { return tc.byDefault }}
			if got := kind.ReplacesDependentsOf(u); got != tc.want {
				t.Errorf("got %t", got)
			}
			if got := (&managed.Kind{}).ReplacesDependentsOf(u); got != (tc.policy == "Automatic") {
				t.Errorf("without a default: got %t", got)
			}
		})
	}
}
