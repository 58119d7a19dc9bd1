package upgrade

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// once reads each provider configuration once: many resources use the same one.
type once struct {
	client.Reader

	mu    sync.Mutex
	known map[string]read
}

// read is what a read has found.
type read struct {
	object *unstructured.Unstructured
	err    error
}

// Get implements client.Reader.
func (o *once) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	u, ok := into.(*unstructured.Unstructured)
	if !ok {
		return o.Reader.Get(ctx, key, into, options...)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	id := u.GetKind() + "/" + key.String()
	found, ok := o.known[id]
	if !ok {
		found.object = u.DeepCopy()
		found.err = o.Reader.Get(ctx, key, found.object, options...)
		if o.known == nil {
			o.known = map[string]read{}
		}
		o.known[id] = found
	}
	if found.err == nil {
		found.object.DeepCopyInto(u)
	}
	return found.err
}
