package references_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/references"
)

// Values that references have set are told from those of another hand by their field manager.
func TestSetByResolver(t *testing.T) {
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
					Manager: o.manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "a/v1",
					FieldsType: "FieldsV1", FieldsV1: fields, Subresource: o.subresource,
				})
			}
			if x.managers != nil {
				u.SetManagedFields(entries)
			}
			if got := references.SetByResolver(u, x.path); got != x.want {
				t.Errorf("got %t, want %t", got, x.want)
			}
		})
	}
}
