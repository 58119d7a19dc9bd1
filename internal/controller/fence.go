package controller

import (
	"errors"
	"net/http"
	"strings"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// fence refuses writes of a process that no longer leads, right before they are sent. A process
// that was suspended between a decision and its write would otherwise release a resource, or
// publish an outdated connection Secret, for which its successor is responsible.
type fence struct {
	next  http.RoundTripper
	lease *lease
	// secrets is the path of the Secrets with stored instances.
	secrets string
}

var errLostLease = errors.New("another controller may have taken over")

// RoundTrip implements http.RoundTripper.
func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.lease.lost() && !f.harmless(r) {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, errLostLease
	}
	return f.next.RoundTrip(r)
}

// harmless reports whether a request needs no lease: reads, and updates of stored instances that
// conclude an operation. Their resource version is checked, so that the outcome is recorded unless
// another replica recorded it. A large one is in parts, to which that update points.
func (f fence) harmless(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return true
	case http.MethodPut:
		return strings.HasPrefix(r.URL.Path, f.secrets) && store.Concludes(r.Context())
	case http.MethodPost, http.MethodDelete:
		return store.Unreferenced(r.Context())
	}
	return false
}

// WrappedRoundTripper lets client-go find the transport beneath.
func (f fence) WrappedRoundTripper() http.RoundTripper { return f.next }
