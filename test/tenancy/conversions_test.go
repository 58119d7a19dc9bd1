package tenancy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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

func (x *world) isConverted(t *testing.T) bool {
	t.Helper()
	return x.converts(t, strings.NewReader(review), int64(len(review))) == http.StatusOK
}

// conversions are attacks of a pod that reaches the webhook for conversions, whose path is in each
// definition.
var conversions = map[string]attack{
	"a conversion without end": {
		attacker: attacker + " and a pod that reaches the webhook for conversions", means: "sends a review without a length and without an end", refusal: "the connection is closed after 16 MiB",
		try: func(t *testing.T, x *world) bool {
			body := &endless{}
			status := x.converts(t, body, -1)
			t.Logf("%d bytes were sent, and the status is %d", body.sent, status)
			return status == http.StatusOK || body.sent > mostRead
		},
		control: func(t *testing.T, x *world) bool { return x.isConverted(t) },
	},
	"a large conversion": {
		attacker: attacker + " and a pod that reaches the webhook for conversions", means: "sends a review of half a gigabyte", refusal: "it is too large",
		try: func(t *testing.T, x *world) bool {
			body := &endless{}
			status := x.converts(t, io.LimitReader(body, 512<<20), 512<<20)
			t.Logf("%d bytes were sent, and the status is %d", body.sent, status)
			return status == http.StatusOK || body.sent > mostRead
		},
		control: func(t *testing.T, x *world) bool { return x.isConverted(t) },
	},
}
