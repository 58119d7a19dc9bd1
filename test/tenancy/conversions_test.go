package tenancy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/conversion"
)

// mostRead is what a request without a length may send to the webhook for conversions, with what
// the network holds.
const mostRead = 64 << 20

// endless is a request's body without an end, of which at most a gigabyte is sent.
type endless struct{ sent int64 }

func (e *endless) Read(b []byte) (int, error) {
	if e.sent > 1<<30 {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = '['
	}
	e.sent += int64(len(b))
	return len(b), nil
}

// converts sends a review to a webhook for conversions, as generated programs have it, and returns
// the status; 0 if there is no answer.
func (x *world) converts(t *testing.T, body io.Reader, size int64) int {
	t.Helper()
	convert := func(_ context.Context, _ schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error) {
		object["apiVersion"] = to.String()
		return object, nil
	}
	server := httptest.NewServer(conversion.Handler(convert, logr.Discard()))
	defer server.Close()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	q.ContentLength = size
	answer, err := server.Client().Do(q)
	if err != nil {
		return 0 // the server has ended the connection
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

const review = `{"request":{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[{"apiVersion":"c.example.org/v1","kind":"Volume"}]}}`

// mostWait is how long a conversion may wait for bodies that do not arrive.
const mostWait = 10 * time.Second

// convertsSlowly returns how long a conversion takes while reviews are sent that do not end.
func (x *world) convertsSlowly(t *testing.T) time.Duration {
	t.Helper()
	convert := func(_ context.Context, _ schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error) {
		object["apiVersion"] = to.String()
		return object, nil
	}
	server := httptest.NewServer(conversion.Handler(convert, logr.Discard()))
	defer server.Close()
	post := func(ctx context.Context, body io.Reader) error {
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, body)
		if err != nil {
			return err
		}
		answer, err := server.Client().Do(q)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	ctx, cancel := context.WithCancel(t.Context())
	var slow sync.WaitGroup
	defer slow.Wait()
	defer cancel()
	var sent atomic.Int64
	for range 20 {
		slow.Go(func() {
			body, writer := io.Pipe()
			defer context.AfterFunc(ctx, func() { _ = writer.Close() })()
			go func() {
				if _, err := writer.Write([]byte("{")); err == nil {
					sent.Add(1)
				}
			}()
			_ = post(ctx, body)
		})
	}
	eventually(t, "they are sent", func(context.Context) bool { return sent.Load() >= 8 })
	began := time.Now()
	if err := post(t.Context(), strings.NewReader(review)); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func (x *world) isConverted(t *testing.T) bool {
	t.Helper()
	return x.converts(t, strings.NewReader(review), int64(len(review))) == http.StatusOK
}

// conversions are attacks of a pod that reaches the webhook for conversions, whose path is in each
// definition.
var conversions = map[string]attack{
	"a conversion without end": {
		attacker: attacker + " and a pod that reaches the webhook for conversions",
		means:    "sends a review without a length and without an end",
		refusal:  "the connection is closed after 16 MiB",
		try: func(t *testing.T, x *world) bool {
			body := &endless{}
			status := x.converts(t, body, -1)
			t.Logf("%d bytes were sent, and the status is %d", body.sent, status)
			return status == http.StatusOK || body.sent > mostRead
		},
		control: func(t *testing.T, x *world) bool { return x.isConverted(t) },
	},
	"conversions sent slowly": {
		attacker: attacker + " and a pod that reaches the webhook for conversions",
		means:    "sends 20 reviews that do not end", refusal: "the API server's are converted",
		try: func(t *testing.T, x *world) bool { return x.convertsSlowly(t) > mostWait },
		// As long as they are sent, others do wait.
		control: func(t *testing.T, x *world) bool { return x.convertsSlowly(t) > mostWait/10 },
	},
	"a large conversion": {
		attacker: attacker + " and a pod that reaches the webhook for conversions",
		means:    "sends a review of half a gigabyte", refusal: "it is too large",
		try: func(t *testing.T, x *world) bool {
			body := &endless{}
			status := x.converts(t, io.LimitReader(body, 512<<20), 512<<20)
			t.Logf("%d bytes were sent, and the status is %d", body.sent, status)
			return status == http.StatusOK || body.sent > mostRead
		},
		control: func(t *testing.T, x *world) bool { return x.isConverted(t) },
	},
}
