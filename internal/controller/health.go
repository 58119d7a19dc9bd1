package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// probeTimeout bounds each check of a probe.
const probeTimeout = 2 * time.Second

// check is one reason for which a replica cannot do its work. detail is for people, and names no
// objects: anybody who reaches the port can read it.
type check struct {
	name string
	run  func(ctx context.Context) (detail string, err error)
}

// health serves /healthz, which tells whether the process answers, and /readyz, which tells whether
// the replica can do its work or is ready to take it over. With ?verbose, both the checks that pass
// and those that fail are listed.
func health(address string, checks func() []check) *manager.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) { ready(w, r, checks()) })
	return &manager.Server{
		Name: "health",
		Server: &http.Server{
			Addr: address, Handler: mux, ReadHeaderTimeout: probeTimeout, IdleTimeout: time.Minute,
			MaxHeaderBytes: 1 << 14,
		},
		ShutdownTimeout: ptr.To(probeTimeout),
	}
}

func ready(w http.ResponseWriter, r *http.Request, checks []check) {
	var text strings.Builder
	failed := false
	verbose := r.URL.Query().Has("verbose")
	for _, c := range checks {
		ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
		detail, err := c.run(ctx)
		cancel()
		if err != nil {
			failed = true
			fmt.Fprintf(&text, "[-] %s: %s\n", c.name, err)
		} else if verbose {
			fmt.Fprintf(&text, "[+] %s: %s\n", c.name, detail)
		}
	}
	switch {
	case failed:
		w.WriteHeader(http.StatusServiceUnavailable)
		text.WriteString("not ready")
	case verbose:
		text.WriteString("ready")
	default:
		text.WriteString("ok")
	}
	fmt.Fprintln(w, text.String())
}

// checks returns what a replica needs to do its work.
func checks(api discovery.DiscoveryInterface, caches cache.Cache, lock *lease, settled <-chan struct{}, providers *pool.Pool) []check {
	var synced atomic.Bool
	return []check{
		{"API server", func(ctx context.Context) (string, error) {
			if err := api.RESTClient().Get().AbsPath("/version").Do(ctx).Error(); err != nil {
				return "", errors.New("it does not answer") // the error may name addresses
			}
			return "it answers", nil
		}},
		{"caches", func(ctx context.Context) (string, error) {
			// Later ones belong to kinds that come and go.
			if !synced.Load() && !caches.WaitForCacheSync(ctx) {
				return "", errors.New("they are not filled yet")
			}
			synced.Store(true)
			return "they are filled", nil
		}},
		{"leadership", func(context.Context) (string, error) {
			switch {
			case lock.Interface == nil:
				return "this replica works without leader election", nil
			case lock.lost():
				return "", errors.New("this replica has led, and may not lead any more")
			case lock.leads():
				return "this replica leads", nil
			}
			return "this replica stands by", nil
		}},
		{"kinds", func(context.Context) (string, error) {
			select {
			case <-settled:
				return "those that were served before are served, as far as possible", nil
			default:
				return "they are being served, or another replica serves them", nil
			}
		}},
		{"providers", func(context.Context) (string, error) {
			s := providers.Stats()
			return fmt.Sprintf("%d running, %d crashes, %d without an answer, %d above their memory, %d pauses for "+
				"throttling, %d for credentials or endpoints",
				s.Servers, s.Crashes, s.Hangs, s.Outgrown, s.Pauses, s.Outages), nil
		}},
	}
}
