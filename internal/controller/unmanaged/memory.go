package unmanaged

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Memory has what is remembered of each object between looks.
type Memory[L any] struct {
	mu  sync.Mutex
	all map[types.NamespacedName]remembered[L]
}

type remembered[L any] struct {
	uid  types.UID
	look L
}

// Recall returns what is remembered of an object; zero if nothing is.
func (m *Memory[L]) Recall(o client.Object) (out L) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.all[client.ObjectKeyFromObject(o)]; known.uid == o.GetUID() {
		out = known.look
	}
	return out
}

// Remember replaces what is remembered of an object.
func (m *Memory[L]) Remember(o client.Object, look L) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[types.NamespacedName]remembered[L]{}
	}
	m.all[client.ObjectKeyFromObject(o)] = remembered[L]{o.GetUID(), look}
}

// Forget forgets an object.
func (m *Memory[L]) Forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, name)
}
