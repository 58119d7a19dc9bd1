package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// newRecorder returns a recorder that writes events at a bounded rate, so that they do not compete
// with the work. stop ends it.
func newRecorder(config *rest.Config, name string, perSecond float32, scheme *runtime.Scheme) (_ record.EventRecorder, stop func(), err error) {
	config = protobuf(config)
	config.QPS, config.Burst = perSecond, int(perSecond)
	c, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	var recorders [2]record.EventRecorder
	var broadcasters [2]record.EventBroadcaster
	for i := range broadcasters {
		b := record.NewBroadcaster()
		b.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: c.Events("")})
		recorders[i], broadcasters[i] = b.NewRecorder(scheme, corev1.EventSource{Component: name}), b
	}
	stop = func() {
		for _, b := range broadcasters {
			b.Shutdown()
		}
	}
	return recorder{once: recorders[0], repeated: recorders[1]}, stop, nil
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
