package ui

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/model"
)

// rediscover is the interval at which new kinds, and changed permissions, are looked up.
const rediscover = 15 * time.Second

// patience is how long the first lists may take before views say that they are not complete yet.
const patience = 10 * time.Second

// follower keeps an index up to date with a cluster.
type follower struct {
	index   *Index
	kinds   func() ([]status.Kind, error)
	reader  *explain.Reader
	dynamic dynamic.Interface
	rights  *rights
	// running are the kinds and namespaces that are watched; cancel ends one.
	running map[string]context.CancelFunc
	group   sync.WaitGroup
}

func newFollower(config *rest.Config, index *Index, c *status.Client, reader *explain.Reader, namespaces []string) (*follower, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // a list and a watch for each kind, and there may be many
	d, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	r, err := newRights(config, namespaces)
	if err != nil {
		return nil, err
	}
	return &follower{index: index, kinds: c.AllKinds, reader: reader, dynamic: d, rights: r, running: map[string]context.CancelFunc{}}, nil
}

// run follows the cluster until ctx ends.
func (f *follower) run(ctx context.Context) {
	defer f.group.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := f.look(ctx)
	select {
	case <-first:
	case <-time.After(patience): // views say which kinds are missing
	case <-ctx.Done():
	}
	f.index.SetListed()
	tick := time.NewTicker(rediscover)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f.look(ctx)
		}
	}
}

// look begins to watch what is not watched yet, and ends what is not served or permitted any more.
// The channel is closed when all that it began has listed.
func (f *follower) look(ctx context.Context) <-chan struct{} {
	done := make(chan struct{})
	kinds, err := f.kinds()
	if err != nil {
		f.index.SetUnread("kinds", err.Error())
		close(done)
		return done
	}
	f.index.SetUnread("kinds", "")
	var listed sync.WaitGroup
	wanted := map[string]bool{}
	for _, s := range f.rights.scopes(ctx, kinds) {
		name := s.String()
		wanted[name] = true
		if f.running[name] != nil {
			continue
		}
		listed.Add(1)
		watched, cancel := context.WithCancel(ctx)
		f.running[name] = cancel
		f.group.Go(func() { f.watch(watched, s, sync.OnceFunc(listed.Done)) })
	}
	if ctx.Err() == nil {
		for name, cancel := range f.running {
			if !wanted[name] {
				cancel()
				delete(f.running, name)
			}
		}
	}
	go func() { listed.Wait(); close(done) }()
	return done
}

// watch keeps the entries of a kind in a namespace until ctx ends. Then they are removed.
func (f *follower) watch(ctx context.Context, s scope, listed func()) {
	defer listed()
	defer f.index.Replace(s.kind.Group, s.kind.Kind, s.namespace, nil)
	to := &store{index: f.index, scope: s, listed: listed}
	gvk := s.kind.GroupVersion().WithKind(s.kind.Kind)
	var err error
	if to.snapshot, err = f.reader.KindSnapshot(ctx, gvk); err != nil {
		to.snapshot = &explain.Snapshot{} // what it depends on is not known then
	}
	if kind := s.kind.Kind + "." + s.kind.Group; s.kind.Mode == model.Managed && to.snapshot.Types[kind] != "" {
		f.index.SetType(Served{Provider: to.snapshot.Owners[kind], Type: to.snapshot.Types[kind], Kind: s.kind.Kind})
	}
	resource := f.dynamic.Resource(s.kind.GroupVersionResource).Namespace(s.namespace)
	// An object that may not be listed any more does not exist for the person.
	told := func(err error) {
		why := ""
		switch {
		case err == nil:
		case kerrors.IsForbidden(err), kerrors.IsNotFound(err), kerrors.IsUnauthorized(err):
			f.index.Replace(s.kind.Group, s.kind.Kind, s.namespace, nil)
			why = "It may not be listed, or is not served any more."
		case errors.Is(err, context.Canceled), kerrors.IsResourceExpired(err):
		default:
			why = fmt.Sprintf("It cannot be listed: %v", err)
		}
		f.index.SetUnread(s.String(), why)
		if why != "" {
			listed()
		}
	}
	lists := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			out, err := resource.List(ctx, o)
			told(err)
			return out, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			out, err := resource.Watch(ctx, o)
			if kerrors.IsForbidden(err) || kerrors.IsUnauthorized(err) {
				told(err)
			}
			return out, err
		},
	}
	expected := &unstructured.Unstructured{}
	expected.SetGroupVersionKind(gvk)
	quiet := logr.Discard() // it is tried again, and views say what could not be listed
	cache.NewReflectorWithOptions(lists, expected, to, cache.ReflectorOptions{Name: s.String(), Logger: &quiet}).RunWithContext(ctx)
	f.index.SetUnread(s.String(), "")
}

// store is a reflector's store that keeps entries instead of objects.
type store struct {
	index    *Index
	scope    scope
	snapshot *explain.Snapshot
	listed   func()
}

func (s *store) entry(object any) (*Entry, bool) {
	u, ok := object.(*unstructured.Unstructured)
	if !ok {
		return nil, false
	}
	return EntryOf(u, s.snapshot.Dependencies(u), !s.index.Full()), true
}

// Add implements cache.ReflectorStore.
func (s *store) Add(object any) error {
	if e, ok := s.entry(object); ok {
		s.index.Set(e)
	}
	return nil
}

// Update implements cache.ReflectorStore.
func (s *store) Update(object any) error { return s.Add(object) }

// Delete implements cache.ReflectorStore.
func (s *store) Delete(object any) error {
	if u, ok := object.(*unstructured.Unstructured); ok {
		s.index.Delete(explain.KeyOf(u))
	}
	return nil
}

// Replace implements cache.ReflectorStore.
func (s *store) Replace(objects []any, _ string) error {
	all := make([]*Entry, 0, len(objects))
	for _, o := range objects {
		if e, ok := s.entry(o); ok {
			all = append(all, e)
		}
	}
	s.index.Replace(s.scope.kind.Group, s.scope.kind.Kind, s.scope.namespace, all)
	s.listed()
	return nil
}

// Resync implements cache.ReflectorStore.
func (s *store) Resync() error { return nil }
