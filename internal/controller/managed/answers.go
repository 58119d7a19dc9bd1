package managed

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// An answer is what a dependent says to the replacement of an object that it depends on.
// status.awaitedReplacements has all of them.

// answersOf returns the answers of a dependent.
func answersOf(u *unstructured.Unstructured) []managed.AwaitedReplacement {
	raw, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "awaitedReplacements")
	list, _ := raw.([]any)
	out := make([]managed.AwaitedReplacement, 0, len(list))
	for _, x := range list {
		fields, _ := x.(map[string]any)
		var a managed.AwaitedReplacement
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &a); err == nil {
			out = append(out, a)
		}
	}
	return out
}

// answerTo returns the answer of a dependent to the replacement of the object of a resource.
func answerTo(u *unstructured.Unstructured, to types.UID) (managed.AwaitedReplacement, bool) {
	for _, a := range answersOf(u) {
		if a.UID == string(to) {
			return a, true
		}
	}
	return managed.AwaitedReplacement{}, false
}

// awaitsReplacement reports whether a dependent takes part in a replacement, or has to note that it
// does not any more.
func (r *CustomResource) awaitsReplacement() bool {
	return len(r.replaced) > 0 || len(answersOf(&r.Unstructured)) > 0
}

func (r *CustomResource) setAnswers(answers []managed.AwaitedReplacement) {
	list := make([]any, 0, len(answers))
	for i := range answers {
		if fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&answers[i]); err == nil {
			list = append(list, fields)
		}
	}
	if len(list) == 0 {
		unstructured.RemoveNestedField(r.Object, "status", "awaitedReplacements")
		return
	}
	r.set(list, "status", "awaitedReplacements")
}

// followed removes the answers to replacements that are over, when what the resource refers to is
// set.
func (f referrer) followed(r *CustomResource) {
	before := answersOf(&r.Unstructured)
	if len(before) == 0 {
		return
	}
	r.setAnswers(slices.DeleteFunc(before, func(a managed.AwaitedReplacement) bool { return r.replaced[f.kind.keyOfAnswer(a)] == nil }))
}

// setFollows notes that the object fits the new objects of what it refers to.
func (k *Kind) setFollows(r *CustomResource, o *scheduler.Observation) {
	answers := answersOf(&r.Unstructured)
	changed := false
	for i, a := range answers {
		p := replacementOf(r.replaced[k.keyOfAnswer(a)])
		if p != nil && p.Phase == phaseFollowing && !a.Follows && (o.UpToDate() || !o.Exists() && a.Effect == "") {
			answers[i].Follows, changed = true, true
		}
	}
	if changed {
		r.setAnswers(answers)
	}
}
