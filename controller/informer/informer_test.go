package informer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/controller/informer"
)

// server answers the watch of an attempt after some time.
type server struct {
	cache.Cache
	answers []time.Duration
	watches int
	removed int
}

type watching struct {
	cache.Informer
	since  time.Time
	answer time.Duration
}

func (w watching) HasSynced() bool { return time.Since(w.since) >= w.answer }

func (s *server) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	s.watches++
	return watching{since: time.Now(), answer: s.answers[min(s.watches, len(s.answers))-1]}, nil
}

func (s *server) RemoveInformer(context.Context, client.Object) error { s.removed++; return nil }

func TestStart(t *testing.T) {
	const never = time.Hour
	for name, x := range map[string]struct {
		answers []time.Duration
		limit   time.Duration
		watches int
		fails   bool
	}{
		"at once":                      {answers: []time.Duration{0}, watches: 1},
		"soon":                         {answers: []time.Duration{4 * time.Second}, watches: 1},
		"not the first":                {answers: []time.Duration{never, 0}, watches: 2},
		"slow: waited for ever longer": {answers: []time.Duration{15 * time.Second}, watches: 3},
		"not before the caller goes":   {answers: []time.Duration{never}, limit: 6 * time.Second, watches: 2, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if x.limit != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, x.limit)
					defer cancel()
				}
				s := &server{answers: x.answers}
				err := informer.Start(ctx, s, &unstructured.Unstructured{}, logr.Discard())
				if (err != nil) != x.fails {
					t.Errorf("error %v", err)
				}
				if s.watches != x.watches || s.removed != x.watches-1 {
					t.Errorf("%d watches, %d given up", s.watches, s.removed)
				}
			})
		})
	}
}
