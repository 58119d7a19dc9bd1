package managed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/text"
)

// The API server stores at most 1.5 MiB of a custom resource. These bounds leave most of it to
// spec, so that a condition can always be written. The changes of a plan have bounds of their own
// (translate.Changes).
const (
	// MaxAtProvider bounds status.atProvider, in bytes of JSON.
	MaxAtProvider = 256 << 10
	// maxExternalName bounds status.externalName: a longer one does not fit into a request.
	maxExternalName = 1 << 10
	// maxMessage bounds the message of a condition, in bytes.
	maxMessage = 16 << 10
	// maxNames bounds the names of fields in a condition.
	maxNames = 20
)

// FitObject removes the largest fields of an object until its JSON has at most the given size. It
// returns their names.
func FitObject(object map[string]any, most int) []string {
	if atMost(object, most) {
		return nil
	}
	sizes, total := make(map[string]int, len(object)), len("{}")
	names := make([]string, 0, len(object))
	for name, v := range object {
		sizes[name] = jsonSize(v) + len(name) + len(`"":,`)
		total += sizes[name]
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b)) })
	var out []string
	for ; total > most; names = names[1:] {
		total -= sizes[names[0]]
		delete(object, names[0])
		out = append(out, names[0])
	}
	slices.Sort(out)
	return out
}

func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return 0 // never: the values came from JSON, or are text, numbers and booleans
	}
	return len(b)
}

// atMost reports whether the JSON of a value certainly has at most the given size. It takes a
// fraction of the time of encoding the value.
func atMost(v any, most int) bool { return bound(v, most) >= 0 }

// bound returns what is left of a size after the longest JSON that a value may have.
func bound(v any, left int) int {
	switch v := v.(type) {
	case string:
		return left - 6*len(v) - 3 // a byte has six at most, as \u001f
	case map[string]any:
		left -= 3
		for name, element := range v {
			if left = bound(element, left-6*len(name)-4); left < 0 {
				return left
			}
		}
	case []any:
		left -= 3
		for _, element := range v {
			if left = bound(element, left); left < 0 {
				return left
			}
		}
	default:
		return left - 32
	}
	return left
}

// Shorten bounds the message of a condition.
func Shorten(message string) string { return Shortened(message, maxMessage) }

// Shortened returns a message of at most a number of bytes, and then says how many more there are.
func Shortened(message string, most int) string {
	if len(message) <= most {
		return message
	}
	kept := text.Prefix(message, most)
	return fmt.Sprintf("%s … (%d more bytes)", kept, len(message)-len(kept))
}

// setComplete sets the condition about fields that are left out of status.atProvider.
func (e *external) setComplete(r *CustomResource, leftOut []string) {
	c := xpv2.Condition{
		Type: v1alpha1.TypeStatusComplete, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonNothingLeftOut, LastTransitionTime: metav1.Now(),
	}
	if len(leftOut) > 0 {
		text := strings.Join(leftOut[:min(len(leftOut), maxNames)], ", ")
		if more := len(leftOut) - maxNames; more > 0 {
			text = fmt.Sprintf("%s and %d more", text, more)
		}
		c.Status, c.Reason = corev1.ConditionFalse, v1alpha1.ReasonFieldsLeftOut
		c.Message = fmt.Sprintf("status.atProvider leaves out %s, since it has at most %d KiB. The whole state is "+
			"shown by: landbridge state show %s %s",
			text, MaxAtProvider>>10, e.kind.Model.Kind, e.kind.named(r))
	} else if r.GetCondition(c.Type).Status != corev1.ConditionFalse {
		return
	}
	r.SetConditions(c.WithObservedGeneration(r.GetGeneration()))
}

// named returns the arguments that name a resource on the command line.
func (k *Kind) named(r *CustomResource) string {
	if r.GetNamespace() == "" {
		return r.GetName()
	}
	return r.GetName() + " --namespace " + r.GetNamespace()
}

// maxPaths bounds the fields that a message names.
const maxPaths = 5
