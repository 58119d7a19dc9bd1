package managed

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewQuietClient is the client of a kind over a given one.
func NewQuietClient(c client.Client, gvk schema.GroupVersionKind) client.Client {
	return quietClientOf(c, c, gvk, newWritten())
}

// What is made of a kind.
var (
	Recognize       = recognize
	SpellImport     = spellImport
	IdentityHistory = identityHistory
	KnownTarget     = knownTarget
)

// ResourceOf is a custom resource as it was read.
func ResourceOf(u *unstructured.Unstructured) *Resource {
	r := &Resource{}
	r.assign(u)
	return r
}
