package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// stored is an object in memory, with the API server's optimistic lock.
type stored[T metav1.Object] struct {
	mu      sync.Mutex
	object  T
	exists  bool
	version int
	copy    func(T) T
}

func (s *stored[T]) get() (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.exists {
		var none T
		return none, kerrors.NewNotFound(kschema.GroupResource{}, "x")
	}
	return s.copy(s.object), nil
}

func (s *stored[T]) put(o T, create bool) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case create && s.exists:
		return o, kerrors.NewAlreadyExists(kschema.GroupResource{}, "x")
	case !create && !s.exists:
		return o, kerrors.NewNotFound(kschema.GroupResource{}, "x")
	case !create && o.GetResourceVersion() != strconv.Itoa(s.version):
		return o, kerrors.NewConflict(kschema.GroupResource{}, "x", nil)
	}
	s.version++
	s.object, s.exists = s.copy(o), true
	s.object.SetResourceVersion(strconv.Itoa(s.version))
	return s.copy(s.object), nil
}

// leases has one Lease. away makes its requests fail.
type leases struct {
	coordinationv1client.LeaseInterface
	*stored[*coordinationv1.Lease]
	away atomic.Bool
}

func (l *leases) Get(context.Context, string, metav1.GetOptions) (*coordinationv1.Lease, error) {
	if l.away.Load() {
		return nil, kerrors.NewServiceUnavailable("away")
	}
	return l.get()
}

func (l *leases) Create(_ context.Context, o *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return l.put(o, true)
}

func (l *leases) Update(_ context.Context, o *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	return l.put(o, false)
}

// Replicas with the same number of shards hold the lease together. Others get it when none of them
// can hold it any more, and one that could not renew it for longer than its duration never holds it
// again.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const duration = 15 * time.Second
		object := &stored[*coordinationv1.Lease]{copy: (*coordinationv1.Lease).DeepCopy}
		start := func(holder string) (controller.Group, *leases, context.CancelFunc, chan error) {
			l := &leases{stored: object}
			g := controller.NewGroup(l, holder, duration)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				if err := g.Join(ctx); err != nil {
					ended <- err
					return
				}
				ended <- g.Keep(ctx)
			}()
			return g, l, cancel, ended
		}
		a, aLeases, _, aEnded := start("3 shards")
		synctest.Wait()
		b, _, stopB, bEnded := start("3 shards")
		synctest.Wait()
		other, _, stopOther, otherEnded := start("4 shards")
		never := func() {
			t.Helper()
			if (a.Holds() || b.Holds()) && other.Holds() {
				t.Fatal("both kinds of replicas hold the lease")
			}
		}
		together := func(d time.Duration) {
			for range int(d / (100 * time.Millisecond)) {
				time.Sleep(100 * time.Millisecond)
				never()
			}
		}
		together(time.Minute)
		if !a.Holds() || !b.Holds() || other.Holds() {
			t.Fatalf("those with the lease: %v, %v, %v", a.Holds(), b.Holds(), other.Holds())
		}
		aLeases.away.Store(true)
		together(duration)
		if a.Holds() || !b.Holds() {
			t.Fatalf("one is away: it holds %v, the other %v", a.Holds(), b.Holds())
		}
		together(duration)
		if err := <-aEnded; err == nil {
			t.Error("a replica that lost the lease goes on")
		}
		stopB()
		if err := <-bEnded; err != nil {
			t.Error(err)
		}
		together(3 * duration)
		if !other.Holds() {
			t.Error("the others never get the lease")
		}
		stopOther()
		<-otherEnded
		aLeases.away.Store(false)
		if a.Holds() {
			t.Error("a lost lease is held again")
		}
	})
}

// table has one Secret.
type table struct {
	typedcorev1.SecretInterface
	*stored[*corev1.Secret]
}

func (s table) Get(context.Context, string, metav1.GetOptions) (*corev1.Secret, error) {
	return s.get()
}
func (s table) Create(_ context.Context, o *corev1.Secret, _ metav1.CreateOptions) (*corev1.Secret, error) {
	return s.put(o, true)
}

func (s table) Update(_ context.Context, o *corev1.Secret, _ metav1.UpdateOptions) (*corev1.Secret, error) {
	return s.put(o, false)
}

// Whatever the shards see of the table, a shard uses a configuration only if the table that is
// stored says so, and resources of a type with configurations of one account are never confirmed in
// two shards, nor those of any types if a module uses one of them. When all have seen the same
// table, exactly one is responsible for a resource.
func TestWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		object := &stored[*corev1.Secret]{copy: (*corev1.Secret).DeepCopy}
		n := rapid.IntRange(1, 4).Draw(t, "n")
		var all []*sharding.Worker
		for number := range n {
			all = append(all, &sharding.Worker{Number: number, Placement: &sharding.Placement{
				Secrets: table{stored: object}, Name: "shards", Key: "key", Shards: n, Logger: logr.Discard(), Outdated: func(error) {},
			}})
		}
		accounts := map[string]ownership.Account{}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		types, modules := []string{"q", "r", "s"}, map[string]bool{}
		together := func(names []string) (out []ownership.Access) {
			for _, x := range names {
				out = append(out, ownership.Access{Configuration: x, Account: accounts[x]})
			}
			return out
		}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			w := rapid.IntRange(0, n-1).Draw(t, "shard")
			names := rapid.SliceOfNDistinct(name, 1, 2, rapid.ID[string]).Draw(t, "names")
			use := shard.Use{Configurations: names, Types: rapid.SliceOfNDistinct(rapid.SampledFrom(types), 1, 2, rapid.ID[string]).Draw(t, "types")}
			if rapid.IntRange(0, 7).Draw(t, "module") == 7 {
				use.Types = []string{shard.Any}
			}
			switch rapid.IntRange(0, 5).Draw(t, "do") {
			case 4, 5:
				if err := all[w].Divide(ctx, names[0], rapid.IntRange(0, 3).Draw(t, "split") > 0); err != nil {
					t.Fatal(err)
				}
			case 0:
				accounts[names[0]] = ownership.Account{Content: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "content")}
			case 1:
				if err := all[w].Placement.Start(ctx); err != nil {
					t.Fatal(err)
				}
			default:
				switch all[w].Belong(use) {
				case managed.Unplaced:
					if err := all[w].Place(ctx, together(names), use.Types); err != nil {
						t.Fatal(err)
					}
				case managed.Here:
					if use.Types[0] == shard.Any {
						modules[names[0]] = true
					}
					_ = all[w].Confirm(ctx, ownership.Access{Configuration: names[0], Account: accounts[names[0]]}, use.Types[0])
				}
			}
		}
		for _, w := range all {
			if err := w.Placement.Start(ctx); err != nil {
				t.Fatal(err)
			}
		}
		// Everybody sees the same now.
		names := []string{"a", "b", "c", "d", "e"}
		var uses []shard.Use
		for _, x := range names {
			for _, of := range types {
				uses = append(uses, shard.Use{Configurations: []string{x}, Types: []string{of}})
			}
			if modules[x] {
				uses = append(uses, shard.Use{Configurations: []string{x}, Types: []string{shard.Any}})
			}
		}
		for _, use := range uses {
			responsible := 0
			for _, w := range all {
				if w.Belong(use) != managed.Elsewhere {
					responsible++
				}
			}
			if responsible != 1 {
				t.Fatalf("%d shards are responsible for %s", responsible, use)
			}
		}
		for range 2 { // a confirmation may move others
			for _, use := range uses {
				for _, w := range all {
					if w.Belong(use) == managed.Here {
						_ = w.Confirm(ctx, together(use.Configurations)[0], use.Types[0])
					}
					for _, other := range all {
						if err := other.Placement.Start(ctx); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
		type one struct{ configuration, of string }
		used := map[one]int{}
		for _, use := range uses {
			for number, w := range all {
				if w.Belong(use) == managed.Here && w.Confirm(ctx, together(use.Configurations)[0], use.Types[0]) == nil {
					used[one{use.Configurations[0], use.Types[0]}] = number
				}
			}
		}
		for x, k := range used {
			for y, l := range used {
				if x.configuration != y.configuration && !accounts[x.configuration].Same(accounts[y.configuration]) {
					continue
				}
				if (x.of == y.of || x.of == shard.Any) && k != l {
					t.Fatalf("%s and %s are of one account, and are used in %d and %d", x, y, k, l)
				}
				if x.of == y.of && !slices.Contains(all[k].Company([]string{x.configuration}, x.of), y.configuration) {
					t.Fatalf("%s is used without %s, which is of the same account", x, y)
				}
			}
		}
	})
}

type sent struct{ requests []string }

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Header: http.Header{}}, nil
}

// The holders of other shards than the first change nothing that is not of their shard.
func TestFollower(t *testing.T) {
	next := &sent{}
	f := controller.Follow(next)
	for _, r := range []string{
		"GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/x",
		"PUT /apis/apiextensions.k8s.io/v1/customresourcedefinitions/x?fieldManager=y",
		"DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/x", "POST /apis/rbac.authorization.k8s.io/v1/clusterroles",
		"PATCH /apis/landbridge.io/v1alpha1/terraformproviders/x/status",
		"PUT /apis/landbridge.io/v1alpha1/namespaces/a/resourcequeries/x/status", "PUT /apis/random.landbridge.io/v1alpha1/namespaces/a/pets/x",
		"DELETE /api/v1/namespaces/a/secrets/x", "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
	} {
		method, url, _ := strings.Cut(r, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, "http://x"+url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := f.RoundTrip(request)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(fmt.Sprint(answer), err)
		}
		answer.Body.Close()
	}
	want := []string{
		"GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/x",
		"PUT /apis/apiextensions.k8s.io/v1/customresourcedefinitions/x?dryRun=All&fieldManager=y",
		"POST /apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All",
		"PATCH /apis/landbridge.io/v1alpha1/terraformproviders/x/status?dryRun=All",
		"PUT /apis/landbridge.io/v1alpha1/namespaces/a/resourcequeries/x/status",
		"PUT /apis/random.landbridge.io/v1alpha1/namespaces/a/pets/x", "DELETE /api/v1/namespaces/a/secrets/x",
		"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
	}
	if diff := cmp.Diff(want, next.requests); diff != "" {
		t.Error(diff)
	}
}
