package managed

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewQuietClient is the client of a kind over a given one.
func NewQuietClient(c client.Client, gvk schema.GroupVersionKind) client.Client {
	return quietClientOf(c, c, gvk, newWritten())
}
