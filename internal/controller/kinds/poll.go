package kinds

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetPoll sets the poll interval of the resources of an owner, which is a value of LabelProvider. Without one, it is that
// of all resources.
func (rt *Runtime) SetPoll(owner string, interval *metav1.Duration) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	delete(rt.polls, owner)
	if interval == nil {
		return
	}
	if rt.polls == nil {
		rt.polls = map[string]time.Duration{}
	}
	rt.polls[owner] = interval.Duration
}

// Poll returns a function that returns the poll interval of the resources of an owner; 0 if it has none.
func (rt *Runtime) Poll(owner string) func() time.Duration {
	return func() time.Duration {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		return rt.polls[owner]
	}
}
