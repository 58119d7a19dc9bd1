package status_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// The plan of a replacement shows what is replaced with the object. Resources of other namespaces
// are counted.
func TestProposalOfReplacement(t *testing.T) {
	replacement := map[string]any{"id": "1", "phase": "Planned", "approval": true, "dependents": []any{
		map[string]any{"uid": "a", "kind": "Datastore", "name": "store"}, map[string]any{"uid": "b"}, map[string]any{"uid": "c"},
	}}
	for name, tc := range map[string]struct{ action, want string }{
		"a replacement": {"DeleteThenCreate", "thing.example.org/web: DeleteThenCreate\nPlan 12\n" +
			"  replaced with it: Datastore store\n  replaced with it: 2 resources in other namespaces\n"},
		"another plan": {"Update", "thing.example.org/web: Update\nPlan 12\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := status.ProposalOf(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.org/v1", "kind": "Thing", "metadata": map[string]any{"namespace": "team", "name": "web"},
				"status": map[string]any{
					"plan": map[string]any{"action": tc.action, "hash": "12"}, "replacement": replacement,
					"conditions": []any{map[string]any{"type": "Approved", "status": "False", "reason": "AwaitingApproval"}},
				},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, p.Text()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
