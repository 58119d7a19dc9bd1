package admission_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	gocmp "github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/admission"
)

func TestHandlerPermitsEverything(t *testing.T) {
	t.Parallel()
	preview := func(_ context.Context, kind schema.GroupKind, u *unstructured.Unstructured) []string {
		if kind != (schema.GroupKind{Group: "cloud.landbridge.io", Kind: "Server"}) {
			return nil
		}
		return []string{"~ size: 1 → 2 of " + u.GetName()}
	}
	for name, x := range map[string]struct {
		body string
		path string // if it is another one
		code int
		want []string
	}{
		"a plan": {
			body: `{"request":{"uid":"1","kind":{"group":"cloud.landbridge.io","kind":"Server"},"object":{"metadata":{"name":"web"}}}}`,
			code: http.StatusOK, want: []string{"~ size: 1 → 2 of web"},
		},
		"another kind": {
			body: `{"request":{"uid":"1","kind":{"group":"","kind":"Secret"},"object":{"metadata":{"name":"web"}}}}`,
			code: http.StatusOK,
		},
		"no object":  {body: `{"request":{"uid":"1","kind":{"group":"cloud.landbridge.io","kind":"Server"}}}`, code: http.StatusOK},
		"no request": {body: `{}`, code: http.StatusBadRequest},
		"another path": {
			path: "/plan/",
			body: `{"request":{"uid":"1","kind":{"group":"cloud.landbridge.io","kind":"Server"},"object":{"metadata":{"name":"web"}}}}`,
			code: http.StatusNotFound,
		},
		"no JSON": {body: `x`, code: http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := httptest.NewRecorder()
			admission.Handler("/plan/x", preview, logr.Discard()).
				ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, cmp.Or(x.path, "/plan/x"),
					strings.NewReader(x.body)))
			if w.Code != x.code {
				t.Fatalf("status %d", w.Code)
			}
			if x.code != http.StatusOK {
				return
			}
			var review admissionv1.AdmissionReview
			if err := json.Unmarshal(w.Body.Bytes(), &review); err != nil {
				t.Fatal(err)
			}
			if !review.Response.Allowed || review.Response.UID != "1" || review.Response.Patch != nil {
				t.Errorf("the answer is %+v", review.Response)
			}
			if diff := gocmp.Diff(x.want, review.Response.Warnings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Plans of one namespace that hang do not have those of another one wait.
func TestPlansOfNamespaces(t *testing.T) {
	t.Parallel()
	begun := make(chan string, 100)
	preview := func(ctx context.Context, _ schema.GroupKind, u *unstructured.Unstructured) []string {
		begun <- u.GetNamespace()
		if u.GetNamespace() == "mallory" {
			<-ctx.Done()
		}
		return []string{"planned"}
	}
	h := admission.Handler("/plan/x", preview, logr.Discard())
	post := func(ctx context.Context, namespace string) *httptest.ResponseRecorder {
		body := fmt.Sprintf(`{"request":{"uid":"1","namespace":%q,"object":{"metadata":{"namespace":%[1]q}}}}`, namespace)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/plan/x", strings.NewReader(body)))
		return w
	}
	ctx, cancel := context.WithCancel(t.Context())
	var hanging sync.WaitGroup
	for range 20 {
		hanging.Go(func() { post(ctx, "mallory") })
	}
	for range 8 {
		<-begun
	}
	if answer := post(t.Context(), "victim").Body.String(); !strings.Contains(answer, "planned") {
		t.Errorf("the answer is %s", answer)
	}
	cancel()
	hanging.Wait()
}

// Whoever sends slowly is cut off.
func TestSlowSender(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(admission.Handler("/plan/x",
		func(context.Context, schema.GroupKind, *unstructured.Unstructured) []string { return nil }, logr.Discard()))
	defer s.Close()
	body, writer := io.Pipe()
	defer writer.Close()
	go func() { _, _ = writer.Write([]byte("{")) }()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/plan/x", body)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Client().Do(q)
	if err != nil {
		return // the connection was closed
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
}

func FuzzHandler(f *testing.F) {
	f.Add([]byte(`{"request":{"uid":"1","kind":{"group":"cloud.landbridge.io","kind":"Server"},"object":{"metadata":{"name":"web"}}}}`))
	f.Add([]byte(`{"request":{"object":[null]}}`))
	f.Add([]byte(`[]`))
	preview := func(_ context.Context, _ schema.GroupKind, u *unstructured.Unstructured) []string {
		return []string{u.GetNamespace() + u.GetName(), fmt.Sprint(u.GetAnnotations(), u.GetFinalizers(), u.GetDeletionTimestamp())}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		w := httptest.NewRecorder()
		admission.Handler("/plan/x", preview, logr.Discard()).
			ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/plan/x", bytes.NewReader(body)))
		switch w.Code {
		case http.StatusBadRequest:
		case http.StatusOK:
			review := &admissionv1.AdmissionReview{}
			if err := json.Unmarshal(w.Body.Bytes(), review); err != nil || review.Response == nil || !review.Response.Allowed {
				t.Errorf("%v: %s", err, w.Body)
			}
		default:
			t.Errorf("status %d", w.Code)
		}
	})
}
