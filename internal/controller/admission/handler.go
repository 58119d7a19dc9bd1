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
)

const (
	// timeout is how long the API server waits for an answer, and answerWithin what a plan may take
	// of it.
	timeout      = 5 * time.Second
	answerWithin = 4500 * time.Millisecond
	// maxBody bounds the body of a request, in bytes: two objects.
	maxBody = 8 << 20
	// concurrent is the maximum of plans at once.
	concurrent = 8
)

// Preview returns what an object, if it were applied, would change; nil for kinds that are not
// served.
type Preview func(ctx context.Context, kind schema.GroupKind, u *unstructured.Unstructured) []string

// Handler answers AdmissionReviews of admission.k8s.io/v1 at a path, which is only known to who may
// read the configuration of the webhook: API servers do not identify themselves, and whoever is
// answered learns what resources have. It permits everything.
func Handler(path string, preview Preview, log logr.Logger) http.Handler {
	turn := make(chan struct{}, concurrent)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte(path)) != 1 {
			http.NotFound(w, r)
			return
		}
		review := &admissionv1.AdmissionReview{}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(review); err != nil || review.Request == nil {
			http.Error(w, "not an AdmissionReview with a request", http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
		defer cancel()
		response := &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		select {
		case turn <- struct{}{}:
			response.Warnings = warnings(ctx, preview, review.Request)
			<-turn
		case <-ctx.Done():
			response.Warnings = []string{"cannot be planned: too many resources are applied at once"}
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
