package results_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	kfake "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/results"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	manyTokens = 1000
	tokenLife  = time.Minute
	// renewedWithin is how late a renewal may be, and callTakes how long a call of the provider
	// takes.
	renewedWithin = 5 * time.Second
	callTakes     = 200 * time.Millisecond
	// workers are those of a kind, as by default.
	workers = 10
)

// bank opens many tokens, and notes how late each is renewed.
type bank struct {
	vault
	mu sync.Mutex
	// renew is when each token is to be renewed, by its private bytes.
	renew           map[string]time.Time
	opens, renewals int
	latest          time.Duration
}

func (b *bank) OpenEphemeral(_ context.Context, _ string, c cty.Value) (terraform.Opened, diagnostic.Diagnostics) {
	time.Sleep(callTakes)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opens++
	private := fmt.Sprint("private-", b.opens)
	b.renew[private] = time.Now().Add(tokenLife)
	out := c.AsValueMap()
	out["secret"] = cty.StringVal(fmt.Sprint("secret-", b.opens))
	return terraform.Opened{Open: terraform.Open{Private: []byte(private), RenewAt: b.renew[private]}, Result: cty.ObjectVal(out)}, nil
}

func (b *bank) RenewEphemeral(_ context.Context, _ string, o terraform.Open) (terraform.Open, diagnostic.Diagnostics) {
	time.Sleep(callTakes)
	b.mu.Lock()
	defer b.mu.Unlock()
	private := string(o.Private)
	b.latest = max(b.latest, time.Since(b.renew[private]))
	b.renewals++
	b.renew[private] = time.Now().Add(tokenLife)
	return terraform.Open{Private: o.Private, RenewAt: b.renew[private]}, nil
}

// banks is a ProviderConfigs that leases a bank.
type banks struct{ *bank }

func (b banks) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Handle[terraform.Executor]{Name: "configuration",
		Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return b.bank, func() {}, nil
		}}
}

// overdue returns how many tokens are to be renewed and are not.
func (b *bank) overdue() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range b.renew {
		if time.Since(at) > renewedWithin {
			n++
		}
	}
	return n
}

// quietly forgets events.
type quietly struct{}

func (quietly) Event(kruntime.Object, xpevent.Event)         {}
func (q quietly) WithAnnotations(...string) xpevent.Recorder { return q }

// Many ephemeral resources that last a minute are renewed in time by the workers of one kind, and
// nothing adds up.
func TestManyEphemeral(t *testing.T) {
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{}, EphemeralResources: map[string]*schema.Block{"cloud_token": {Attributes: map[string]*schema.Attribute{
			"name": {Type: cty.String, Optional: true}, "secret": {Type: cty.String, Computed: true},
		}}},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := &bank{renew: map[string]time.Time{}}
		claimed := make(chan struct{})
		close(claimed)
		stored := kfake.NewClientset()
		kind := &results.Kind{
			Kind: unmanaged.Kind{
				Model: p.EphemeralResources["cloud_token"], ProviderConfigs: banks{b}, Neighbours: &neighbours{},
				Options: managed.Options{Workers: workers, Timeout: time.Minute, MinBackoff: time.Second,
					MaxBackoff: time.Minute, Recorder: quietly{}, Logger: logr.Discard()},
			},
			Claimed: func() <-chan struct{} { return claimed }, HashKey: []byte("key"),
			Leases: results.Leases{Client: versioned{stored.CoreV1().Secrets("system")}},
		}
		var objects []client.Object
		for i := range manyTokens {
			name := fmt.Sprint("x", i)
			spec := named("a")
			spec["writeConnectionSecretToRef"] = map[string]any{"name": name}
			u := &unstructured.Unstructured{Object: map[string]any{
				"spec": spec, "status": map[string]any{"observedGeneration": int64(-1)},
				"metadata": map[string]any{"namespace": "team", "name": name, "uid": name, "generation": int64(1)},
			}}
			u.SetGroupVersionKind(kind.Model.GroupVersionKind())
			objects = append(objects, u)
		}
		api := fake.NewClientBuilder().WithScheme(core(t)).WithStatusSubresource(objects[0]).WithObjects(objects...).Build()
		r := results.NewReconciler(kind, api, api)
		queue := workqueue.NewTypedDelayingQueue[reconcile.Request]()
		r.Use(queue)
		var all sync.WaitGroup
		for range workers {
			all.Go(func() { work(t, r, queue) })
		}
		for _, o := range objects {
			queue.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(o)})
		}
		time.Sleep(80 * time.Second) // all were renewed once
		stored.ClearActions()
		before := heap()
		for range 14 {
			time.Sleep(5 * time.Second)
			if n := b.overdue(); n > 0 {
				t.Fatalf("%d are overdue by more than %s", n, renewedWithin)
			}
		}
		stored.ClearActions()
		after := heap()
		queue.ShutDown()
		all.Wait()
		b.mu.Lock()
		defer b.mu.Unlock()
		t.Logf("ephemeral: %d objects, %d renewals, the latest %s late, memory × %.2f", b.opens, b.renewals,
			max(b.latest, 0), float64(after)/float64(before))
		switch {
		case b.opens != manyTokens || b.renewals < 2*manyTokens:
			t.Errorf("%d were opened, and renewed %d times", b.opens, b.renewals)
		case b.latest > renewedWithin:
			t.Errorf("one was renewed %s late", b.latest)
		case float64(after) > 1.2*float64(before):
			t.Errorf("memory grew from %d to %d bytes", before, after)
		}
	})
}

// work reconciles what is queued, as a controller does.
func work(t *testing.T, r *results.Reconciler, queue workqueue.TypedDelayingInterface[reconcile.Request]) {
	for {
		request, over := queue.Get()
		if over {
			return
		}
		result, err := r.Reconcile(t.Context(), request)
		queue.Done(request)
		switch {
		case err != nil, result.Requeue: //nolint:staticcheck // RequeueAfter has no delay that grows
			queue.AddAfter(request, time.Second)
		case result.RequeueAfter > 0:
			queue.AddAfter(request, result.RequeueAfter)
		}
	}
}

// heap returns how much memory is in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
