package controller_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"

	"github.com/landbridge-io/landbridge/internal/controller"
)

func TestRecorderQueuesRepeatedFailuresApart(t *testing.T) {
	t.Parallel()
	once, repeated := record.NewFakeRecorder(10), record.NewFakeRecorder(10)
	r := controller.Recorder(once, repeated)
	r.Event(nil, corev1.EventTypeNormal, "IdentityChanged", "a")
	r.Event(nil, corev1.EventTypeWarning, "CannotObserveExternalResource", "b")
	r.Eventf(nil, corev1.EventTypeWarning, "CannotConnectToProvider", "%s", "c")
	r.AnnotatedEventf(nil, nil, corev1.EventTypeWarning, "CannotCreateExternalResource", "%s", "d")
	for name, test := range map[string]struct {
		recorder *record.FakeRecorder
		want     []string
	}{
		"once":     {once, []string{"Normal IdentityChanged a", "Warning CannotCreateExternalResource d"}},
		"repeated": {repeated, []string{"Warning CannotObserveExternalResource b", "Warning CannotConnectToProvider c"}},
	} {
		if len(test.recorder.Events) != len(test.want) {
			t.Fatalf("%s: %d events, want %d", name, len(test.recorder.Events), len(test.want))
		}
		for _, want := range test.want {
			if got := <-test.recorder.Events; got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}
