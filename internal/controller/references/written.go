package references

import (
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	smdpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owner is the field manager of the values that references set. By it, what references have set is
// told apart from what another hand has.
const Owner = client.FieldOwner("landbridge-references")

// SetByResolver reports whether the value at a path of a resource, with its managed fields, was set
// by a resolver, and by no other hand.
func SetByResolver(u *unstructured.Unstructured, path string) bool {
	segments, err := fieldpath.Parse(path)
	if err != nil {
		return false
	}
	ours := false
	for _, entry := range u.GetManagedFields() {
		if entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		set := &smdpath.Set{}
		if set.FromJSON(strings.NewReader(entry.FieldsV1.GetRawString())) != nil || !owns(set, segments) {
			continue
		}
		if entry.Manager != string(Owner) {
			return false
		}
		ours = true
	}
	return ours
}

// owns reports whether a set has the field at a path, something above it that is owned as a whole,
// or something below it.
func owns(set *smdpath.Set, path fieldpath.Segments) bool {
	for _, s := range path {
		if s.Type != fieldpath.SegmentField {
			return !set.Empty() // elements of lists that are maps are not told apart
		}
		e := smdpath.PathElement{FieldName: &s.Field}
		below, ok := set.Children.Get(e)
		if !ok {
			return set.Members.Has(e)
		}
		set = below
	}
	return true
}
