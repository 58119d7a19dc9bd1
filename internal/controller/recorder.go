package controller

import (
	"hash/maphash"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// eventQueues is the number of pairs of queues among which namespaces are divided, so that one with
// many events neither delays nor displaces those of others.
const eventQueues = 16

// newRecorder returns a recorder that writes events at a bounded rate, so that they do not compete
// with the work. stop ends it.
func newRecorder(
	config *rest.Config, name string, perSecond float32, scheme *runtime.Scheme,
) (_ record.EventRecorder, stop func(), err error) {
	config = protobuf(config)
	config.QPS, config.Burst = perSecond, int(perSecond)
	c, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	out := &divided{seed: maphash.MakeSeed()}
	var broadcasters []record.EventBroadcaster
	queue := func() record.EventRecorder {
		b := record.NewBroadcaster()
		b.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.Events("")})
		broadcasters = append(broadcasters, b)
		return b.NewRecorder(scheme, corev1.EventSource{Component: name})
	}
	for i := range out.queues {
		out.queues[i] = recorder{once: queue(), repeated: queue()}
	}
	stop = func() {
		for _, b := range broadcasters {
			b.Shutdown()
		}
	}
	return out, stop, nil
}

// divided divides events among queues by the namespaces of their objects. The queues take turns.
type divided struct {
	queues [eventQueues]recorder
	seed   maphash.Seed
}

func (d *divided) of(object runtime.Object) recorder {
	namespace := ""
	switch o := object.(type) {
	case *corev1.ObjectReference:
		namespace = o.Namespace
	case metav1.Object:
		namespace = o.GetNamespace()
	}
	return d.queues[maphash.String(d.seed, namespace)%eventQueues]
}

// Event implements record.EventRecorder.
func (d *divided) Event(object runtime.Object, eventtype, reason, message string) {
	d.of(object).Event(object, eventtype, reason, message)
}

// Eventf implements record.EventRecorder.
func (d *divided) Eventf(object runtime.Object, eventtype, reason, format string, args ...any) {
	d.of(object).Eventf(object, eventtype, reason, format, args...)
}

// AnnotatedEventf implements record.EventRecorder.
func (d *divided) AnnotatedEventf(object runtime.Object, annotations map[string]string, eventtype, reason, format string, args ...any) {
	d.of(object).AnnotatedEventf(object, annotations, eventtype, reason, format, args...)
}

// recorder keeps events that each reconcile repeats, such as while a cloud is down, in a queue of
// their own: they neither delay nor displace events that happen once, such as that an identity
// changed. A broadcaster writes one event after the other, and drops those beyond a thousand.
type recorder struct {
	once, repeated record.EventRecorder
}

func (r recorder) of(reason string) record.EventRecorder {
	if managed.Repeats(reason) {
		return r.repeated
	}
	return r.once
}

// Event implements record.EventRecorder.
func (r recorder) Event(object runtime.Object, eventtype, reason, message string) {
	r.of(reason).Event(object, eventtype, reason, message)
}

// Eventf implements record.EventRecorder.
func (r recorder) Eventf(object runtime.Object, eventtype, reason, format string, args ...any) {
	r.of(reason).Eventf(object, eventtype, reason, format, args...)
}

// AnnotatedEventf implements record.EventRecorder.
func (r recorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, eventtype, reason, format string, args ...any) {
	r.of(reason).AnnotatedEventf(object, annotations, eventtype, reason, format, args...)
}
