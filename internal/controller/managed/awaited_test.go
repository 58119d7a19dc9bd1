package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// What a plan does not show counts as unknown.
func TestAfterChanges(t *testing.T) {
	t.Parallel()
	change := func(path string, after any) any {
		out := m{"path": path, "before": "x"}
		if after != nil {
			out["after"] = after
		}
		return out
	}
	for name, x := range map[string]struct {
		changes []any
		want    m
	}{
		"none": {nil, m{"id": "1", "rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"known": {
			[]any{change("id", "2"), change("rule[0].port", int64(2))}, m{
				"id": "2", "rule": []any{m{"port": int64(2)}}, "zones": []any{"a"},
			},
		},
		"unknown": {[]any{change("id", "(known after apply)")}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"flagged": {
			[]any{m{"path": "id", "after": "a", "afterUnknown": true}}, m{
				"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"},
			},
		},
		"sensitive":           {[]any{change("id", "(sensitive value)")}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"null":                {[]any{change("id", nil)}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"an element of a set": {[]any{change("zones[*]", "b")}, m{"id": "1", "rule": []any{m{"port": int64(1)}}}},
		"what was not there": {
			[]any{change("name", "n"), change("other", nil)},
			m{"id": "1", "name": "n", "rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}},
		},
		"too many":              {[]any{change("id", "2"), change("…", "(7 more changes)")}, nil},
		"a shortened value":     {[]any{change("id", "222 …")}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"what cannot be a path": {[]any{change("id[", "2")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := managed.AfterChanges(m{"id": "1", "rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}, x.changes)
			if diff := cmp.Diff(x.want, m(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
