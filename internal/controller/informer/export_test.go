package informer

import (
	"weak"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// NewDecoder exports newDecoder.
var NewDecoder = newDecoder

// Pack exports pack, and Unpacked unpacked.
var (
	Pack     = pack
	Unpacked = unpacked
)

// Unused makes a packed object one that is not in use.
func Unused(o any) { o.(*packed).last = weak.Pointer[unstructured.Unstructured]{} }

// NewListened returns a cache as NewCache does, and a function that is called with the objects that
// arrive.
func NewListened(c cache.Cache) (_ cache.Cache, arrives func(schema.GroupVersionKind, *unstructured.Unstructured)) {
	heard := &listeners{}
	return listened{Cache: c, listeners: heard}, heard.tell
}
