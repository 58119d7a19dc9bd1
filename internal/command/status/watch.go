package status

import (
	"context"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// Change is a resource whose row has changed.
type Change struct {
	Row
	// Gone is set when the resource was deleted.
	Gone bool
}

// rediscover is the interval at which new kinds are looked up.
const rediscover = 15 * time.Second

// Watch reports all resources of the kinds, and their changes, until ctx ends. Only changes of a
// Row count. kinds is called periodically, because new providers add kinds. listed is called once,
// when the existing resources were reported. The callbacks are never called concurrently.
func (c *Client) Watch(ctx context.Context, kinds func() ([]Kind, error), namespace string, listed func(), changed func(Change)) error {
	w := &watcher{cluster: c, namespace: namespace, changed: changed, rows: map[string]Row{}, watched: map[string]bool{}}
	found, err := kinds()
	if err != nil {
		return err
	}
	var synced []cache.InformerSynced
	for _, k := range found {
		s, err := w.watch(ctx, k)
		if err != nil {
			return err
		}
		if !k.Supporting { // which may not be listed, and then nothing waits for them
			synced = append(synced, s)
		}
	}
	// The wait for a kind that cannot be listed, without permission or CRD, is short.
	first, cancel := context.WithTimeout(ctx, 5*time.Second)
	cache.WaitForCacheSync(first.Done(), synced...)
	cancel()
	w.mu.Lock()
	listed()
	w.mu.Unlock()
	tick := time.NewTicker(rediscover)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		found, err := kinds()
		if err != nil {
			continue // it is asked again soon
		}
		for _, k := range found {
			if _, err := w.watch(ctx, k); err != nil {
				return err
			}
		}
	}
}

type watcher struct {
	cluster   *Client
	namespace string
	changed   func(Change)
	watched   map[string]bool // of one goroutine

	mu   sync.Mutex
	rows map[string]Row
}

// watch watches a kind, unless it is watched already.
func (w *watcher) watch(ctx context.Context, k Kind) (cache.InformerSynced, error) {
	if w.watched[k.String()] {
		return func() bool { return true }, nil
	}
	w.watched[k.String()] = true
	namespace := w.namespace
	if k.Cluster {
		namespace = ""
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(w.cluster.dynamic, k.GroupVersionResource, namespace, 0,
		cache.Indexers{}, nil).Informer()
	// The informer retries; its errors are not reported.
	if err := informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
		return nil, err
	}
	// Only the Row of a resource is needed.
	if err := informer.SetTransform(func(o any) (any, error) { return strip(o), nil }); err != nil {
		return nil, err
	}
	handle := func(gone bool) func(any) {
		return func(o any) {
			if d, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = d.Obj
			}
			if u, ok := o.(*unstructured.Unstructured); ok {
				w.handle(RowOf(u), gone)
			}
		}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: handle(false), UpdateFunc: func(_, o any) { handle(false)(o) }, DeleteFunc: handle(true),
	})
	if err != nil {
		return nil, err
	}
	go informer.RunWithContext(ctx)
	return registration.HasSynced, nil
}

// strip removes all of a resource that RowOf does not read.
func strip(o any) any {
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return o
	}
	u.SetManagedFields(nil)
	delete(u.Object, "spec")
	unstructured.RemoveNestedField(u.Object, "status", "atProvider")
	return u
}

func (w *watcher) handle(r Row, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if gone {
		delete(w.rows, r.Key())
		w.changed(Change{Row: r, Gone: true})
		return
	}
	if before, ok := w.rows[r.Key()]; ok && reflect.DeepEqual(before, r) {
		return
	}
	w.rows[r.Key()] = r
	w.changed(Change{Row: r})
}
