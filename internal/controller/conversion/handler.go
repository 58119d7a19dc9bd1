package conversion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// limits bound the memory and time that requests take, whoever makes them: API servers do not
// identify themselves, and the path is in each definition. A conversion reads only the objects of
// its request, so it discloses nothing.
type limits struct {
	// small are requests with bodies of at most smallBody bytes: those for objects, which have at
	// most 3 MiB each, and for pages of lists. large are those for lists without pages, of which
	// the API server has all objects converted at once. They wait for each other, so that lists
	// take no memory from objects.
	small, large         int
	smallBody, largeBody int64
	// timeout is for one request, its body included. The API server waits no longer.
	timeout time.Duration
	// arrives is how long a small body may take to arrive. For a large one, it is as long again for
	// each smallBody of bytes. The API server is near, and sends what it has.
	arrives time.Duration
}

var defaultLimits = limits{
	small: 8, smallBody: 16 << 20, large: 1, largeBody: 256 << 20, timeout: 30 * time.Second, arrives: 2 * time.Second,
}

// arrival returns how long a body may take to arrive; the length is negative if it is not known.
func (l limits) arrival(length int64) time.Duration {
	return min(l.timeout/2, l.arrives*time.Duration(1+max(0, length)/l.smallBody))
}

// Convert converts an object to an API version, such as cloud.example.org/v1alpha2.
type Convert func(ctx context.Context, kind schema.GroupVersionKind, object map[string]any, to schema.GroupVersion) (map[string]any, error)

// Handler answers ConversionReviews of apiextensions.k8s.io/v1. Requests wait for their turn, and
// one without a length counts as small.
func Handler(convert Convert, log logr.Logger) http.Handler {
	return boundedHandler(convert, log, defaultLimits)
}

func boundedHandler(convert Convert, log logr.Logger, l limits) http.Handler {
	small, large := make(chan struct{}, l.small), make(chan struct{}, l.large)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		turn, most := small, l.smallBody
		if r.ContentLength > l.smallBody {
			turn, most = large, l.largeBody
		}
		if r.ContentLength > most {
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), l.timeout)
		defer cancel()
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			http.Error(w, "too many conversions at once", http.StatusTooManyRequests)
			return
		}
		// Whoever sends or reads slowly does not hold a turn for longer.
		c := http.NewResponseController(w)
		deadline, _ := ctx.Deadline()
		err := errors.Join(c.SetReadDeadline(time.Now().Add(l.arrival(r.ContentLength))), c.SetWriteDeadline(deadline))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			log.V(1).Info("Cannot bound how long a request takes", "error", err.Error())
		}
		review := &apiextensionsv1.ConversionReview{}
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(review); err != nil || review.Request == nil {
			http.Error(w, "not a ConversionReview with a request", http.StatusBadRequest)
			return
		}
		_ = c.SetReadDeadline(deadline) // after the body, a deadline that has passed would end the request
		response := &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		if response.ConvertedObjects, err = convertAll(ctx, convert, review.Request); err != nil {
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
