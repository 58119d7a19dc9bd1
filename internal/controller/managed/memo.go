package managed

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// subject identifies a resource. A later one with the same name has another UID.
type subject struct {
	name types.NamespacedName
	uid  types.UID
}

func subjectOf(o metav1.Object) subject {
	return subject{name: types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}, uid: o.GetUID()}
}

// memo holds a value for each resource, until the resource is gone: of a resource that is gone, only the
// name is known.
type memo[V any] struct {
	mu     sync.Mutex
	byName map[types.NamespacedName]memoized[V]
}

type memoized[V any] struct {
	uid   types.UID
	value V
}

// get returns the value of a resource; the zero value if there is none.
func (m *memo[V]) get(of subject) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.load(of)
}

func (m *memo[V]) load(of subject) (value V) {
	if found := m.byName[of.name]; found.uid == of.uid {
		return found.value
	}
	return value
}

// set replaces the value of a resource.
func (m *memo[V]) set(of subject, value V) {
	m.update(of, func(V) V { return value })
}

// update replaces the value of a resource by what change makes of it, and returns it.
func (m *memo[V]) update(of subject, change func(V) V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	value := change(m.load(of))
	if m.byName == nil {
		m.byName = map[types.NamespacedName]memoized[V]{}
	}
	m.byName[of.name] = memoized[V]{uid: of.uid, value: value}
	return value
}

// named returns the resource with a name that has a value, and the value; zero values if there is none.
func (m *memo[V]) named(name types.NamespacedName) (of subject, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.byName[name]
	return subject{name: name, uid: found.uid}, found.value
}

// revise replaces the value of the resource with a name, if there is one, by what change makes of it.
func (m *memo[V]) revise(name types.NamespacedName, change func(V) V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.byName[name]; ok {
		m.byName[name] = memoized[V]{uid: found.uid, value: change(found.value)}
	}
}

// each calls a function with the values of all resources. It must not use the memo.
func (m *memo[V]) each(f func(V)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, found := range m.byName {
		f(found.value)
	}
}

// forget removes the value of the resource with a name.
func (m *memo[V]) forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.byName, name)
}
