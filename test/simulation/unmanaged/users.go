package unmanaged

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// maxAttempts bounds the attempts of actions that are invoked again.
const maxAttempts = 3

// lifetimes are how long tokens last; 0s is for ever.
var lifetimes = []string{"1m", "5m", "1h", "0s"}

// operate does something that users do.
func (w *world) operate() {
	k := pick(w, w.keys...)
	u := w.objects[k]
	mode := w.modeOf(k)
	switch {
	case u == nil:
		w.create(k)
	case u.GetDeletionTimestamp() != nil:
	case w.one(4):
		w.delete(k)
	case w.one(4):
		w.edit(k, func(u *unstructured.Unstructured) {
			u.SetAnnotations(merged(u.GetAnnotations(), v1alpha1.AnnotationReconcile, w.nextVersion()))
		})
	case mode == model.Action:
		suspend, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend")
		w.edit(k, func(u *unstructured.Unstructured) { set(u, !suspend, "spec", "suspend") })
	case mode == model.Ephemeral && w.one(3):
		w.note("a user deletes the Secret of %s", named(k))
		delete(w.secrets, out(k))
		w.unseen(k)
		w.log = append(w.log, event{k, u}) // controllers watch the Secrets that objects use
	case mode == model.Ephemeral:
		w.edit(k, func(u *unstructured.Unstructured) {
			set(u, pick(w, lifetimes...), "spec", "forProvider", "lifetime")
		})
	case w.one(3):
		w.edit(k, func(u *unstructured.Unstructured) { set(u, pick(w, "x", "y"), "spec", "forProvider", "name") })
	default:
		name := unmanaged.TextOf(u, "spec", "forProvider", "name")
		w.cloud.values[name]++
		w.note("%s is %d", name, w.cloud.values[name])
	}
}

// out is the Secret that an object names.
func out(k store.Key) types.NamespacedName {
	return types.NamespacedName{Namespace: k.Namespace, Name: "out-" + k.Kind + "-" + k.Name}
}

func set(u *unstructured.Unstructured, value any, path ...string) {
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		panic(err)
	}
}

func merged(annotations map[string]string, name, value string) map[string]string {
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	return annotations
}

// create creates an object.
func (w *world) create(k store.Key) {
	mode := w.modeOf(k)
	uid := fmt.Sprint("uid-", w.nextVersion())
	spec := map[string]any{}
	switch mode {
	case model.Action:
		spec["forProvider"] = map[string]any{"label": uid}
		spec["retryPolicy"], spec["maxAttempts"], spec["suspend"] = pick(w, "Never", "OnFailure"), int64(maxAttempts), w.one(4)
		if w.one(3) {
			spec["ttlSecondsAfterFinished"] = int64(20)
		}
	case model.Ephemeral:
		spec["forProvider"] = map[string]any{"name": uid, "lifetime": pick(w, lifetimes...)}
		spec["writeConnectionSecretToRef"] = map[string]any{"name": out(k).Name}
	default:
		spec["forProvider"] = map[string]any{"name": pick(w, "x", "y")}
		spec["writeConnectionSecretToRef"] = map[string]any{"name": out(k).Name}
		spec["refreshInterval"] = pick(w, "10s", "1m")
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec, "status": map[string]any{"observedGeneration": int64(-1)}}}
	u.SetGroupVersionKind(w.models[mode].GroupVersionKind())
	u.SetNamespace(k.Namespace)
	u.SetName(k.Name)
	u.SetUID(types.UID(uid))
	u.SetGeneration(1)
	u.SetCreationTimestamp(metav1.Now())
	w.note("a user creates %s: %v", named(k), spec)
	w.put(u)
}

// edit changes an object as a user does.
func (w *world) edit(k store.Key, change func(*unstructured.Unstructured)) {
	old := w.objects[k]
	u := old.DeepCopy()
	change(u)
	if !equality.Semantic.DeepEqual(old.Object["spec"], u.Object["spec"]) {
		u.SetGeneration(old.GetGeneration() + 1)
	}
	w.note("a user changes %s: %v %v", named(k), u.Object["spec"], u.GetAnnotations())
	w.put(u)
}

// delete begins the deletion of an object.
func (w *world) delete(k store.Key) {
	u := w.objects[k].DeepCopy()
	if u.GetDeletionTimestamp() != nil {
		return
	}
	w.note("%s is deleted", named(k))
	now := metav1.NewTime(time.Now())
	u.SetDeletionTimestamp(&now)
	u.SetGeneration(u.GetGeneration() + 1)
	w.put(u)
}

// resumeAll lets all actions begin.
func (w *world) resumeAll() {
	for _, k := range w.keys {
		if u := w.objects[k]; u != nil && u.GetDeletionTimestamp() == nil && w.modeOf(k) == model.Action {
			w.edit(k, func(u *unstructured.Unstructured) { set(u, false, "spec", "suspend") })
		}
	}
}
