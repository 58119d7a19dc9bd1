package ui

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/landbridge-io/landbridge/internal/command/explain"
)

// maxText bounds the text of all objects that is searched, in bytes. Beyond it, objects are found
// by their names and identities alone.
const maxText = 64 << 20

// Index has the entries of all objects that the person may list. It is safe for concurrent use.
type Index struct {
	mu      sync.Mutex
	entries map[explain.Key]*Entry
	text    int // bytes of text
	version uint64
	changed chan struct{}
	listed  bool
	// unread are kinds that could not be listed, and why.
	unread map[string]string
	// types are the resource types that are served.
	types map[Served]bool
	// sorted are the entries in the order of compareKeys, unless unsorted is set. lent is set when
	// readers have the slice, which must not be changed then.
	sorted         []*Entry
	unsorted, lent bool
	// uses are those of the entry that was set last.
	uses []explain.Dependency
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{
		entries: map[explain.Key]*Entry{}, changed: make(chan struct{}), unread: map[string]string{},
		types: map[Served]bool{}, version: 1,
	}
}

// Set adds or replaces an entry.
func (x *Index) Set(e *Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.set(e)
	if at, found := x.place(e.Key); found {
		x.sorted[at] = e
	} else {
		x.sorted = slices.Insert(x.sorted, at, e)
	}
	x.bump()
}

func (x *Index) set(e *Entry) {
	e.compact()
	// Most objects need the same as the one before, such as one provider configuration.
	if slices.EqualFunc(e.Uses, x.uses, explain.Dependency.Same) {
		e.Uses = x.uses
	}
	x.uses = e.Uses
	if old := x.entries[e.Key]; old != nil {
		x.text -= len(old.text)
	}
	x.entries[e.Key] = e
	x.text += len(e.text)
}

// place returns where an entry is in sorted, or would be. The slice may be changed then.
func (x *Index) place(k explain.Key) (at int, found bool) {
	x.sort()
	if x.lent {
		x.sorted, x.lent = slices.Clone(x.sorted), false
	}
	return slices.BinarySearchFunc(x.sorted, k, func(e *Entry, k explain.Key) int { return compareKeys(e.Key, k) })
}

// sort makes sorted anew if many entries have changed.
func (x *Index) sort() {
	if !x.unsorted {
		return
	}
	x.sorted = make([]*Entry, 0, len(x.entries))
	for _, e := range x.entries {
		x.sorted = append(x.sorted, e)
	}
	slices.SortFunc(x.sorted, func(a, b *Entry) int { return compareKeys(a.Key, b.Key) })
	x.unsorted, x.lent = false, false
}

// Delete removes an entry.
func (x *Index) Delete(k explain.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at, found := x.place(k); found {
		x.sorted = slices.Delete(x.sorted, at, at+1)
	}
	x.remove(k)
	x.bump()
}

func (x *Index) remove(k explain.Key) {
	if old := x.entries[k]; old != nil {
		x.text -= len(old.text)
		delete(x.entries, k)
	}
}

// Replace replaces the entries of a kind in a namespace; "" is all namespaces.
func (x *Index) Replace(group, kind, namespace string, all []*Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for k := range x.entries {
		if k.Group == group && k.Kind == kind && (namespace == "" || namespace == k.Namespace) {
			x.remove(k)
		}
	}
	for _, e := range all {
		x.set(e)
	}
	x.unsorted = true
	x.bump()
}

// Full reports whether the text of more objects has no room.
func (x *Index) Full() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.text >= maxText
}

// SetListed records that all existing objects are in the index.
func (x *Index) SetListed() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.listed = true
	x.bump()
}

// SetUnread records why a kind cannot be listed; "" if it can.
func (x *Index) SetUnread(kind, why string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.unread[kind] == why {
		return
	}
	if x.unread[kind] = why; why == "" {
		delete(x.unread, kind)
	}
	x.bump()
}

// SetType records that a resource type is served.
func (x *Index) SetType(t Served) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.types[t] = true
}

// bump tells those who wait that something has changed. The lock is held.
func (x *Index) bump() {
	x.version++
	close(x.changed)
	x.changed = make(chan struct{})
}

// Version returns the version of the content, and a channel that is closed with the next one.
func (x *Index) Version() (uint64, <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.version, x.changed
}

// Content is what an index has at one time.
type Content struct {
	// Entries are sorted by kind, namespace and name.
	Entries []*Entry
	// Listed is set if all existing objects are there. Full is set if values of some are not
	// searched, since there are too many.
	Listed, Full bool
	// Unread are the kinds that could not be listed.
	Unread []Unread
	// Types are the resource types that are served, sorted by provider and name.
	Types   []Served
	Version uint64
}

// Unread is a kind that could not be listed.
type Unread struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`
}

// Content returns the content. Its entries must not be changed.
func (x *Index) Content() Content {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sort()
	x.lent = true
	out := Content{Entries: x.sorted, Listed: x.listed, Full: x.text >= maxText, Version: x.version}
	for kind, why := range x.unread {
		out.Unread = append(out.Unread, Unread{kind, why})
	}
	out.Types = slices.SortedFunc(maps.Keys(x.types), func(a, b Served) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Type, b.Type), strings.Compare(a.Kind, b.Kind))
	})
	slices.SortFunc(out.Unread, func(a, b Unread) int { return strings.Compare(a.Kind, b.Kind) })
	return out
}

// Find returns the entry of an object; nil if there is none.
func (c Content) Find(k explain.Key) *Entry {
	i, ok := slices.BinarySearchFunc(c.Entries, k, func(e *Entry, k explain.Key) int { return compareKeys(e.Key, k) })
	if !ok {
		return nil
	}
	return c.Entries[i]
}

func compareKeys(a, b explain.Key) int {
	return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Group, b.Group),
		strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// Users are the objects of a content by what they need.
type Users struct {
	content   Content
	named     map[explain.Key][]*Entry
	selecting []*Entry
}

// Users returns who needs what.
func (c Content) Users() Users {
	out := Users{content: c, named: map[explain.Key][]*Entry{}}
	for _, e := range c.Entries {
		selects := false
		for _, d := range e.Uses {
			if d.Name == "" {
				selects = true
			} else {
				out.named[d.Key] = append(out.named[d.Key], e)
			}
		}
		if selects {
			out.selecting = append(out.selecting, e)
		}
	}
	return out
}

// Of returns what depends on an object, directly or by others, the nearest first.
func (u Users) Of(k explain.Key) []*Entry {
	var out []*Entry
	reached := map[explain.Key]bool{k: true}
	for next := []explain.Key{k}; len(next) > 0; next = next[1:] {
		users := slices.Clone(u.named[next[0]])
		if at := u.content.Find(next[0]); at != nil {
			for _, e := range u.selecting {
				if slices.ContainsFunc(e.Uses, func(d explain.Dependency) bool { return d.Name == "" && d.Means(at.Key, at.Labels) }) {
					users = append(users, e)
				}
			}
		}
		for _, e := range users {
			if !reached[e.Key] {
				reached[e.Key] = true
				out, next = append(out, e), append(next, e.Key)
			}
		}
	}
	return out
}
