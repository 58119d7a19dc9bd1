//go:build !race

package scheduler_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// manyObjects is a module of many objects: its state is large, and so is the journal of an
// operation.
type manyObjects struct {
	*cloud
	state []byte
	steps [][]byte // of the journal
	// recovered is the journal that Recover was called with.
	recovered []byte
}

func incompressible(seed uint64, size int) []byte {
	b := make([]byte, size)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Refresh keeps the state of the module, which is in the private bytes.
func (x *manyObjects) Refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	out, diags := x.cloud.Refresh(ctx, r, in)
	out.Instance.Private = in.Private
	return out, diags
}

func (*manyObjects) Changed([]byte) []string { return nil }

func (*manyObjects) Left(instance.Instance) map[string]map[string]string { return nil }

func (x *manyObjects) ApplyJournaled(
	ctx context.Context, p terraform.Plan, record func([]byte) error,
) (instance.Instance, diagnostic.Diagnostics) {
	for _, step := range x.steps {
		if err := record(step); err != nil {
			return p.Prior, append(diagnostic.Errorf("Not recorded", "%s.", err), terraform.OutcomeUnknownError("test_thing")...)
		}
	}
	out, diags := x.Apply(ctx, p)
	out.Private = x.state
	return out, diags
}

func (x *manyObjects) Recover(
	_ context.Context, _ terraform.ResourceType, in instance.Instance, op *instance.Operation, _ bool, _ time.Time,
) (instance.Instance, diagnostic.Diagnostics) {
	x.recovered = op.Journal
	return in, nil
}

// mortal is a connection to the API server that ends after a number of writes of heads.
type mortal struct {
	typedcorev1.SecretInterface
	left atomic.Int64
}

func (m *mortal) Update(ctx context.Context, s *corev1.Secret, o metav1.UpdateOptions) (*corev1.Secret, error) {
	if m.left.Add(-1) < 0 {
		return nil, errors.New("the connection is lost")
	}
	return m.SecretInterface.Update(ctx, s, o)
}

// A module's large state and journal are stored by the real store, and recovered from it.
func TestLargeJournal(t *testing.T) {
	server := playgroundtest.Start(t)
	kube, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	secrets := kube.CoreV1().Secrets(server.Namespace(t))
	x := &manyObjects{cloud: newCloud(noIdentity), state: incompressible(1, 2<<20)}
	for i := range 4 {
		x.steps = append(x.steps, incompressible(2, (i+1)<<19)) // each begins with the one before
	}
	r := scheduler.Request{
		Resource: scheduler.Resource{
			Key:        store.Key{Group: "test.landbridge.io", Kind: "Estate", Namespace: "team", Name: "one"},
			UID:        "uid-1",
			Generation: 1,
			Type:       noIdentity.resource(),
		},
		Access: scheduler.Access{
			ProviderConfiguration: "default",
			Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return x, func() {}, nil
			},
		},
		Desired: scheduler.Desired{Policies: desired.FullControl(), Config: config("a", 1), ConfigHash: "a1"},
	}
	start := func(client typedcorev1.SecretInterface) *scheduler.Scheduler {
		return scheduler.New(scheduler.Options{
			Store: &store.Secrets{Client: client}, Logger: logr.Discard(), MaxBackoff: time.Millisecond,
			MinBackoff: time.Millisecond,
		})
	}
	observe := func(s *scheduler.Scheduler, until func(*scheduler.Observation) bool) *scheduler.Observation {
		t.Helper()
		var out *scheduler.Observation
		waittest.Eventually(t, "the operation has ended", func(context.Context) bool {
			o, err := s.Observe(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			out = o
			return until(o)
		})
		return out
	}
	ended := func(o *scheduler.Observation) bool { return o.Operation == nil }

	first := start(secrets)
	observe(first, ended)
	if err := first.Apply(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	observe(first, ended)
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	_ = first.Stop(stop)

	// The next process dies after three steps of the journal of an update.
	connection := &mortal{SecretInterface: secrets}
	connection.left.Store(4) // the intent, and three steps
	second := start(connection)
	r.Config, r.ConfigHash, r.Generation = config("a", 2), "a2", 2
	observe(second, ended)
	if err := second.Apply(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the process is dead", func(context.Context) bool { return connection.left.Load() < 0 })
	_ = second.Stop(stop)

	stored, err := (&store.Secrets{Client: secrets}).Load(t.Context(), r.Key, r.Type.Schema)
	if err != nil || !bytes.Equal(stored.Instance.Private, x.state) {
		t.Errorf("the stored state has %d bytes, want %d; error %v", len(stored.Instance.Private), len(x.state), err)
	}
	third := start(secrets)
	observe(third, ended)
	if !bytes.Equal(x.recovered, x.steps[2]) {
		t.Errorf("recovered with a journal of %d bytes, want %d", len(x.recovered), len(x.steps[2]))
	}
	if err := third.Forget(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if list, err := secrets.List(t.Context(), metav1.ListOptions{
		LabelSelector: "app.kubernetes.io/managed-by=landbridge",
	}); err != nil || len(list.Items) != 0 {
		t.Errorf("%d Secrets are left, error %v", len(list.Items), err)
	}
	_ = third.Stop(stop)
}
