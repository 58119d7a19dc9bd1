package managed

import (
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// subject identifies a resource. A later one with the same name has another UID.
type subject struct {
	name types.NamespacedName
	uid  types.UID
}

func subjectOf(o metav1.Object) subject {
	return subject{name: types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}, uid: o.GetUID()}
}

// tracked is everything that this process remembers of one resource.
type tracked struct {
	uid types.UID
	// configuration is the translated one; nil if it is not known.
	configuration *configuration
	// status is what the status was made from.
	status writtenStatus
	// trouble is set while observations fail.
	trouble *trouble
	// written is the resource as this process has written it, until the cache has it.
	written *unstructured.Unstructured
	// unclaimed is set, when a controller starts, until the remote objects of the resource are
	// claimed.
	unclaimed bool
	// unready is set while the resource, which this process reconciled first, has not been ready.
	unready bool
}

// resources has what is remembered of each resource of a kind, until the resource is gone: of a
// resource that is gone, only the name is known.
type resources struct {
	// events is the number of events of resources.
	events atomic.Uint64

	mu     sync.Mutex
	byName map[types.NamespacedName]tracked
	// starting is set until the remote objects of existing resources are claimed.
	starting bool
}

func newResources() *resources { return &resources{byName: map[types.NamespacedName]tracked{}} }

// get returns what is remembered of a resource.
func (t *resources) get(of subject) tracked {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.load(of)
}

func (t *resources) load(of subject) tracked {
	if x := t.byName[of.name]; x.uid == of.uid {
		return x
	}
	return tracked{uid: of.uid}
}

// named returns the resource with a name of which something is remembered, and that; zero values if
// there is none.
func (t *resources) named(name types.NamespacedName) (of subject, x tracked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x = t.byName[name]
	return subject{name: name, uid: x.uid}, x
}

// update replaces what is remembered of a resource by what change makes of it.
func (t *resources) update(of subject, change func(tracked) tracked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.store(of.name, change(t.load(of)))
}

// revise is update for the resource with a name of which something is remembered, if there is one.
func (t *resources) revise(name types.NamespacedName, change func(tracked) tracked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x, ok := t.byName[name]; ok {
		t.store(name, change(x))
	}
}

func (t *resources) store(name types.NamespacedName, x tracked) {
	if x == (tracked{uid: x.uid}) {
		delete(t.byName, name)
		return
	}
	t.byName[name] = x
}

// each calls a function with what is remembered of all resources. It must not use them.
func (t *resources) each(f func(tracked)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.byName {
		f(x)
	}
}

// forget removes what is remembered of the resource with a name, but for what the cache does not
// have yet.
func (t *resources) forget(name types.NamespacedName) {
	t.revise(name, func(x tracked) tracked { return tracked{uid: x.uid, written: x.written} })
}

// gone removes everything that is remembered of the resource with a name, which does not exist.
func (t *resources) gone(name types.NamespacedName) {
	t.revise(name, func(tracked) tracked { return tracked{} })
}

// newer returns a resource as read, or as last written if that is newer.
func (t *resources) newer(name types.NamespacedName, read *unstructured.Unstructured) *unstructured.Unstructured {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.byName[name]
	if x.written == nil {
		return read
	}
	if x.uid == read.GetUID() {
		// Removing the last finalizer deletes the object without a new resource version.
		cmp, err := resourceversion.CompareResourceVersion(read.GetResourceVersion(), x.written.GetResourceVersion())
		if err == nil && (cmp < 0 || cmp == 0 && released(x.written)) {
			return x.written
		}
	}
	x.written = nil
	t.store(name, x)
	return read
}

// apart returns a copy of what is remembered of one resource, but for its configuration.
func (t *resources) apart(of subject) *resources {
	x := t.get(of)
	x.configuration = nil
	out := newResources()
	out.store(of.name, x)
	return out
}

// start has the resources recorded whose events arrive until unclaimed is called.
func (t *resources) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting = true
}

// received is called with each version of a resource that the cache gets, and with those that are
// gone from it.
func (t *resources) received(u *unstructured.Unstructured, gone bool) {
	of, version := subjectOf(u), u.GetResourceVersion()
	if gone {
		version = ""
	}
	t.changed(of.name, version)
	t.newer(of.name, u)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.starting && held(u) {
		x := t.load(of)
		x.unclaimed = true
		t.store(of.name, x)
	}
}

// unclaimed returns the names of the resources whose events have arrived since start.
func (t *resources) unclaimed() (out []types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting = false
	for name, x := range t.byName {
		if x.unclaimed {
			out = append(out, name)
			x.unclaimed = false
			t.store(name, x)
		}
	}
	return out
}
