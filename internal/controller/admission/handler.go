package admission

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/slots"
)

const (
	// timeout is how long the API server waits for an answer, and answerWithin what a plan may take
	// of it.
	timeout      = 5 * time.Second
	answerWithin = 4500 * time.Millisecond
	// maxBody bounds the body of a request, in bytes: two objects.
	maxBody = 8 << 20
	// arrives is how long the body of a request may take to arrive.
	arrives = timeout
	// concurrent is how many plans are made at once, for all namespaces together.
	concurrent = 8
)

// Preview returns what an object, if it were applied, would change; nil for kinds that are not
// served.
type Preview func(ctx context.Context, kind schema.GroupKind, u *unstructured.Unstructured) []string

// Handler answers AdmissionReviews of admission.k8s.io/v1 at a path, which is only known to who may
// read the configuration of the webhook: API servers do not identify themselves, and whoever is
// answered learns what resources have. It permits everything. Plans are divided among namespaces:
// those of one, which may hang, do not have those of others wait.
func Handler(path string, preview Preview, log logr.Logger) http.Handler {
	turns := slots.New(concurrent)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(path)) != 1 {
			http.NotFound(w, r)
			return
		}
		c := http.NewResponseController(w)
		_ = c.SetReadDeadline(time.Now().Add(arrives)) // recorders of tests have none
		review := &admissionv1.AdmissionReview{}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(review); err != nil || review.Request == nil {
			http.Error(w, "not an AdmissionReview with a request", http.StatusBadRequest)
			return
		}
		_ = c.SetReadDeadline(time.Time{}) // after the body, a deadline that has passed would end the request
		ctx, cancel := context.WithTimeout(slots.WithOwner(r.Context(), review.Request.Namespace), answerWithin)
		defer cancel()
		response := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		if release, err := turns.Acquire(ctx); err == nil {
			response.Warnings = warnings(ctx, preview, review.Request)
			release()
		} else {
			response.Warnings = []string{"cannot be planned: too many resources of the namespace are applied at once"}
		}
		review.Request, review.Response = nil, response
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(review); err != nil {
			log.V(1).Info("Cannot send a plan", "error", err.Error())
		}
	})
}

func warnings(ctx context.Context, preview Preview, r *admissionv1.AdmissionRequest) []string {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal(r.Object.Raw, &u.Object); err != nil || u.Object == nil {
		return nil
	}
	return preview(ctx, schema.GroupKind{Group: r.Kind.Group, Kind: r.Kind.Kind}, u)
}
