package journal

import (
	"encoding/json"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Timeouts bound the operations of a resource.
type Timeouts struct {
	// Own are those of the resource, and Default those for which neither it nor the arguments of
	// its object specify any.
	Own, Default desired.Timeouts
	// Otherwise bounds operations that nothing else bounds.
	Otherwise time.Duration
}

// Of returns the timeout of an operation. If the provider has its own timeout, the operation gets
// somewhat more: after its own timeout the provider's answer shows what exists, while a cancelled
// operation has no answer.
func (t Timeouts) Of(kind instance.OperationKind, state cty.Value, private []byte) time.Duration {
	if own := t.Own.Of(kind); own > 0 {
		return own
	}
	if attribute := timeoutAttribute(state, kind); attribute > 0 {
		return withMargin(attribute)
	}
	if standard := t.Default.Of(kind); standard > 0 {
		return standard
	}
	// The defaults of the provider's authors may lengthen the timeout, but not shorten it.
	return max(t.Otherwise, withMargin(legacyTimeout(private, kind)))
}

func withMargin(t time.Duration) time.Duration {
	if t <= 0 {
		return 0
	}
	return t + max(t/10, 30*time.Second)
}

// timeoutNames are the names of an operation's timeout in a timeouts object, best first.
var timeoutNames = map[instance.OperationKind][]string{
	instance.Create: {"create", "default"},
	instance.Update: {"update", "default"},
	instance.Delete: {"delete", "default"},
}

// timeoutAttribute returns the timeout of the block or attribute timeouts, which both SDKs have by
// convention (contract § 3.12).
func timeoutAttribute(state cty.Value, kind instance.OperationKind) time.Duration {
	timeouts := instance.Attribute(state, "timeouts")
	for _, name := range timeoutNames[kind] {
		if v := instance.Attribute(timeouts, name); v != cty.NilVal && v.Type() == cty.String {
			if t, err := time.ParseDuration(v.AsString()); err == nil {
				return t
			}
		}
	}
	return 0
}

// legacyTimeouts is the key of timeouts in the private bytes of the legacy SDK. They include the
// defaults of the provider's authors (contract § 5).
const legacyTimeouts = "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0"

func legacyTimeout(private []byte, kind instance.OperationKind) time.Duration {
	var meta map[string]json.RawMessage
	var nanoseconds map[string]int64
	if json.Unmarshal(private, &meta) != nil || json.Unmarshal(meta[legacyTimeouts], &nanoseconds) != nil {
		return 0 // not of the legacy SDK
	}
	for _, name := range timeoutNames[kind] {
		if n, ok := nanoseconds[name]; ok {
			return time.Duration(n)
		}
	}
	return 0
}

// TimedOut is the error of an operation that has not ended in time.
func TimedOut(kind instance.OperationKind, after time.Duration) diagnostic.Diagnostics {
	name := timeoutNames[kind][0]
	return diagnostic.Errorf("Operation timed out",
		"The operation did not end within %s. Set spec.lifecycle.timeouts.%s if it needs longer.", after, name)
}
