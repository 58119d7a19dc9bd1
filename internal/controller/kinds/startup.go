package kinds

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// startupLimit bounds the startup: kinds that cannot be served again do not block the deletion of
// what their resources may refer to for longer.
const startupLimit = 2 * time.Minute

// startup is the time after a start of the controller in which kinds that were served before are
// not all served again. It begins with the zero value.
type startup struct {
	mu                             sync.Mutex
	ended, claimed, modulesClaimed chan struct{}
	// news is closed, and replaced, when a source was attempted, or another kind is served.
	news      chan struct{}
	attempted map[Source]bool
}

// Source is an object that kinds are served for.
type Source struct{ Kind, Name string }

// ModuleSource is Source.Kind of modules.
const ModuleSource = "TerraformModule"

// begun makes the channels. The mutex is held.
func (s *startup) begun() {
	if s.ended == nil {
		s.ended, s.claimed, s.modulesClaimed, s.news = make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	}
}

// channel returns one of the channels.
func (s *startup) channel(of *chan struct{}) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun()
	return *of
}

// tell has await look again.
func (s *startup) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun()
	close(s.news)
	s.news = make(chan struct{})
}

// await waits until done. Otherwise done returns a channel that is closed when it may be; nil if
// tell is called then.
func (s *startup) await(ctx context.Context, done func() (ok bool, otherwise <-chan struct{})) {
	for {
		news := s.channel(&s.news)
		ok, otherwise := done()
		if ok {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-news:
		case <-otherwise:
		}
	}
}

func (s *startup) attemptedAll(of []Source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(of, func(source Source) bool { return !s.attempted[source] })
}

// Attempted records that the kinds of a source are served, or that they cannot be served now.
func (r *Registry) Attempted(source Source) {
	s := &r.startup
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempted == nil {
		s.attempted = map[Source]bool{}
	}
	s.attempted[source] = true
}

// Settled returns a channel that is closed when all kinds that were served before are served again,
// as far as possible, and the references of all their resources are known.
func (r *Registry) Settled() <-chan struct{} { return r.startup.channel(&r.startup.ended) }

// Claimed returns a channel that is closed when the remote objects of all these resources are
// claimed, too.
func (r *Registry) Claimed() <-chan struct{} { return r.startup.channel(&r.startup.claimed) }

// ModulesClaimed returns a channel that is closed when those of the resources of modules are
// claimed.
func (r *Registry) ModulesClaimed() <-chan struct{} {
	return r.startup.channel(&r.startup.modulesClaimed)
}

// objectsClaimed is Kind.ObjectsClaimed of the kinds of modules.
func objectsClaimed(k *managed.Kind) <-chan struct{} {
	if k.HasObjectsOfAnyType() {
		return k.ObjectsClaimed()
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

// all reports whether a channel of all served kinds is closed. Otherwise it returns one that is
// not.
func (r *Registry) all(of func(*managed.Kind) <-chan struct{}) (ok bool, open <-chan struct{}) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.kinds {
		c := of(k)
		select {
		case <-c:
		default:
			return false, c
		}
	}
	return true, nil
}

// Settle waits until the kinds of all expected sources were attempted, and then closes Settled and
// Claimed. It closes ModulesClaimed before, if it can.
func (r *Registry) Settle(ctx context.Context, expected ...func(context.Context) ([]Source, error)) error {
	until, cancel := context.WithTimeout(ctx, startupLimit)
	defer cancel()
	var all []Source
	// A failed request is made again.
	_ = wait.PollUntilContextCancel(until, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		all = nil
		for _, list := range expected {
			sources, err := list(ctx)
			if err != nil {
				return false, nil
			}
			all = append(all, sources...)
		}
		return true, nil
	})
	var modules []Source
	for _, source := range all {
		if source.Kind == ModuleSource {
			modules = append(modules, source)
		}
	}
	var claimed sync.WaitGroup
	claimed.Go(func() {
		r.startup.await(until, func() (bool, <-chan struct{}) { return r.startup.attemptedAll(modules), nil })
		r.startup.await(ctx, func() (bool, <-chan struct{}) { return r.all(objectsClaimed) })
		closeUnless(ctx, r.startup.channel(&r.startup.modulesClaimed))
	})
	defer claimed.Wait()
	r.startup.await(until, func() (bool, <-chan struct{}) {
		if !r.startup.attemptedAll(all) {
			return false, nil
		}
		return r.all((*managed.Kind).Listed)
	})
	closeUnless(ctx, r.startup.channel(&r.startup.ended))
	r.startup.await(ctx, func() (bool, <-chan struct{}) { return r.all((*managed.Kind).ObjectsClaimed) })
	closeUnless(ctx, r.startup.channel(&r.startup.claimed))
	return nil
}

// closeUnless closes a channel unless ctx is done.
func closeUnless(ctx context.Context, c chan struct{}) {
	if ctx.Err() == nil {
		close(c)
	}
}
