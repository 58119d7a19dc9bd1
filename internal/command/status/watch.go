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

// Change is a resource that is not as it was.
type Change struct {
	Row
	// Gone: there is no such resource any more.
	Gone bool
}

// rediscover is how often it is looked for kinds that are new.
const rediscover = 15 * time.Second

// Watch tells how all resources of the kinds are, and whenever one of them changes, until ctx
// ends. Only what a Row shows counts as a change. kinds is asked again now and then, since kinds
// come with providers. listed is called once, when the resources that were there were told of.
// Both callbacks are called one at a time.
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
		synced = append(synced, s)
	}
	// A kind that cannot be listed, for want of rights or of its CRD, is not waited for for long.
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

// watch watches a kind, unless that is done already.
func (w *watcher) watch(ctx context.Context, k Kind) (cache.InformerSynced, error) {
	if w.watched[k.String()] {
		return func() bool { return true }, nil
	}
	w.watched[k.String()] = true
	informer := dynamicinformer.NewFilteredDynamicInformer(w.cluster.dynamic, k.GroupVersionResource, w.namespace, 0, cache.Indexers{}, nil).Informer()
	// What goes wrong is tried again; the API server and its errors are nobody's concern here.
	if err := informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
		return nil, err
	}
	// A row holds all that is needed of a resource.
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

// strip leaves of a resource what a Row is read from.
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
