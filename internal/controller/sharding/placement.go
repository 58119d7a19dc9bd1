package sharding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
)

const (
	placementType corev1.SecretType = "landbridge.io/shards"
	placementData string            = "table.json"
)

// Placement is the table of provider configurations and their shards, on which all replicas agree:
// it is in a Secret, and each change is made to what is stored. It is not a ConfigMap because of
// the hashes in it.
type Placement struct {
	Secrets typedcorev1.SecretInterface
	// Name is that of the Secret, Key the id of the key of hashes.
	Name, Key string
	// Shards is the number of shards.
	Shards int
	Logger logr.Logger
	// Outdated is called when another replica uses another key.
	Outdated func(error)

	mu      sync.RWMutex
	table   shard.Table
	changed map[int]func(units []shard.Unit)
	// uses are those of the last call of End, and since is the table then.
	uses  []shard.Use
	since shard.Table
}

// Now returns the table as it was last seen.
func (p *Placement) Now() shard.Table {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.table
}

// Hear has a function called with what moves, until forget is called.
func (p *Placement) Hear(number int, changed func(units []shard.Unit)) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = map[int]func([]shard.Unit){}
	}
	p.changed[number] = changed
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.changed, number)
	}
}

// change changes the table. f may be called more than once. If the Secret was deleted, the table is
// stored again from memory.
func (p *Placement) change(ctx context.Context, f func(shard.Table) shard.Table) error {
	for {
		secret, err := p.Secrets.Get(ctx, p.Name, metav1.GetOptions{})
		missing := kerrors.IsNotFound(err)
		if err != nil && !missing {
			return fmt.Errorf("cannot read which shards provider configurations are in: %w", err)
		}
		stored := p.Now()
		if !missing {
			if stored, err = p.read(ctx, secret); errors.Is(err, errReplaced) {
				continue
			} else if err != nil {
				return err
			}
		}
		next := f(stored)
		if next.Serial == stored.Serial && !missing {
			p.adopt(stored)
			return nil
		}
		content, err := json.Marshal(next)
		if err != nil {
			return err
		}
		data, made, err := p.divide(ctx, content)
		if err != nil {
			return fmt.Errorf("cannot store which shards provider configurations are in: %w", err)
		}
		var former []part
		if missing {
			_, err = p.Secrets.Create(ctx, &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: p.Name}, Type: placementType, Data: data,
			}, metav1.CreateOptions{})
		} else {
			former, _ = partsOf(secret)
			secret.Data = data
			_, err = p.Secrets.Update(ctx, secret, metav1.UpdateOptions{})
		}
		switch {
		case err == nil:
			p.remove(ctx, former)
			p.adopt(next)
			return nil
		case kerrors.IsConflict(err), kerrors.IsAlreadyExists(err), kerrors.IsNotFound(err), kerrors.IsForbidden(err), kerrors.IsInvalid(err):
			p.remove(ctx, made) // the table was not written, so nothing points to them
		}
		switch {
		case !kerrors.IsConflict(err) && !kerrors.IsAlreadyExists(err) && !kerrors.IsNotFound(err):
			return fmt.Errorf("cannot store which shards provider configurations are in: %w", err)
		}
	}
}

// End ends what no resource needs any more: entries of configurations, and groups. uses are what
// resources use, and the configurations that exist. What was placed since the last call stays, and
// so does what was used then: a cache may be behind.
func (p *Placement) End(ctx context.Context, uses []shard.Use) error {
	p.mu.Lock()
	all, since, first := slices.Concat(p.uses, uses), p.since, p.since.Configurations == nil
	p.uses, p.since = uses, p.table
	now := p.table
	p.mu.Unlock()
	if first || now.Only(p.Shards, all, since).Equal(now) {
		return nil
	}
	return p.change(ctx, func(t shard.Table) shard.Table { return t.Only(p.Shards, all, since) })
}

// adopt makes a table that is stored the one in memory, unless that is newer.
func (p *Placement) adopt(t shard.Table) {
	p.mu.Lock()
	before := p.table
	if t.Serial <= before.Serial {
		p.mu.Unlock()
		return
	}
	p.table = t
	units := before.Changed(t)
	var tell []func([]shard.Unit)
	for _, f := range p.changed {
		tell = append(tell, f)
	}
	p.mu.Unlock()
	if t.Key != p.Key {
		p.Outdated(errors.New("another replica compares provider configurations by another key"))
		return
	}
	if len(units) > 0 {
		for _, f := range tell {
			f(units)
		}
	}
}

// Start reads the table, which is made if there is none.
func (p *Placement) Start(ctx context.Context) error {
	return p.change(ctx, func(t shard.Table) shard.Table { return t.Rekeyed(p.Key).Assign(p.Shards) })
}

// Watch adopts what other replicas store, until ctx is done.
func (p *Placement) Watch(ctx context.Context) {
	only := fields.OneTermEqualSelector(metav1.ObjectNameField, p.Name).String()
	lists := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = only
			return p.Secrets.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			return p.Secrets.Watch(ctx, o)
		},
	}
	cache.NewReflectorWithOptions(lists, &corev1.Secret{}, p.Store(), cache.ReflectorOptions{Name: "shards"}).RunWithContext(ctx)
}

// Store returns what a watch of the Secret is told to, which adopts each table.
func (p *Placement) Store() cache.ReflectorStore { return (*placementStore)(p) }

// placementStore is a Placement as a cache.ReflectorStore.
type placementStore Placement

// Add implements cache.ReflectorStore.
func (p *placementStore) Add(object any) error {
	secret, ok := object.(*corev1.Secret)
	if !ok {
		return fmt.Errorf("a Secret was expected, not %T", object)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	t, err := (*Placement)(p).read(ctx, secret)
	switch {
	case errors.Is(err, errReplaced): // the next version follows
	case err != nil:
		p.Logger.Error(err, "Cannot read which shards provider configurations are in")
	default:
		(*Placement)(p).adopt(t)
	}
	return nil
}

// Update implements cache.ReflectorStore.
func (p *placementStore) Update(object any) error { return p.Add(object) }

// Delete implements cache.ReflectorStore. The next change stores the table again.
func (p *placementStore) Delete(any) error { return nil }

// Replace implements cache.ReflectorStore.
func (p *placementStore) Replace(objects []any, _ string) error {
	for _, o := range objects {
		if err := p.Add(o); err != nil {
			return err
		}
	}
	return nil
}

// Resync implements cache.ReflectorStore.
func (p *placementStore) Resync() error { return nil }
