package status_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// action returns an action with messages of its provider.
func action(started string, messages ...string) *unstructured.Unstructured {
	var progress []any
	for _, m := range messages {
		progress = append(progress, map[string]any{"time": "t", "message": m})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "action.cloud.landbridge.io/v1alpha1", "kind": "Backup", "metadata": map[string]any{"name": "x", "namespace": "team"},
		"status": map[string]any{"phase": "Running", "startTime": started, "progress": progress},
	}}
}

// Only the last messages are in a status, so that later ones push out earlier ones.
func TestNewMessagesOfInvocations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, now *unstructured.Unstructured
		want        []string
	}{
		"the first":        {action(""), action("1", "a"), []string{"t  a"}},
		"none":             {action("1", "a"), action("1", "a"), nil},
		"one more":         {action("1", "a", "b"), action("1", "a", "b", "c"), []string{"t  c"}},
		"pushed out":       {action("1", "a", "b", "c"), action("1", "c", "d", "e"), []string{"t  d", "t  e"}},
		"all are new":      {action("1", "a", "b"), action("1", "c", "d"), []string{"t  c", "t  d"}},
		"another attempt":  {action("1", "a", "b"), action("2", "b"), []string{"t  b"}},
		"the same message": {action("1", "a"), action("1", "a", "a"), []string{"t  a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := status.Since(status.InvocationOf(test.before), status.InvocationOf(test.now))
			if diff := cmp.Diff(test.want, got); diff != "" && len(got)+len(test.want) > 0 {
				t.Error(diff)
			}
		})
	}
}

func TestInvocationsThatAreOver(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]bool{"Complete": true, "Failed": true, "Ready": false} {
		u := action("1")
		_ = unstructured.SetNestedSlice(u.Object, []any{map[string]any{"type": condition, "status": "True"}}, "status", "conditions")
		if got := status.InvocationOf(u).Over; got != want {
			t.Errorf("with %s it is over: %t", condition, got)
		}
	}
}
