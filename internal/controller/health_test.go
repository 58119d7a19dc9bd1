package controller_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller"
)

func TestReadiness(t *testing.T) {
	t.Parallel()
	good, bad := controller.NewCheck("caches", "they are filled", nil), controller.NewCheck("API server", "", errors.New("it does not answer"))
	tests := map[string]struct {
		path   string
		checks []controller.Check
		status int
		body   string
	}{
		"alive, whatever the checks are": {"/healthz", []controller.Check{bad}, http.StatusOK, "ok"},
		"ready":                          {"/readyz", []controller.Check{good}, http.StatusOK, "ok\n"},
		"ready, in detail":               {"/readyz?verbose", []controller.Check{good}, http.StatusOK, "[+] caches: they are filled\nready\n"},
		"not ready": {
			"/readyz", []controller.Check{good, bad}, http.StatusServiceUnavailable,
			"[-] API server: it does not answer\nnot ready\n",
		},
		"not ready, in detail": {"/readyz?verbose", []controller.Check{good, bad}, http.StatusServiceUnavailable,
			"[+] caches: they are filled\n[-] API server: it does not answer\nnot ready\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			controller.Health(test.checks...).ServeHTTP(w, httptest.NewRequest(http.MethodGet, test.path, nil))
			if diff := cmp.Diff(test.body, w.Body.String()); w.Code != test.status || diff != "" {
				t.Errorf("status %d, want %d (-want +got):\n%s", w.Code, test.status, diff)
			}
		})
	}
}
