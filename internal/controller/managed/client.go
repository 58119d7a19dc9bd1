package managed

import (
	"context"
	"maps"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// resourceClient reads and writes the resources of a kind. It
//   - writes a resource only if it differs from what was read,
//   - does not write values that references set in memory only,
//   - reads its own writes, so that a stale cache causes neither actions on old versions nor
//     conflicts,
//   - does not find resources that are being deleted and have none of our finalizers.
type resourceClient struct {
	cached  client.Client
	live    client.Reader
	gvk     schema.GroupVersionKind
	tracked *resources
	// gone is called with resources that do not exist.
	gone func(types.NamespacedName)
}

// read returns a resource.
func (c *resourceClient) read(ctx context.Context, key client.ObjectKey) (*CustomResource, error) {
	read := &unstructured.Unstructured{}
	read.SetGroupVersionKind(c.gvk)
	if err := c.cached.Get(ctx, key, read, client.UnsafeDisableDeepCopy); err != nil {
		c.tracked.revise(key, func(x tracked) tracked {
			x.written = nil
			return x
		})
		if c.gone != nil && kerrors.IsNotFound(err) {
			c.gone(key)
		}
		return nil, err
	}
	newest := c.tracked.newer(key, read)
	if released(newest) {
		return nil, kerrors.NewNotFound(schema.GroupResource{Group: c.gvk.Group, Resource: c.gvk.Kind}, key.Name)
	}
	r := &CustomResource{}
	r.assign(newest)
	return r, nil
}

// wrote remembers the object as written until the cache has it, without managed fields as there.
func (c *resourceClient) wrote(r *CustomResource) {
	r.SetManagedFields(nil)
	r.read, r.conditions = r.Unstructured.DeepCopy(), nil
	c.tracked.changed(client.ObjectKeyFromObject(r), r.GetResourceVersion())
	c.tracked.update(subjectOf(r), func(x tracked) tracked {
		x.written = r.read
		return x
	})
}

// update writes metadata and spec.
func (c *resourceClient) update(ctx context.Context, r *CustomResource, opts ...client.UpdateOption) error {
	defer references.Withhold(&r.Unstructured, r.unwritten)()
	if sameButStatus(r.read, &r.Unstructured) {
		return nil
	}
	// The answer has the old status: keep the one of this reconcile.
	status, conditions := r.Object["status"], r.conditions
	if err := c.cached.Update(ctx, &r.Unstructured, opts...); err != nil {
		return err
	}
	c.wrote(r)
	if status != nil {
		r.Object["status"] = status
	}
	r.conditions = conditions
	return nil
}

func sameButStatus(a, b *unstructured.Unstructured) bool {
	if a == nil {
		return false
	}
	return equality.Semantic.DeepEqual(a.Object["metadata"], b.Object["metadata"]) &&
		equality.Semantic.DeepEqual(a.Object["spec"], b.Object["spec"])
}

// updateStatus writes the status.
func (c *resourceClient) updateStatus(ctx context.Context, r *CustomResource) error {
	if r.holdStatus {
		return nil
	}
	r.setProgress()
	r.SetHandledReconcile()
	if r.conditions != nil {
		if err := r.EncodeConditions(); err != nil {
			return err
		}
	}
	// The spec of a paused resource is not looked at.
	if synced := r.GetCondition(xpv2.TypeSynced); synced.ObservedGeneration != 0 && synced.Reason != xpv2.ReasonReconcilePaused {
		r.set(r.GetGeneration(), "status", "observedGeneration")
	}
	if r.read != nil && sameStatus(r.read, &r.Unstructured) {
		c.tracked.note(r)
		return nil
	}
	defer references.Withhold(&r.Unstructured, r.unwritten)()
	faultpoint.Reach(faultpoint.Status, faultpoint.BeforeWrite)
	if err := c.cached.Status().Update(ctx, &r.Unstructured); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Status, faultpoint.AfterWrite)
	c.wrote(r)
	c.tracked.note(r)
	return nil
}

// sameStatus reports whether the status of a resource need not be written. An external name is
// written with what else has changed: releases that did not know the field have left thousands of
// resources without it, and an upgrade must not write them all at once.
func sameStatus(read, now *unstructured.Unstructured) bool {
	before, _ := read.Object["status"].(map[string]any)
	after, _ := now.Object["status"].(map[string]any)
	if _, ok := before["externalName"]; !ok && len(before) > 0 {
		after = maps.Clone(after)
		delete(after, "externalName")
	}
	return equality.Semantic.DeepEqual(before, after)
}

// client returns the client of the kind's resources, which releases the memory about resources that
// are gone.
func (k *Kind) client(cached client.Client, live client.Reader) *resourceClient {
	return &resourceClient{
		cached: cached, live: live, gvk: k.Model.GroupVersionKind(), tracked: k.tracked,
		gone: func(name types.NamespacedName) {
			k.Scheduler.Gone(k.keyOf(name))
			k.usesSecrets(k.keyOf(name), nil)
			k.tracked.gone(name)
		},
	}
}
