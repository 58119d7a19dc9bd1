package informer

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unique"
	"weak"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	sjson "sigs.k8s.io/json"
)

// packed is an object in the cache, as compressed JSON: that takes a tenth of the memory of its
// maps (BenchmarkPack). Most objects are read once in each poll interval.
type packed struct {
	namespace, name, version string
	// labels are the labels as a labels.Set is formatted, which many objects have in common.
	labels unique.Handle[string]
	object []byte

	mu sync.Mutex
	// last is what unpack has returned last, as long as it is in use.
	last weak.Pointer[unstructured.Unstructured]
}

// GetObjectMeta implements metav1.ObjectMetaAccessor, for the store of an informer. It has no other
// fields.
func (p *packed) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: p.namespace, Name: p.name, ResourceVersion: p.version}
}

// pack returns an unstructured object as packed, without managed fields, which no controller reads.
// Anything else stays as it is.
func pack(in any) (any, error) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in, nil
	}
	if _, managed, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields"); managed {
		u.SetManagedFields(nil) // the object is not shared yet: the decoder leaves them out of its events
	}
	object, err := json.Marshal(u.Object)
	if err != nil {
		return nil, fmt.Errorf("cannot pack an object: %w", err)
	}
	return &packed{
		namespace: unique.Make(u.GetNamespace()).Value(), name: u.GetName(), version: u.GetResourceVersion(),
		labels: unique.Make(labels.Set(u.GetLabels()).String()), object: compress(object), last: weak.Make(u),
	}, nil
}

// buffers have the JSON of objects while they are unpacked.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// unpack returns the object, which must not be changed.
func (p *packed) unpack() *unstructured.Unstructured {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.last.Value()
	if u == nil {
		u = &unstructured.Unstructured{}
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		object, err := decompress(p.object, (*buffer)[:0])
		if err == nil {
			*buffer = object
			err = sjson.UnmarshalCaseSensitivePreserveInts(object, &u.Object)
		}
		if err != nil {
			panic(fmt.Sprintf("an object that was packed cannot be unpacked: %s", err))
		}
		p.last = weak.Make(u)
	}
	return u
}

// unpacked returns an object of an informer as those see it that use the informer.
func unpacked(object any) any {
	switch o := object.(type) {
	case *packed:
		return o.unpack()
	case toolscache.DeletedFinalStateUnknown:
		o.Obj = unpacked(o.Obj)
		return o
	default:
		return object
	}
}

// packing is an informer whose objects are packed, and are unpacked for those that use it.
type packing struct{ toolscache.SharedIndexInformer }

// newPacking returns an informer that packs its objects.
func newPacking(lw toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, x toolscache.Indexers) packing {
	out := packing{toolscache.NewSharedIndexInformer(lw, obj, resync, x)}
	_ = out.SharedIndexInformer.SetTransform(pack) // fails only after the start
	return out
}

// SetTransform implements cache.SharedInformer. Objects are packed, and not otherwise transformed.
func (packing) SetTransform(toolscache.TransformFunc) error { return nil }

// GetStore implements cache.SharedInformer.
func (p packing) GetStore() toolscache.Store { return p.GetIndexer() }

// GetIndexer implements cache.SharedIndexInformer.
func (p packing) GetIndexer() toolscache.Indexer {
	return unpacking{p.SharedIndexInformer.GetIndexer()}
}

// AddEventHandler implements cache.SharedInformer.
func (p packing) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return p.SharedIndexInformer.AddEventHandler(unpackingHandler{h})
}

// AddEventHandlerWithResyncPeriod implements cache.SharedInformer.
func (p packing) AddEventHandlerWithResyncPeriod(
	h toolscache.ResourceEventHandler, period time.Duration,
) (toolscache.ResourceEventHandlerRegistration, error) {
	return p.SharedIndexInformer.AddEventHandlerWithResyncPeriod(unpackingHandler{h}, period)
}

// AddEventHandlerWithOptions implements cache.SharedInformer.
func (p packing) AddEventHandlerWithOptions(
	h toolscache.ResourceEventHandler, o toolscache.HandlerOptions,
) (toolscache.ResourceEventHandlerRegistration, error) {
	return p.SharedIndexInformer.AddEventHandlerWithOptions(unpackingHandler{h}, o)
}

// unpackingHandler passes objects on unpacked.
type unpackingHandler struct {
	next toolscache.ResourceEventHandler
}

// OnAdd implements cache.ResourceEventHandler.
func (h unpackingHandler) OnAdd(o any, initial bool) { h.next.OnAdd(unpacked(o), initial) }

// OnUpdate implements cache.ResourceEventHandler.
func (h unpackingHandler) OnUpdate(before, now any) { h.next.OnUpdate(unpacked(before), unpacked(now)) }

// OnDelete implements cache.ResourceEventHandler.
func (h unpackingHandler) OnDelete(o any) { h.next.OnDelete(unpacked(o)) }

// unpacking is the indexer of an informer whose objects are read unpacked.
type unpacking struct{ toolscache.Indexer }

// List implements cache.Store.
func (x unpacking) List() []any { return each(x.Indexer.List()) }

// Get implements cache.Store.
func (x unpacking) Get(object any) (any, bool, error) {
	o, ok, err := x.Indexer.Get(object)
	return unpacked(o), ok, err
}

// GetByKey implements cache.Store.
func (x unpacking) GetByKey(key string) (any, bool, error) {
	o, ok, err := x.Indexer.GetByKey(key)
	return unpacked(o), ok, err
}

// Index implements cache.Indexer.
func (x unpacking) Index(name string, object any) ([]any, error) {
	all, err := x.Indexer.Index(name, object)
	return each(all), err
}

// ByIndex implements cache.Indexer.
func (x unpacking) ByIndex(name, value string) ([]any, error) {
	all, err := x.Indexer.ByIndex(name, value)
	return each(all), err
}

func each(all []any) []any {
	for i := range all {
		all[i] = unpacked(all[i])
	}
	return all
}
