package managed

import (
	"context"
	"encoding/json"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// setAnnotations writes the external name, the identity and the finalizer in one update, unless
// they are written already.
func (e *external) setAnnotations(ctx context.Context, r *CustomResource, o *scheduler.Observation) error {
	if !o.Exists() || meta.WasDeleted(r) || o.Operation != nil {
		return nil
	}
	annotations := r.GetAnnotations()
	want := map[string]string{}
	if name := e.externalName(r, o); name != "" {
		want[meta.AnnotationKeyExternalName] = name
	}
	if o.Instance.HasIdentity() {
		b, err := json.Marshal(translate.Identity(e.kind.Model, o.Instance.Identity))
		if err != nil {
			return err
		}
		want[v1alpha1.AnnotationIdentity] = string(b)
	}
	changed := false
	for k, v := range want {
		changed = changed || annotations[k] != v
	}
	if !changed && finalizerReplaced(r) {
		return nil
	}
	if e.kind.turns.Busy() && !longReady(r) && replacementOf(&r.Unstructured) == nil {
		// Other resources wait: report first that this one is ready, and write these later.
		r.annotationsLeft = true
		return nil
	}
	meta.AddAnnotations(r, want)
	replaceFinalizer(r)
	faultpoint.Reach(faultpoint.Annotate, faultpoint.BeforeWrite)
	err := e.client.update(ctx, r)
	faultpoint.Reach(faultpoint.Annotate, faultpoint.AfterWrite)
	return err
}

// externalName returns the external name of the observed object; empty if there is none. It is the
// annotation's value where that is an argument of the object.
func (e *external) externalName(r *CustomResource, o *scheduler.Observation) string {
	if !o.Exists() {
		return ""
	}
	if given := meta.GetExternalName(r); e.kind.Model.Settings.Argument != nil && given != "" {
		return given
	}
	return translate.ExternalName(e.kind.Model, o.Instance.State, o.Instance.Identity)
}

// longReady reports whether the resource has been ready so long that remaining writes are not
// postponed any more.
func longReady(r *CustomResource) bool {
	c := r.GetCondition(xpv2.TypeReady)
	return c.Status == corev1.ConditionTrue && time.Since(c.LastTransitionTime.Time) > turns.LongestWait
}
