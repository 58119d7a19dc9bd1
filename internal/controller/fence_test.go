package controller_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A process that led once sends only what is harmless when its lease is over.
func TestFence(t *testing.T) {
	const secrets = "/api/v1/namespaces/landbridge-system/secrets/"
	leading := controller.Term{Elected: true, Led: true, Renewed: time.Now()}
	lost := controller.Term{Elected: true, Led: true, Renewed: time.Now().Add(-time.Minute)}
	never, alone := controller.Term{Elected: true}, controller.Term{}
	tests := map[string]struct {
		term         controller.Term
		method, path string
		concludes    bool
		sent         bool
	}{
		"a leader's write":              {leading, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", false, true},
		"a write without election":      {alone, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", false, true},
		"a write before it led":         {never, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", false, true},
		"a late read":                   {lost, http.MethodGet, "/apis/x.io/v1/namespaces/a/things/b", false, true},
		"a late update":                 {lost, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", false, false},
		"a late status":                 {lost, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b/status", false, false},
		"a late intent":                 {lost, http.MethodPost, strings.TrimSuffix(secrets, "/"), false, false},
		"a late intent over a record":   {lost, http.MethodPut, secrets + "thing.b", false, false},
		"a late outcome":                {lost, http.MethodPut, secrets + "thing.b", true, true},
		"a late outcome elsewhere":      {lost, http.MethodPut, "/api/v1/namespaces/a/secrets/b", true, false},
		"a late deletion of an outcome": {lost, http.MethodDelete, secrets + "thing.b", false, false},
		"a late connection Secret":      {lost, http.MethodPatch, "/api/v1/namespaces/a/secrets/b", false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			sent := false
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent = true }))
			defer server.Close()
			ctx := t.Context()
			if test.concludes {
				ctx = store.Concluding(ctx)
			}
			r, err := http.NewRequestWithContext(ctx, test.method, server.URL+test.path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := controller.Fence(http.DefaultTransport, test.term, secrets).RoundTrip(r)
			if err == nil {
				answer.Body.Close()
			}
			if sent != test.sent || (err == nil) != test.sent {
				t.Errorf("sent: %t, error: %v", sent, err)
			}
		})
	}
}
