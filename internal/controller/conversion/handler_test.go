package conversion_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/conversion"
)

// convert records the former version in an object. It fails for objects with a field fail.
func convert(_ context.Context, kind schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error) {
	if object["fail"] != nil {
		return nil, errors.New("failed on request")
	}
	out := map[string]any{"was": kind.Version, "n": object["n"]}
	out["apiVersion"], out["kind"] = to.String(), kind.Kind
	return out, nil
}

func TestHandler(t *testing.T) {
	t.Parallel()
	const volume = `{"apiVersion":"c.example.org/v1","kind":"Volume","n":9007199254740993}`
	tests := map[string]struct {
		request string
		want    []string // objects
		message string
	}{
		"one": {
			request: `{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[` + volume + `]}`,
			want:    []string{`{"apiVersion":"c.example.org/v2","kind":"Volume","n":9007199254740993,"was":"v1"}`},
		},
		"none": {request: `{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[]}`},
		"one that fails": {
			request: `{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[` + volume +
				`,{"apiVersion":"c.example.org/v1","kind":"Volume","fail":1}]}`,
			message: "failed on request",
		},
		"another group": {
			request: `{"uid":"u","desiredAPIVersion":"d.example.org/v2","objects":[` + volume + `]}`,
			message: "object 0 (c.example.org/v1, Kind=Volume) cannot be converted to d.example.org/v2",
		},
		"no version": {request: `{"uid":"u","desiredAPIVersion":"a/b/c","objects":[]}`, message: "unexpected GroupVersion string"},
		"no object":  {request: `{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[7]}`, message: "object 0 is not a JSON object"},
		"no kind": {
			request: `{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[{"apiVersion":"c.example.org/v1"}]}`,
			message: "cannot be converted to",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ask([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":` + test.request + `}`))
			review := &apiextensionsv1.ConversionReview{}
			if err := json.Unmarshal(w.Body.Bytes(), review); err != nil {
				t.Fatal(err)
			}
			if review.Kind != "ConversionReview" || review.APIVersion != "apiextensions.k8s.io/v1" ||
				review.Request != nil || review.Response.UID != "u" {
				t.Errorf("the answer: %+v", review)
			}
			if !strings.Contains(review.Response.Result.Message, test.message) ||
				(review.Response.Result.Status == "Success") != (test.message == "") {
				t.Errorf("the result: %+v", review.Response.Result)
			}
			if len(review.Response.ConvertedObjects) != len(test.want) {
				t.Fatalf("%d objects", len(review.Response.ConvertedObjects))
			}
			for i, o := range review.Response.ConvertedObjects {
				if string(o.Raw) != test.want[i] {
					t.Errorf("got %s, want %s", o.Raw, test.want[i])
				}
			}
		})
	}
}

func ask(body []byte) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	conversion.Handler(convert, logr.Discard()).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/convert", bytes.NewReader(body)))
	return w
}

// An answer that is an error, and its log, have no values of objects.
func TestErrorsQuoteNoValues(t *testing.T) {
	t.Parallel()
	const planted = "hunter2-and-more"
	review := func(object string) string {
		return `{"request":{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[` + object + `]}}`
	}
	for name, body := range map[string]string{
		"no review":       planted,
		"cut off":         review(`{"spec":"` + planted)[:100],
		"a text":          review(`"` + planted + `"`),
		"no number":       review(`{"spec":{"size":1` + planted + `}}`),
		"another group":   review(`{"apiVersion":"d.example.org/v1","kind":"Volume","spec":"` + planted + `"}`),
		"no kind":         review(`{"apiVersion":"c.example.org/v1","kind":{"` + planted + `":1}}`),
		"a version":       review(`{"apiVersion":["` + planted + `"],"kind":"Volume"}`),
		"cannot be done":  review(`{"apiVersion":"c.example.org/v1","kind":"Volume","fail":"` + planted + `"}`),
		"the same key":    review(`{"apiVersion":"c.example.org/v1","kind":"Volume","spec":"` + planted + `","spec":1,"fail":1}`),
		"nested too deep": review(strings.Repeat(`{"spec":`, 20_000) + `"` + planted + `"` + strings.Repeat("}", 20_000)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			logger := funcr.New(func(_, args string) { log.WriteString(args) }, funcr.Options{Verbosity: 10})
			w := httptest.NewRecorder()
			conversion.Handler(convert, logger).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader(body)))
			if w.Code == http.StatusOK && !strings.Contains(w.Body.String(), `"Failure"`) {
				t.Errorf("it is no error: %s", w.Body)
			}
			if strings.Contains(w.Body.String(), planted) || strings.Contains(log.String(), planted) {
				t.Errorf("answer %s, log %s", w.Body, log.String())
			}
		})
	}
}

// blanks is an endless body.
type blanks struct{ read int64 }

func (b *blanks) Read(p []byte) (int, error) {
	b.read += int64(len(p))
	return copy(p, bytes.Repeat([]byte(" "), len(p))), nil
}

func TestEndlessBody(t *testing.T) {
	t.Parallel()
	w, body := httptest.NewRecorder(), &blanks{}
	conversion.BoundedHandler(convert, logr.Discard(), 1<<20, 2<<20, time.Minute).
		ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/convert", body))
	if w.Code != http.StatusBadRequest || body.read > 2<<20 {
		t.Errorf("status %d after %d bytes", w.Code, body.read)
	}
}

// Whoever sends slowly does not hold a turn until a request takes too long, whatever length it
// says.
func TestSlowSenders(t *testing.T) {
	t.Parallel()
	const timeout = 20 * time.Second
	server := httptest.NewServer(conversion.BoundedHandler(convert, logr.Discard(), 1<<10, 1<<12, timeout))
	defer server.Close()
	for name, length := range map[string]int64{"small": 100, "large": 1 << 11, "without a length": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, writer := io.Pipe()
			defer writer.Close()
			go func() { _, _ = writer.Write([]byte("{")) }()
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
			if err != nil {
				t.Fatal(err)
			}
			q.ContentLength = length
			began := time.Now()
			answer, err := server.Client().Do(q)
			if err == nil {
				_ = answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					t.Error("it is answered")
				}
			}
			if took := time.Since(began); took > timeout*9/10 {
				t.Errorf("it holds a turn for %s", took)
			}
		})
	}
}

// Requests wait for others of their size only, and not without end.
func TestConversionsAtOnce(t *testing.T) {
	t.Parallel()
	const small, large = 1 << 10, 1 << 12
	begun, end := make(chan int, 3), make(chan struct{})
	waiting := func(ctx context.Context, kind schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error) {
		begun <- len(object["text"].(string))
		<-end
		return convert(ctx, kind, object, to)
	}
	h := conversion.BoundedHandler(waiting, logr.Discard(), small, large, 2*time.Second)
	post := func(size int) (code chan int) {
		code = make(chan int, 1)
		body := `{"request":{"uid":"u","desiredAPIVersion":"c.example.org/v2","objects":[` +
			`{"apiVersion":"c.example.org/v1","kind":"Volume","text":"` + strings.Repeat("x", size) + `"}]}}`
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/convert", strings.NewReader(body)))
			code <- w.Code
		}()
		return code
	}
	first := post(1)
	if got := <-begun; got != 1 {
		t.Fatalf("the first has %d bytes", got)
	}
	// Beside a small one that takes long, a large one begins, and another small one ends without
	// its turn.
	list := post(small)
	if got := <-begun; got != small {
		t.Errorf("%d bytes are converted beside the first", got)
	}
	if code := <-post(2); code != http.StatusTooManyRequests {
		t.Errorf("the second small one is answered with %d", code)
	}
	close(end)
	for _, c := range []chan int{first, list, post(3)} {
		if code := <-c; code != http.StatusOK {
			t.Errorf("the status is %d", code)
		}
	}
	if code := <-post(large); code != http.StatusRequestEntityTooLarge {
		t.Errorf("one that is too large is answered with %d", code)
	}
}

func FuzzHandler(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"c/v2","objects":[{"apiVersion":"c/v1","kind":"V"}]}}`))
	f.Add([]byte(`{"request":{"objects":[null]}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		w := ask(body)
		switch w.Code {
		case http.StatusBadRequest:
		case http.StatusOK:
			review := &apiextensionsv1.ConversionReview{}
			if err := json.Unmarshal(w.Body.Bytes(), review); err != nil || review.Response == nil {
				t.Errorf("%v: %s", err, w.Body)
			}
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}
