package queue_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"

	"github.com/landbridge-io/landbridge/internal/controller/queue"
)

// last is an order in which what was queued last comes first.
type last []string

func (l *last) Touch(string)     {}
func (l *last) Push(item string) { *l = append(*l, item) }
func (l *last) Len() int         { return len(*l) }
func (l *last) Pop() (item string) {
	item, *l = (*l)[len(*l)-1], (*l)[:len(*l)-1]
	return item
}

func TestQueue(t *testing.T) {
	limiter := func() workqueue.TypedRateLimiter[string] {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Millisecond, time.Second)
	}
	for name, tc := range map[string]struct {
		queue workqueue.TypedRateLimitingInterface[string]
		want  []string
	}{
		"in the order of requests": {queue.New("", limiter()), []string{"a", "b", "c"}},
		"in another order":         {queue.Ordered("", limiter(), &last{}), []string{"c", "b", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer tc.queue.ShutDown()
			for _, item := range []string{"a", "b", "a", "c"} {
				tc.queue.Add(item)
			}
			var got []string
			for tc.queue.Len() > 0 {
				item, _ := tc.queue.Get()
				got = append(got, item)
				tc.queue.Done(item)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// What has failed comes after a delay.
			tc.queue.AddRateLimited("late")
			if item, _ := tc.queue.Get(); item != "late" {
				t.Errorf("got %q", item)
			}
		})
	}
}
