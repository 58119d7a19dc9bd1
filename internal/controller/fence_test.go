package controller_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller"
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
		sent         bool
	}{
		"a leader's write":              {leading, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", true},
		"a write without election":      {alone, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", true},
		"a write before it led":         {never, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", true},
		"a late read":                   {lost, http.MethodGet, "/apis/x.io/v1/namespaces/a/things/b", true},
		"a late update":                 {lost, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b", false},
		"a late status":                 {lost, http.MethodPut, "/apis/x.io/v1/namespaces/a/things/b/status", false},
		"a late intent":                 {lost, http.MethodPost, strings.TrimSuffix(secrets, "/"), false},
		"a late outcome":                {lost, http.MethodPut, secrets + "thing.b", true},
		"a late deletion of an outcome": {lost, http.MethodDelete, secrets + "thing.b", false},
		"a late connection Secret":      {lost, http.MethodPatch, "/api/v1/namespaces/a/secrets/b", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			sent := false
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent = true }))
			defer server.Close()
			r, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, strings.NewReader("{}"))
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
