package demo

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestScreen(t *testing.T) {
	var out strings.Builder
	s := &screen{out: &out, start: time.Now(), steps: 2}
	u := &unstructured.Unstructured{Object: map[string]any{
		"kind": "File",
		"metadata": map[string]any{
			"name":        "greeting",
			"annotations": map[string]any{"crossplane.io/external-name": strings.Repeat("0123456789", 4)},
		},
		"status": map[string]any{
			"state":    "Full",
			"identity": map[string]any{"path": "/tmp"},
			"conditions": []any{
				map[string]any{"type": "Ready", "status": "True"},
				map[string]any{"type": "Synced", "status": "False"},
			},
			"plan": map[string]any{
				"action": "DeleteThenCreate", "requiresReplace": []any{"content"},
				"changes": []any{
					map[string]any{"path": "content", "before": "old", "after": "new"},
					map[string]any{"path": "id", "before": "1", "afterUnknown": true},
					map[string]any{"path": "mode", "after": int64(7)},
				},
			},
		},
	}}
	s.title("Change %s", "it")
	s.table([]*unstructured.Unstructured{u, {Object: map[string]any{"kind": "Pet", "metadata": map[string]any{"name": "new"}}}})
	s.plan(u)
	const want = `
[1/2] Change it

  NAME       KIND   READY   SYNCED   STATE   EXTERNAL-NAME                  IDENTITY
  greeting   File   True    False    Full    012345678901234567890123456…   {"path":"/tmp"}
  new        Pet    -       -        -       -                              -

           plan of file/greeting: DeleteThenCreate
             ~ content: "old" -> "new"   # forces a replacement
             ~ id: "1" -> (known after apply)
             ~ mode: (none) -> 7
`
	if got := out.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
