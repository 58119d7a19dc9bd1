package desired

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Timeouts bound operations, without the time that they wait for their turn. 0 means that the
// duration is not specified.
type Timeouts struct{ Create, Update, Delete time.Duration }

// Of returns the timeout of operations of a kind.
func (t Timeouts) Of(kind instance.OperationKind) time.Duration {
	switch kind {
	case instance.Create:
		return t.Create
	case instance.Update:
		return t.Update
	default:
		return t.Delete
	}
}

// timeouts reads spec.lifecycle.timeouts. The CRD admits only Go durations.
func timeouts(in map[string]any) (Timeouts, diagnostic.Diagnostics) {
	var out Timeouts
	var diags diagnostic.Diagnostics
	for _, t := range []struct {
		name string
		into *time.Duration
	}{{"create", &out.Create}, {"update", &out.Update}, {"delete", &out.Delete}} {
		text, ok := in[t.name].(string)
		if !ok {
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			diags = append(diags, diagnostic.Errorf("Invalid timeout",
				"spec.lifecycle.timeouts.%s is %q. Give a duration such as 30m or 1h30m.", t.name, text)...)
			continue
		}
		*t.into = d
	}
	return out, diags
}

// gracePeriod reads spec.lifecycle.creationGracePeriod, with the default of the kind's
// configuration.
func gracePeriod(in any, configured *time.Duration) (*time.Duration, diagnostic.Diagnostics) {
	text, ok := in.(string)
	if !ok {
		return configured, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return configured, diagnostic.Errorf("Invalid duration",
			"spec.lifecycle.creationGracePeriod is %q. Give a duration such as 30s or 2m.", text)
	}
	return &d, nil
}

// defaultTimeouts returns those of the kind's configuration.
func defaultTimeouts(t config.Timeouts) Timeouts {
	return Timeouts{
		Create: ptr.Deref(t.Create, metav1.Duration{}).Duration,
		Update: ptr.Deref(t.Update, metav1.Duration{}).Duration,
		Delete: ptr.Deref(t.Delete, metav1.Duration{}).Duration,
	}
}
