package controller

import (
	"context"
	"sync"
	"unique"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// lostSecrets reports stored instances that were deleted. It watches the metadata of the Secrets
// only, and keeps no more than their names.
type lostSecrets struct {
	metadata  metadata.Interface
	namespace string
	// report is called with each deleted instance, also with those that this program deletes.
	report func(store.Key)
	// shard is that of the records that ofShard reports; the zero value for none.
	shard store.Shard

	mu sync.Mutex
	// known are the keys of all records.
	known map[store.Key]bool
	// stored are the records of the shard.
	stored map[store.Key]bool
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (l *lostSecrets) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable.
func (l *lostSecrets) Start(ctx context.Context) error {
	lists := secretsOf(l.metadata, l.namespace, store.Selector)
	cache.NewReflectorWithOptions(lists, &metav1.PartialObjectMetadata{}, l, cache.ReflectorOptions{Name: "lost-secrets"}).RunWithContext(ctx)
	return nil
}

// Add implements cache.ReflectorStore.
func (l *lostSecrets) Add(object any) error {
	secret, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	if k, ok := store.KeyOf(secret); ok {
		k.Group, k.Kind = unique.Make(k.Group).Value(), unique.Make(k.Kind).Value() // as those of many records
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.known == nil {
			l.known = map[store.Key]bool{}
		}
		l.known[k] = true
		if l.shard != (store.Shard{}) && store.ShardOf(secret) == l.shard {
			if l.stored == nil {
				l.stored = map[store.Key]bool{}
			}
			l.stored[k] = true
		} else {
			delete(l.stored, k)
		}
	}
	return nil
}

// ofShard reports whether the record of a resource belongs to the shard, as far as is known.
func (l *lostSecrets) ofShard(k store.Key) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stored[k]
}

// Update implements cache.ReflectorStore.
func (l *lostSecrets) Update(object any) error { return l.Add(object) }

// Delete implements cache.ReflectorStore.
func (l *lostSecrets) Delete(object any) error {
	secret, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	k, ok := store.KeyOf(secret)
	if !ok {
		return nil
	}
	l.mu.Lock()
	known := l.known[k]
	delete(l.known, k)
	delete(l.stored, k)
	l.mu.Unlock()
	if known {
		l.report(k)
	}
	return nil
}

// Replace implements cache.ReflectorStore. What is not listed any more was deleted while nothing
// watched.
func (l *lostSecrets) Replace(objects []any, _ string) error {
	l.mu.Lock()
	before := l.known
	l.stored = nil
	l.known = make(map[store.Key]bool, len(objects))
	l.mu.Unlock()
	for _, object := range objects {
		if err := l.Add(object); err != nil {
			return err
		}
	}
	for k := range before {
		l.mu.Lock()
		known := l.known[k]
		l.mu.Unlock()
		if !known {
			l.report(k)
		}
	}
	return nil
}

// Resync implements cache.ReflectorStore.
func (l *lostSecrets) Resync() error { return nil }
