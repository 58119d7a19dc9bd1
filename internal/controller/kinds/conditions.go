package kinds

import (
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// Problem is the reason why an object's kinds are not served as it specifies.
type Problem struct {
	Condition xpv2.ConditionType
	Reason    xpv2.ConditionReason
	Err       error
	// Retry is set if the problem may pass without a change of the object.
	Retry bool
	// Stalls is set if the problem will hardly pass until something is changed, even if it is tried
	// again.
	Stalls bool
	// Progress is set if it is no failure, and passes by itself. There is no event for it.
	Progress bool
}

// NotInstalled returns a problem that makes the conditions Installed and Healthy false.
func NotInstalled(reason xpv2.ConditionReason, err error) *Problem {
	return &Problem{Condition: v1alpha1.TypeInstalled, Reason: reason, Err: err}
}

// Unhealthy returns a problem that makes the condition Healthy false.
func Unhealthy(reason xpv2.ConditionReason, err error) *Problem {
	return &Problem{Condition: v1alpha1.TypeHealthy, Reason: reason, Err: err}
}

// Retried returns the problem with Retry set.
func (p *Problem) Retried() *Problem {
	p.Retry = true
	return p
}

// Served describes what is served for an object without a problem.
type Served struct {
	// Event is the message of the event when the object becomes healthy.
	Event string
	// Limitation is the message of the condition Healthy; empty if everything is supported.
	Limitation string
}

// SetConditions sets the conditions of an object, and records an event if Healthy changes. Ready
// follows Healthy, and Reconciling and Stalled are set for tools that compute a health from them.
// messages are the whole messages of conditions that show only a part. problem may be nil.
func (rt *Runtime) SetConditions(
	o client.Object, status *xpv2.ConditionedStatus, messages *map[string]string, problem *Problem, served Served,
) {
	crd.RestoreMessages(status.Conditions, *messages)
	defer func() { *messages = crd.ShortenMessages(status.Conditions) }()
	was := status.GetCondition(v1alpha1.TypeHealthy)
	installed, healthy := successConditions(o.GetGeneration())
	if problem != nil {
		installed, healthy = failureConditions(o.GetGeneration(), problem)
		if !was.Equal(healthy) && !problem.Progress {
			rt.Recorder.Event(o, event.Warning(event.Reason(problem.Reason), problem.Err))
		}
	} else if healthy.Message = served.Limitation; was.Status != corev1.ConditionTrue {
		rt.Recorder.Event(o, event.Normal(event.Reason(v1alpha1.ReasonHealthy), served.Event))
	}
	ready := healthy
	ready.Type = xpv2.TypeReady
	if problem == nil {
		ready.Reason, ready.Message = xpv2.ReasonAvailable, ""
	}
	status.SetConditions(installed, healthy, ready)
	setProgress(status, healthy, problem)
}

// setProgress sets the condition Reconciling while a problem may pass by itself, and Stalled while
// it does not. Without a problem there is neither.
func setProgress(status *xpv2.ConditionedStatus, healthy xpv2.Condition, problem *Problem) {
	var is xpv2.ConditionType
	switch {
	case problem == nil:
	case problem.stalls():
		is = v1alpha1.TypeStalled
	default:
		is = v1alpha1.TypeReconciling
	}
	status.Conditions = slices.DeleteFunc(status.Conditions, func(c xpv2.Condition) bool {
		return c.Type != is && (c.Type == v1alpha1.TypeStalled || c.Type == v1alpha1.TypeReconciling)
	})
	if is != "" {
		healthy.Type, healthy.Status = is, corev1.ConditionTrue
		status.SetConditions(healthy)
	}
}

// stalls reports whether the problem stays until something is changed.
func (p *Problem) stalls() bool {
	if p.Stalls {
		return true
	}
	switch p.Reason {
	case v1alpha1.ReasonBinaryNotFound, v1alpha1.ReasonCRDConflict, v1alpha1.ReasonInstallationMisconfigured, v1alpha1.ReasonKindInUse,
		v1alpha1.ReasonRegistryDenied, v1alpha1.ReasonVerificationFailed:
		return true // tried again, since what must change may be another object
	case v1alpha1.ReasonProviderNotRunning, v1alpha1.ReasonActivationFailed:
		return false
	}
	return !p.Retry && !p.Progress
}

// successConditions returns Installed and Healthy, both true.
func successConditions(generation int64) (installed, healthy xpv2.Condition) {
	return condition(v1alpha1.TypeInstalled, corev1.ConditionTrue, v1alpha1.ReasonInstalled, "", generation),
		condition(v1alpha1.TypeHealthy, corev1.ConditionTrue, v1alpha1.ReasonHealthy, "", generation)
}

// failureConditions returns Installed and Healthy for a problem. Without Installed, Healthy is
// false too.
func failureConditions(generation int64, p *Problem) (installed, healthy xpv2.Condition) {
	installed, _ = successConditions(generation)
	if p.Condition == v1alpha1.TypeInstalled {
		installed = condition(p.Condition, corev1.ConditionFalse, p.Reason, p.Err.Error(), generation)
	}
	return installed, condition(v1alpha1.TypeHealthy, corev1.ConditionFalse, p.Reason, p.Err.Error(), generation)
}

func condition(
	t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, message string, generation int64,
) xpv2.Condition {
	return xpv2.Condition{
		Type: t, Status: s, Reason: reason, Message: managed.Shorten(message), LastTransitionTime: metav1.Now(),
		ObservedGeneration: generation,
	}
}

// RetryOnConflict reconciles again soon, without logging an error, if the object that was read is
// outdated.
func RetryOnConflict(err error) (reconcile.Result, error) {
	if kerrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: 100 * time.Millisecond}, nil
	}
	return reconcile.Result{}, err
}
