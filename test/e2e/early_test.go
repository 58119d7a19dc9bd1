package e2e_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// held is a way to the API server on which the list of existing resources of a kind does not end
// until it is closed.
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

// After a start, new and changed resources are worked on before all existing ones are known.
func TestChangesAtAStart(t *testing.T) {
	t.Parallel()
	c := alone(t)
	d := newDouble(t, "early")
	o := options(providertest.Mirror(t))
	stop := c.RunController(t, o)
	c.install(t, d.provider())
	ns := c.Namespace(t)
	existing, idle, created := d.place(ns, "existing", m{"value": "first"}), d.place(ns, "idle", nil), d.place(ns, "created", nil)
	for _, r := range []*unstructured.Unstructured{existing, idle} {
		c.MustCreate(t, r)
		c.WaitReady(t, r)
	}
	stop()
	c.MustCreate(t, created)
	c.MustPatch(t, existing, `{"spec":{"forProvider":{"value":"second"}}}`)
	looks := d.Calls("read place idle")
	end := make(chan struct{})
	through := *c.Cluster
	through.Config = rest.CopyConfig(c.Config)
	through.Config.Wrap(func(next http.RoundTripper) http.RoundTripper { return held{next, "places", end} })
	through.RunController(t, o)
	c.WaitReady(t, created)
	c.has(t, d, "place", "existing", "value", "second")
	c.WaitFor(t, existing, "current", func() bool { return current(existing) })
	if d.Calls("read place idle") != looks {
		t.Error("an unchanged resource is looked at before all are known")
	}
	close(end)
	eventually(t, "the unchanged resource is looked at", func(context.Context) bool { return d.Calls("read place idle") > looks })
	for _, r := range []*unstructured.Unstructured{existing, idle, created} {
		c.WaitReady(t, r)
		c.Remove(t, r)
	}
}
