package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/history"
	stored "github.com/landbridge-io/landbridge/internal/scheduler/store"
)

const (
	// followed is how long change records are followed after a look at them.
	followed = 15 * time.Minute
	// watched is how long one watch of them lasts, in seconds. One that ends much earlier is not
	// begun again.
	watched = 300
)

// records has of the change records what figures need: they are listed at the first look, and
// followed with a watch until they are not looked at any more.
type records struct {
	secrets typedcorev1.SecretInterface
	now     func() time.Time
	ended   <-chan struct{}

	mu sync.Mutex
	// known are those that are followed; nil if none are.
	known  *listing
	looked time.Time
}

// listing has change records by the name of their Secret.
type listing struct{ records map[string]record }

// record is a change record, or why it cannot be read.
type record struct {
	log history.Log
	err error
}

// all returns the change records of the last day, and an error for those that cannot be read. The
// API server is asked each time whether the person may list them.
func (r *records) all(ctx context.Context) ([]state.History, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.secrets.List(ctx, metav1.ListOptions{LabelSelector: stored.HeadSelector, Limit: 1}); err != nil {
		r.known = nil
		return nil, fmt.Errorf("the change records cannot be read: %w", err)
	}
	r.looked = r.now()
	if r.known == nil {
		version, err := r.list(ctx)
		if err != nil {
			r.known = nil
			return nil, fmt.Errorf("the change records cannot be read: %w", err)
		}
		go r.follow(r.known, version)
	}
	out := make([]state.History, 0, len(r.known.records))
	var errs []error
	for _, x := range r.known.records {
		if errs = append(errs, x.err); x.err == nil {
			out = append(out, state.History{Log: x.log})
		}
	}
	return out, errors.Join(errs...)
}

// list reads all change records, and returns the version to follow them from. The lock is held.
func (r *records) list(ctx context.Context) (version string, _ error) {
	r.known = &listing{records: map[string]record{}}
	for o := (metav1.ListOptions{LabelSelector: stored.HeadSelector, Limit: 500}); ; {
		list, err := r.secrets.List(ctx, o)
		if err != nil {
			return "", err
		}
		for i := range list.Items {
			r.set(r.known, &list.Items[i])
		}
		if o.Continue = list.Continue; o.Continue == "" {
			return list.ResourceVersion, nil
		}
	}
}

// set adds or replaces a change record, with what figures need of it.
func (r *records) set(to *listing, secret *corev1.Secret) {
	k, ok := stored.KeyOf(secret)
	if !ok {
		return
	}
	log, err := history.Decode(stored.HistoryOf(secret))
	if err != nil {
		to.records[secret.Name] = record{err: fmt.Errorf("%s: %w", state.Title(k), err)}
		return
	}
	from := r.now().Add(-(hours + 1) * time.Hour)
	kept := history.Log{Cut: log.Cut}
	for _, e := range log.Entries {
		if !e.At.Before(from) {
			kept.Entries = append(kept.Entries, history.Entry{At: e.At, Took: e.Took, Action: e.Action, Outcome: e.Outcome})
		}
	}
	kept.Entries = slices.Clip(kept.Entries)
	to.records[secret.Name] = record{log: kept}
}

// follow keeps the change records until they are not looked at any more, or cannot be watched: the
// next look lists them then.
func (r *records) follow(all *listing, version string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-r.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	for version != "" && r.wanted(all) {
		began := time.Now()
		w, err := r.secrets.Watch(ctx, metav1.ListOptions{
			LabelSelector: stored.HeadSelector, ResourceVersion: version, AllowWatchBookmarks: true, TimeoutSeconds: ptr.To(int64(watched)),
		})
		if err != nil {
			break
		}
		version = r.apply(all, w, version)
		w.Stop()
		if time.Since(began) < time.Second {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == all {
		r.known = nil
	}
}

// apply applies the events of a watch until it ends, and returns the version to go on from; empty
// if that is not possible.
func (r *records) apply(to *listing, w watch.Interface, version string) string {
	for event := range w.ResultChan() {
		o, ok := event.Object.(metav1.Object)
		if !ok || event.Type == watch.Error {
			return ""
		}
		version = o.GetResourceVersion()
		secret, ok := event.Object.(*corev1.Secret)
		if !ok || event.Type == watch.Bookmark {
			continue
		}
		r.mu.Lock()
		if event.Type == watch.Deleted {
			delete(to.records, secret.Name)
		} else {
			r.set(to, secret)
		}
		r.mu.Unlock()
	}
	return version
}

// wanted reports whether change records that are followed are still looked at.
func (r *records) wanted(all *listing) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known == all && r.now().Sub(r.looked) < followed
}
