package store_test

import (
	"errors"
	"net/http"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// fence is the transport of a process. Once the lease is lost, it sends what is marked. With loses,
// that happens as soon as a Secret was created.
type fence struct {
	next  http.RoundTripper
	lost  *bool
	loses bool
}

func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if *f.lost && r.Method != http.MethodGet && !(r.Method == http.MethodPut && store.Concludes(r.Context())) &&
		!store.Unreferenced(r.Context()) {
		return nil, errors.New("another controller may have taken over")
	}
	*f.lost = *f.lost || f.loses && r.Method == http.MethodPost
	return f.next.RoundTrip(r)
}

// The outcome of an operation is stored after the lease is lost, of whatever size, unless a
// successor has stored another one.
func TestOutcomeAfterTheLeaseIsLost(t *testing.T) {
	for name, size := range map[string]int{"small": 100, "in parts": 2 << 20} {
		for name, superseded := range map[string]bool{name: false, name + ", after the successor's": true} {
			t.Run(name, func(t *testing.T) {
				server, lost := playgroundtest.Start(t), false
				config := rest.CopyConfig(server.Config)
				config.Wrap(func(next http.RoundTripper) http.RoundTripper { return fence{next: next, lost: &lost} })
				kube, err := kubernetes.NewForConfig(config)
				if err != nil {
					t.Fatal(err)
				}
				client, k := kube.CoreV1().Secrets(server.Namespace(t)), key("one")
				s := &store.Secrets{Client: client}
				want := save(t, s, k, store.Record{Owner: "uid-1", Instance: anInstance("before")})
				outcome := want
				outcome.Instance = anInstance(noise(size, size))
				if superseded {
					want.Instance = anInstance("the successor's")
					want = save(t, &store.Secrets{Client: client}, k, want)
				}
				lost = true
				stored, err := s.Save(store.Concluding(t.Context()), k, thing, outcome)
				switch {
				case !superseded && err == nil:
					want = stored
				case superseded != errors.Is(err, store.ErrConflict):
					t.Errorf("the error is %v", err)
				}
				same(t, load(t, s, k), want)
				if left := all(t, client); superseded && len(left) != 1 {
					t.Errorf("%d Secrets are left", len(left))
				}
			})
		}
	}
}

// An intent of any size is not stored after the lease is lost: a successor may have read that there
// is none.
func TestIntentAfterTheLeaseIsLost(t *testing.T) {
	server, lost := playgroundtest.Start(t), false
	config := rest.CopyConfig(server.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return fence{next, &lost, true} })
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	k, s := key("one"), &store.Secrets{Client: kube.CoreV1().Secrets(server.Namespace(t))}
	intent := anInstance(noise(1, 2<<20))
	intent.Operation = &instance.Operation{ID: "id-1", Kind: instance.Update}
	if _, err := s.Save(t.Context(), k, thing, store.Record{Owner: "uid-1", Instance: intent}); err == nil {
		t.Error("stored")
	}
	if _, err := s.Load(t.Context(), k, thing); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("read: %v", err)
	}
}
