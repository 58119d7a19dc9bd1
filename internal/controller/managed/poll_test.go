package managed_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// The poll interval of a resource is that of its annotation, of its type, of its provider, or of
// the controller.
func TestPollInterval(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		annotation     string
		kind, provider time.Duration
		want           time.Duration
	}{
		"of the controller":           {want: time.Minute},
		"of the provider":             {provider: time.Hour, want: time.Hour},
		"of the type":                 {provider: time.Hour, kind: 2 * time.Hour, want: 2 * time.Hour},
		"of the annotation":           {annotation: "30s", provider: time.Hour, kind: 2 * time.Hour, want: 30 * time.Second},
		"too short":                   {annotation: "1ms", want: time.Second},
		"an annotation with no time":  {annotation: "often", provider: time.Hour, want: time.Hour},
		"too short, of the provider":  {provider: time.Millisecond, want: time.Second},
		"a negative one is no answer": {annotation: "-5m", want: time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := kind(t)
			k.Options.Poll = time.Minute
			k.Poll = func() time.Duration { return test.provider }
			k.Model.Settings.PollInterval = test.kind
			u := &unstructured.Unstructured{Object: m{"metadata": m{}}}
			if test.annotation != "" {
				u.SetAnnotations(map[string]string{"crossplane.io/poll-interval": test.annotation})
			}
			seen := map[time.Duration]bool{}
			for range 100 {
				got := managed.Poll(k, u)
				if got < test.want*9/10 || got > test.want*11/10 {
					t.Fatalf("the interval is %s, want %s with a jitter of a tenth", got, test.want)
				}
				seen[got] = true
			}
			if len(seen) < 50 {
				t.Errorf("%d different intervals of 100", len(seen))
			}
		})
	}
}
