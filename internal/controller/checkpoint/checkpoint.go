package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/utils/clock"

	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// secretType is the type of the Secrets.
const secretType corev1.SecretType = "landbridge.io/checkpoint"

const (
	dataMarks = "marks"
	// perSecret is the number of marks in one Secret: 512 KiB.
	perSecret = 512 << 10 / markSize
	markSize  = len(scheduler.Mark{})
)

const (
	// period is how often it is checked whether there is something to save.
	period = time.Minute
	// saveEvery is how long a few new marks wait until they are saved. Many are saved at the next
	// check.
	saveEvery = 10 * time.Minute
	// manyNew is the number of new marks that are saved as soon as there are no more of them. Each
	// stands for some events of its kind since the last save, and an API server tells a watch that
	// begins at Since of a hundred events at least.
	manyNew = 25
	// keepFor is how long marks of earlier processes are kept while this one has found fewer
	// resources at rest.
	keepFor = time.Hour
	// timeout bounds reading, and the last save.
	timeout = 10 * time.Second
)

// Checkpoint is the checkpoint of one shard, or of everything. All fields are required.
type Checkpoint struct {
	// Secrets accesses the Secrets of Landbridge's namespace. It must not cache.
	Secrets typedcorev1.SecretInterface
	// Name of the Secrets, before their numbers.
	Name string
	// Marks calls a function with the marks of all resources that are at rest now.
	Marks  func(func(scheduler.Mark))
	Clock  clock.WithTicker
	Logger logr.Logger

	read sync.Once
	mu   sync.Mutex
	// earlier are the marks that were read, and saved those in the Secrets, both sorted.
	earlier, saved []scheduler.Mark
	savedAt        time.Time
	// unsaved is the number of new marks at the last check.
	unsaved int
	// version is the resource version of the Secrets that were read.
	version string
}

// manyMarks is the number of marks from which it takes long to list the resources.
const manyMarks = 1000

// Since returns the resource version at which an earlier process left many marks; empty if there
// are none or few. API servers keep all objects in one etcd as a rule, so what has changed since
// then has a later version.
func (c *Checkpoint) Since() string {
	c.read.Do(c.load)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.earlier) < manyMarks {
		return ""
	}
	return c.version
}

// Has reports whether an earlier process has left a mark. The first call reads them.
func (c *Checkpoint) Has(m scheduler.Mark) bool {
	c.read.Do(c.load)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, found := slices.BinarySearchFunc(c.earlier, m, compare)
	return found
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (c *Checkpoint) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable. It saves marks until ctx is done, and then once more.
func (c *Checkpoint) Start(ctx context.Context) error {
	c.read.Do(c.load)
	ticker := c.Clock.NewTicker(period)
	defer ticker.Stop()
	started := c.Clock.Now()
	for {
		select {
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
			defer cancel()
			c.save(ending, started, true)
			return nil
		case <-ticker.C():
			c.save(ctx, started, false)
		}
	}
}

// load reads the marks of earlier processes. Without them, all resources are planned again.
func (c *Checkpoint) load() {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var marks []scheduler.Mark
	version := ""
	for i := 0; ; i++ {
		secret, err := c.Secrets.Get(ctx, c.secretName(i), metav1.GetOptions{})
		if err != nil {
			if !kerrors.IsNotFound(err) {
				c.Logger.Error(err, "Cannot read the checkpoint, planning all resources")
			}
			break
		}
		marks, version = append(marks, decode(secret.Data[dataMarks])...), secret.ResourceVersion
	}
	slices.SortFunc(marks, compare)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.earlier, c.saved, c.version = marks, marks, version
	c.Logger.V(1).Info("Read the checkpoint", "resources", len(marks))
}

// save saves the marks of now, if that is worth it.
func (c *Checkpoint) save(ctx context.Context, started time.Time, last bool) {
	var marks []scheduler.Mark
	c.Marks(func(m scheduler.Mark) { marks = append(marks, m) })
	slices.SortFunc(marks, compare)
	now := c.Clock.Now()
	c.mu.Lock()
	if now.Sub(started) >= keepFor {
		c.earlier = nil // what was not looked at since will not be
	}
	fresh := missing(marks, c.saved)
	over := fresh >= manyNew && fresh == c.unsaved
	c.unsaved = fresh
	worth := len(marks) >= len(c.earlier)-len(c.earlier)/10 && fresh > 0 &&
		(last || over || fresh >= len(marks)/10 || now.Sub(c.savedAt) >= saveEvery)
	c.mu.Unlock()
	if !worth {
		return
	}
	if err := c.write(ctx, marks); err != nil {
		c.Logger.V(1).Info("Cannot save the checkpoint", "error", err.Error())
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saved, c.savedAt = marks, now
	c.Logger.V(1).Info("Saved the checkpoint", "resources", len(marks))
}

// write replaces the marks in the Secrets.
func (c *Checkpoint) write(ctx context.Context, marks []scheduler.Mark) error {
	n := 0
	for chunk := range slices.Chunk(marks, perSecret) {
		if err := c.put(ctx, n, chunk); err != nil {
			return fmt.Errorf("cannot write the Secret %s: %w", c.secretName(n), err)
		}
		n++
	}
	for ; ; n++ {
		if err := c.Secrets.Delete(ctx, c.secretName(n), metav1.DeleteOptions{}); err != nil {
			if kerrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("cannot delete the Secret %s: %w", c.secretName(n), err)
		}
	}
}

// put writes one Secret, over whatever is there.
func (c *Checkpoint) put(ctx context.Context, i int, marks []scheduler.Mark) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: c.secretName(i)}, Type: secretType, Data: map[string][]byte{
			dataMarks: encode(marks),
		},
	}
	_, err := c.Secrets.Update(ctx, secret, metav1.UpdateOptions{})
	if kerrors.IsNotFound(err) {
		_, err = c.Secrets.Create(ctx, secret, metav1.CreateOptions{})
	}
	return err
}

func (c *Checkpoint) secretName(i int) string { return fmt.Sprintf("%s.%d", c.Name, i) }

// missing returns how many of some marks are not among others. Both are sorted.
func missing(some, others []scheduler.Mark) (n int) {
	for _, m := range some {
		for len(others) > 0 && compare(others[0], m) < 0 {
			others = others[1:]
		}
		if len(others) == 0 || others[0] != m {
			n++
		}
	}
	return n
}

func compare(a, b scheduler.Mark) int { return bytes.Compare(a[:], b[:]) }

func encode(marks []scheduler.Mark) []byte {
	out := make([]byte, 0, len(marks)*markSize)
	for _, m := range marks {
		out = append(out, m[:]...)
	}
	return out
}

// decode returns the marks that were encoded. Bytes that are too few for one are ignored.
func decode(b []byte) (marks []scheduler.Mark) {
	for ; len(b) >= markSize; b = b[markSize:] {
		marks = append(marks, scheduler.Mark(b[:markSize]))
	}
	return marks
}
