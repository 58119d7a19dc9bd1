package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// maxBody bounds the body of a request, in bytes. The API server sends all objects of a list at once.
const maxBody = 256 << 20

// Convert converts an object to an API version, such as cloud.example.org/v1alpha2.
type Convert func(ctx context.Context, kind schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error)

// Handler answers ConversionReviews of apiextensions.k8s.io/v1.
func Handler(convert Convert, log logr.Logger) http.Handler {
	return boundedHandler(convert, log, maxBody)
}

func boundedHandler(convert Convert, log logr.Logger, maxBody int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review := &apiextensionsv1.ConversionReview{}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(review); err != nil || review.Request == nil {
			http.Error(w, "not a ConversionReview with a request", http.StatusBadRequest)
			return
		}
		response := &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		var err error
		if response.ConvertedObjects, err = convertAll(r.Context(), convert, review.Request); err != nil {
			log.Info("Cannot convert objects", "to", review.Request.DesiredAPIVersion, "error", err.Error())
			response.ConvertedObjects = nil
			response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
		}
		review.Request, review.Response = nil, response
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(review); err != nil {
			log.V(1).Info("Cannot send converted objects", "error", err.Error())
		}
	})
}

func convertAll(ctx context.Context, convert Convert, r *apiextensionsv1.ConversionRequest) ([]runtime.RawExtension, error) {
	to, err := schema.ParseGroupVersion(r.DesiredAPIVersion)
	if err != nil {
		return nil, err
	}
	out := make([]runtime.RawExtension, len(r.Objects))
	for i, o := range r.Objects {
		var object map[string]any
		if err := utiljson.Unmarshal(o.Raw, &object); err != nil {
			return nil, fmt.Errorf("object %d is not a JSON object", i)
		}
		apiVersion, _ := object["apiVersion"].(string)
		name, _ := object["kind"].(string)
		kind := schema.FromAPIVersionAndKind(apiVersion, name)
		if kind.Group != to.Group || name == "" {
			return nil, fmt.Errorf("object %d (%s) cannot be converted to %s", i, kind, to)
		}
		converted, err := convert(ctx, kind, object, to)
		if err != nil {
			return nil, err
		}
		if out[i].Raw, err = json.Marshal(converted); err != nil {
			return nil, errors.New("the converted object cannot be encoded as JSON")
		}
	}
	return out, nil
}
