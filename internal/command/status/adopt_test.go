package status_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

type m = map[string]any

// The patch has what is remote in the drifted fields, and nothing else.
func TestAdoptDrift(t *testing.T) {
	text := m{"type": "string"}
	rule := m{"type": "object", "properties": m{"port": m{"type": "integer"}, "name": text}}
	schema := m{"properties": m{"rules": m{"type": "array", "items": rule}, "open": m{"type": "object", "additionalProperties": rule}}}
	change := func(path string, after any) any { return m{"path": path, "before": "x", "after": after} }
	for name, test := range map[string]struct {
		spec, at m
		changes  []any
		patch    m
		removed  []string
		left     []string
	}{
		"a number": {
			m{"size": int64(1), "name": "a"}, m{"size": int64(2), "name": "b"}, []any{change("size", int64(2))},
			m{"size": int64(2)}, nil, nil,
		},
		"a long":    {m{"text": "x"}, m{"text": "the whole text"}, []any{change("text", "the who…")}, m{"text": "the whole text"}, nil, nil},
		"a removed": {m{"size": int64(1)}, m{}, []any{change("size", nil)}, m{"size": nil}, []string{"size"}, nil},
		"keys of a map": {
			m{"tags": m{"a": "1", "b.c": "1"}}, m{"tags": m{"b.c": "2", "d": "3"}},
			[]any{change(`tags["a"]`, nil), change(`tags["b.c"]`, "2"), change(`tags["d"]`, "3")},
			m{"tags": m{"a": nil, "b.c": "2", "d": "3"}},
			[]string{"tags.a"}, nil,
		},
		"a map that spec lacks": {m{}, m{"tags": m{"a": "1"}}, []any{change("tags[\"a\"]", "1")}, m{"tags": m{"a": "1"}}, nil, nil},
		"an element of a list": {
			m{"zones": []any{"a", "b"}}, m{"zones": []any{"a", "c"}}, []any{change("zones[1]", "c")},
			m{"zones": []any{"a", "c"}}, nil, nil,
		},
		"an element of a set": {
			m{"zones": []any{"a", "b"}}, m{"zones": []any{"c", "a"}},
			[]any{change("zones[*]", nil), change("zones[*]", "c")}, m{"zones": []any{"c", "a"}}, nil, nil,
		},
		"a longer list": {
			m{"zones": []any{"a"}}, m{"zones": []any{"a", "b"}}, []any{change("zones[1]", "b")},
			m{"zones": []any{"a", "b"}}, nil, nil,
		},
		"a field in a list": {
			m{"rules": []any{m{"port": int64(1), "name": "x"}}},
			m{"rules": []any{m{"port": int64(2), "name": "x", "id": "computed"}}}, []any{
				change("rules[0].port", int64(2)),
			}, m{"rules": []any{m{"port": int64(2), "name": "x"}}}, nil, nil,
		},
		"a longer list of rules": {
			m{"rules": []any{}}, m{"rules": []any{m{"port": int64(2), "id": "computed"}}},
			[]any{change("rules[0].port", int64(2))}, m{"rules": []any{m{"port": int64(2)}}}, nil, nil,
		},
		"a nested field": {
			m{"open": m{"in": m{"port": int64(1)}}}, m{"open": m{"in": m{"port": int64(2)}}},
			[]any{change("open.in.port", int64(2))}, m{"open": m{"in": m{"port": int64(2)}}}, nil, nil,
		},
		"beside a sensitive": {
			m{"size": int64(1), "passwordSecretRef": m{"name": "s"}}, m{"size": int64(2)},
			[]any{change("size", int64(2)), m{"path": "password", "afterSensitive": true}},
			m{"size": int64(2)},
			nil,
			[]string{"password: the value is not in status.atProvider, since it is sensitive or too long"},
		},
		"beside a Secret in a list": {
			m{"size": int64(1), "users": []any{m{"tokenSecretRef": m{"name": "s"}}}}, m{"size": int64(2), "users": []any{}},
			[]any{change("size", int64(2)), change("users[0].name", nil)},
			m{"size": int64(2)},
			nil,
			[]string{"users[0].name: it has references to Secrets, which are not in status.atProvider. Change it yourself"},
		},
		"and more": {
			m{}, m{"a": "1"},
			[]any{change("a", "1"), change("…", "(3 more changes)")},
			m{"a": "1"},
			nil,
			[]string{"…: the status does not show all changes. Adopt these first, and then again"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{
				Object: m{
					"spec": m{"forProvider": test.spec}, "status": m{
						"atProvider": test.at, "drift": m{"changes": test.changes},
					},
				},
			}
			got, err := status.AdoptionOf(u, func() (m, error) { return schema, nil })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m{"spec": m{"forProvider": test.patch}}, got.Patch); diff != "" {
				t.Errorf("the patch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([][]string{test.removed, test.left}, [][]string{got.Removed, got.Left}); diff != "" {
				t.Errorf("removed, and left (-want +got):\n%s", diff)
			}
		})
	}
	for name, drift := range map[string]m{
		"no drift": {}, "gone": {"gone": true},
		"nothing to adopt": {"changes": []any{m{"path": "password", "afterSensitive": true}}},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: m{"status": m{"drift": drift}}}
			if got, err := status.AdoptionOf(u, nil); err == nil {
				t.Errorf("got %v", got.Patch)
			}
		})
	}
}
