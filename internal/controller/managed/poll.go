package managed

import (
	"math/rand/v2"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// minPoll is the shortest poll interval.
const minPoll = time.Second

// poll returns the interval between reconciles of an unchanged resource, with a jitter of a tenth.
func (k *Kind) poll(o metav1.Object) time.Duration {
	interval := k.interval(o)
	return interval + time.Duration((rand.Float64()*2-1)*float64(interval/10))
}

// interval returns the poll interval of a resource: that of its annotation, of its type, of its provider, or of the
// controller.
func (k *Kind) interval(o metav1.Object) time.Duration {
	if d, ok := meta.GetPollInterval(o); ok {
		return max(d, minPoll)
	}
	if d := k.Model.Settings.PollInterval; d > 0 {
		return max(d, minPoll)
	}
	if k.Poll != nil {
		if d := k.Poll(); d > 0 {
			return max(d, minPoll)
		}
	}
	return k.Options.Poll
}

// pollHook replaces the interval that managed.Reconciler knows.
func (k *Kind) pollHook(mg resource.Managed, _ time.Duration) time.Duration { return k.poll(mg) }
