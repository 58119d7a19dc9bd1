package managed

import (
	"context"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	smdpath "sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// referencesOwner is the field manager of the values that references set. By it, what references have set is told apart from what
// another hand has.
const referencesOwner = client.FieldOwner("landbridge-references")

// wrote returns Resolver.Wrote of a resource. What the cache has of a resource has no managed fields, so it is read anew.
func (f referrer) wrote(r *CustomResource) func(context.Context, string) (bool, error) {
	var read *unstructured.Unstructured
	return func(ctx context.Context, path string) (bool, error) {
		if read == nil {
			u, err := f.kind.get(ctx, f.client.live, client.ObjectKeyFromObject(r))
			if err != nil {
				return false, err
			}
			read = u
		}
		return setByReferences(read, path), nil
	}
}

// setByReferences reports whether the value at a path was set by references, and by no other field manager.
func setByReferences(u *unstructured.Unstructured, path string) bool {
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
		if entry.Manager != string(referencesOwner) {
			return false
		}
		ours = true
	}
	return ours
}

// owns reports whether a set has the field at a path, something above it that is owned as a whole, or something below it.
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
