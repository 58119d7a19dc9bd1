package status_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// What failed earlier is shown as long as something is wrong.
func TestMessageOfEarlierOperation(t *testing.T) {
	for name, test := range map[string]struct{ ready, synced, want string }{
		"healthy":    {"True", "True", ""},
		"not ready":  {"False", "True", "Quota exceeded."},
		"not synced": {"True", "False", "Quota exceeded."},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
				condition("LastAsyncOperation", "False", "AsyncUpdateFailure", "Quota exceeded."),
				condition("Ready", test.ready, "Reason", ""), condition("Synced", test.synced, "Reason", ""),
			}}}}
			if got := status.RowOf(u).Message; got != test.want {
				t.Errorf("the message is %q, want %q", got, test.want)
			}
		})
	}
}
