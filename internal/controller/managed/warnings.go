package managed

import (
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/translate"
)

const (
	// maxWarnings bounds status.warnings, and maxWarning each of them in bytes.
	maxWarnings = 20
	maxWarning  = 1 << 10
)

const reasonWarned event.Reason = "Warned"

// setWarnings sets status.warnings. A warning that was not there before has an event. While an
// operation runs, the warnings stay as they are.
func (e *external) setWarnings(r *CustomResource, status map[string]any, o *scheduler.Observation) {
	before, _, _ := unstructured.NestedStringSlice(r.Object, "status", "warnings")
	now := before
	if o.Operation == nil {
		now = e.warningTexts(r, o)
	}
	if len(now) == 0 {
		return
	}
	list := make([]any, len(now))
	for i, w := range now {
		list[i] = w
		if !slices.Contains(before, w) {
			e.kind.Options.Recorder.Event(r, warning(reasonWarned, w))
		}
	}
	status["warnings"] = list
}

// notFollowed precedes what is told of a field that does not follow its reference.
const notFollowed = "Reference not followed: "

// differsOtherwise reports whether other fields follow their references than status.warnings tells.
func (r *CustomResource) differsOtherwise() bool {
	told, _, _ := unstructured.NestedStringSlice(r.Object, "status", "warnings")
	var before, now []string
	for _, w := range told {
		if strings.HasPrefix(w, notFollowed) {
			before = append(before, w)
		}
	}
	for _, text := range r.differs {
		now = append(now, Shortened(notFollowed+text, maxWarning))
	}
	return !slices.Equal(before, now)
}

// warningTexts returns the warnings about the configuration, those of the provider, and those about
// numbers that the status does not hold exactly, each once.
func (e *external) warningTexts(r *CustomResource, o *scheduler.Observation) []string {
	var out []string
	for _, text := range r.differs {
		out = append(out, Shortened(notFollowed+text, maxWarning))
	}
	var others []string
	for _, d := range slices.Concat(e.warnings, o.Warnings) {
		others = append(others, e.conceal(translate.Message(e.kind.Model, diagnostic.Diagnostics{d}), r.secrets, o))
	}
	if o.Exists() {
		others = append(others, translate.Rounded(e.kind.Model, o.Instance.State, o.Instance.Identity)...)
	}
	for _, text := range others {
		if text = Shortened(text, maxWarning); !slices.Contains(out, text) && len(out) < maxWarnings {
			out = append(out, text)
		}
	}
	return out
}
