package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// Values that references have set are told from those of another hand by their field manager.
func TestSetByReferences(t *testing.T) {
	t.Parallel()
	const ours, theirs = "landbridge-references", "kubectl"
	const host, list, element = `{"f:spec":{"f:forProvider":{"f:host":{}}}}`, `{"f:spec":{"f:forProvider":{"f:rule":{}}}}`,
		`{"f:spec":{"f:forProvider":{"f:rule":{"k:{\"name\":\"a\"}":{"f:name":{},"f:port":{}}}}}}`
	type owned struct{ manager, fields, subresource string }
	for name, x := range map[string]struct {
		managers []owned
		path     string
		want     bool
	}{
		"ours":                              {[]owned{{ours, host, ""}}, "spec.forProvider.host", true},
		"another field":                     {[]owned{{ours, host, ""}}, "spec.forProvider.user", false},
		"without an owner":                  {nil, "spec.forProvider.host", false},
		"another hand's":                    {[]owned{{theirs, host, ""}}, "spec.forProvider.host", false},
		"of both":                           {[]owned{{ours, host, ""}, {theirs, host, ""}}, "spec.forProvider.host", false},
		"another hand has another field":    {[]owned{{ours, host, ""}, {theirs, list, ""}}, "spec.forProvider.host", true},
		"in a list that is owned as one":    {[]owned{{ours, list, ""}}, "spec.forProvider.rule[0].port", true},
		"in a list of elements with owners": {[]owned{{ours, element, ""}}, "spec.forProvider.rule[0].port", true},
		"the owner of the status":           {[]owned{{ours, host, ""}, {theirs, host, "status"}}, "spec.forProvider.host", true},
		"fields that cannot be read":        {[]owned{{ours, "x", ""}}, "spec.forProvider.host", false},
		"a path that cannot be read":        {[]owned{{ours, host, ""}}, "spec.forProvider[", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &unstructured.Unstructured{Object: m{"metadata": m{}}}
			var entries []metav1.ManagedFieldsEntry
			for _, o := range x.managers {
				fields := &metav1.FieldsV1{}
				fields.SetRawString(o.fields)
				entries = append(entries, metav1.ManagedFieldsEntry{
					Manager: o.manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "a/v1", FieldsType: "FieldsV1", FieldsV1: fields, Subresource: o.subresource,
				})
			}
			if x.managers != nil {
				u.SetManagedFields(entries)
			}
			if got := managed.SetByReferences(u, x.path); got != x.want {
				t.Errorf("got %t, want %t", got, x.want)
			}
		})
	}
}

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
		"none":                  {nil, m{"id": "1", "rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"known":                 {[]any{change("id", "2"), change("rule[0].port", int64(2))}, m{"id": "2", "rule": []any{m{"port": int64(2)}}, "zones": []any{"a"}}},
		"unknown":               {[]any{change("id", "(known after apply)")}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"flagged":               {[]any{m{"path": "id", "after": "a", "afterUnknown": true}}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"sensitive":             {[]any{change("id", "(sensitive value)")}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"null":                  {[]any{change("id", nil)}, m{"rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
		"an element of a set":   {[]any{change("zones[*]", "b")}, m{"id": "1", "rule": []any{m{"port": int64(1)}}}},
		"what was not there":    {[]any{change("name", "n"), change("other", nil)}, m{"id": "1", "name": "n", "rule": []any{m{"port": int64(1)}}, "zones": []any{"a"}}},
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
