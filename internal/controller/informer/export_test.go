package informer

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// NewDecoder exports newDecoder.
var NewDecoder = newDecoder

// NewListened returns a cache as NewCache does, and a function that is called with the objects that arrive.
func NewListened(c cache.Cache) (_ cache.Cache, arrives func(schema.GroupVersionKind, *unstructured.Unstructured)) {
	heard := &listeners{}
	return listened{Cache: c, listeners: heard}, heard.tell
}
