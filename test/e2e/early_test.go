package e2e_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// held is a way to the API server on which the list of existing resources of a kind does not end until it is closed.
type held struct {
	next     http.RoundTripper
	resource string
	end      chan struct{}
}

// RoundTrip implements http.RoundTripper.
func (h held) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := h.next.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/"+h.resource) || r.URL.Query().Get("sendInitialEvents") != "true" {
		return resp, err
	}
	body := resp.Body
	out, in := io.Pipe()
	resp.Body = struct {
		io.Reader
		io.Closer
	}{out, body}
	go func() {
		lines := bufio.NewReader(body)
		for {
			line, err := lines.ReadString('\n')
			if strings.Contains(line, "k8s.io/initial-events-end") {
				select {
				case <-h.end:
				case <-r.Context().Done():
				}
			}
			if _, written := io.WriteString(in, line); err != nil || written != nil {
				_ = in.CloseWithError(err)
				return
			}
		}
	}()
	return resp, nil
}

// After a start, a new resource is created before all existing ones are known.
func TestNewResourceAtAStart(t *testing.T) {
	t.Parallel()
	c := alone(t)
	o := options(providertest.Mirror(t, "random"))
	stop := c.RunController(t, o)
	c.real(t, "random")
	ns := c.Namespace(t)
	existing, created := resource(random, "String", ns, "existing", m{"forProvider": m{"length": int64(8)}}), resource(random, "String", ns, "created", m{"forProvider": m{"length": int64(8)}})
	c.MustCreate(t, existing)
	c.WaitReady(t, existing)
	stop()
	c.MustCreate(t, created)
	c.MustPatch(t, existing, `{"spec":{"forProvider":{"length":9}}}`)
	end := make(chan struct{})
	through := *c.Cluster
	through.Config = rest.CopyConfig(c.Config)
	through.Config.Wrap(func(next http.RoundTripper) http.RoundTripper { return held{next, "strings", end} })
	through.RunController(t, o)
	c.WaitReady(t, created)
	if c.MustGet(t, existing); current(existing) {
		t.Error("the existing resource was updated before all are known")
	}
	close(end)
	c.WaitFor(t, existing, "replaced", func() bool { return current(existing) && len(text(existing, "status", "atProvider", "result")) == 9 })
	for _, r := range []*unstructured.Unstructured{existing, created} {
		c.WaitReady(t, r)
		c.Remove(t, r)
	}
}
