package managed

import (
	"context"
	"maps"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// quietClient is the client that managed.Reconciler gets, for one kind. It
//   - writes an object only if it differs from what was read,
//   - does not write values that references set in memory only,
//   - reads its own writes, so that a stale cache causes neither actions on old versions nor
//     conflicts,
//   - does not find objects that are being deleted and have none of our finalizers,
//   - does not write the external-create-* annotations, because the journal replaces them,
//   - reads Secrets from the API server, because they must not be cached.
type quietClient struct {
	client.Client
	live    client.Reader
	gvk     schema.GroupVersionKind
	tracked *resources
	// gone is called with resources that do not exist.
	gone func(types.NamespacedName)
}

func quietClientOf(cached client.Client, live client.Reader, gvk schema.GroupVersionKind, t *resources) *quietClient {
	return &quietClient{Client: cached, live: live, gvk: gvk, tracked: t}
}

// quietManager passes the quietClient to managed.NewReconciler.
type quietManager struct {
	manager.Manager
	client *quietClient
	scheme *runtime.Scheme
}

func (m quietManager) GetScheme() *runtime.Scheme { return m.scheme }

func (m quietManager) GetClient() client.Client { return m.client }

// Get implements client.Reader.
func (c *quietClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	r, ok := obj.(*CustomResource)
	if !ok {
		if _, secret := obj.(*corev1.Secret); secret {
			return c.live.Get(ctx, key, obj, opts...)
		}
		return c.Client.Get(ctx, key, obj, opts...)
	}
	read := &unstructured.Unstructured{}
	read.SetGroupVersionKind(c.gvk)
	if err := c.Client.Get(ctx, key, read, append(opts, client.UnsafeDisableDeepCopy)...); err != nil {
		c.tracked.revise(key, func(x tracked) tracked {
			x.written = nil
			return x
		})
		if c.gone != nil && kerrors.IsNotFound(err) {
			c.gone(key)
		}
		return err
	}
	newest := c.tracked.newer(key, read)
	if released(newest) {
		return kerrors.NewNotFound(schema.GroupResource{Group: c.gvk.Group, Resource: c.gvk.Kind}, key.Name)
	}
	r.assign(newest)
	if a := attemptFrom(ctx); a != nil {
		a.resource = r
	}
	return nil
}

// wrote remembers the object as written until the cache has it, without managed fields as there.
func (c *quietClient) wrote(r *CustomResource) {
	r.SetManagedFields(nil)
	r.read, r.conditions = r.Unstructured.DeepCopy(), nil
	c.tracked.changed(client.ObjectKeyFromObject(r), r.GetResourceVersion())
	c.tracked.update(subjectOf(r), func(x tracked) tracked {
		x.written = r.read
		return x
	})
}

// Update implements client.Writer. It writes metadata and spec.
func (c *quietClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	r, ok := obj.(*CustomResource)
	if !ok {
		return c.Client.Update(ctx, obj, opts...)
	}
	withoutCreateProtocol(r)
	defer references.Withhold(&r.Unstructured, r.unwritten)()
	if sameButStatus(r.read, &r.Unstructured) {
		return nil
	}
	// The answer has the old status: keep the one of this reconcile.
	status, conditions := r.Object["status"], r.conditions
	if err := c.Client.Update(ctx, &r.Unstructured, opts...); err != nil {
		return err
	}
	c.wrote(r)
	if status != nil {
		r.Object["status"] = status
	}
	r.conditions = conditions
	return nil
}

// withoutCreateProtocol removes the annotations of Crossplane's create protocol.
func withoutCreateProtocol(r *CustomResource) {
	annotations := r.GetAnnotations()
	n := len(annotations)
	maps.DeleteFunc(annotations, func(k, _ string) bool { return strings.HasPrefix(k, "crossplane.io/external-create-") })
	if len(annotations) == 0 {
		annotations = nil // as read: absent instead of empty
	}
	if len(annotations) != n {
		r.SetAnnotations(annotations)
	}
}

func sameButStatus(a, b *unstructured.Unstructured) bool {
	if a == nil {
		return false
	}
	return equality.Semantic.DeepEqual(a.Object["metadata"], b.Object["metadata"]) && equality.Semantic.DeepEqual(a.Object["spec"], b.Object["spec"])
}

// Status implements client.StatusClient.
func (c *quietClient) Status() client.SubResourceWriter {
	return quietStatus{SubResourceWriter: c.Client.Status(), c: c}
}

type quietStatus struct {
	client.SubResourceWriter
	c *quietClient
}

// Update implements client.SubResourceWriter.
func (s quietStatus) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	r, ok := obj.(*CustomResource)
	if !ok {
		return s.SubResourceWriter.Update(ctx, obj, opts...)
	}
	if r.holdStatus {
		return nil
	}
	r.setProgress()
	r.setHandledReconcile()
	if r.conditions != nil {
		if err := r.encodeConditions(); err != nil {
			return err
		}
	}
	// The spec of a paused resource is not looked at.
	if synced := r.GetCondition(xpv2.TypeSynced); synced.ObservedGeneration != 0 && synced.Reason != xpv2.ReasonReconcilePaused {
		r.set(r.GetGeneration(), "status", "observedGeneration")
	}
	if r.read != nil && equality.Semantic.DeepEqual(r.read.Object["status"], r.Object["status"]) {
		s.c.tracked.note(r)
		return nil
	}
	defer references.Withhold(&r.Unstructured, r.unwritten)()
	faultpoint.Reach(faultpoint.Status, faultpoint.BeforeWrite)
	if err := s.SubResourceWriter.Update(ctx, &r.Unstructured, opts...); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Status, faultpoint.AfterWrite)
	s.c.wrote(r)
	s.c.tracked.note(r)
	return nil
}

// quietClient returns the client of the kind's reconciler, which releases the memory about
// resources that are gone.
func (k *Kind) quietClient(cached client.Client, live client.Reader) *quietClient {
	out := quietClientOf(cached, live, k.Model.GroupVersionKind(), k.tracked)
	out.gone = func(name types.NamespacedName) {
		k.Scheduler.Gone(k.keyOf(name))
		k.usesSecrets(k.keyOf(name), nil)
		k.tracked.gone(name)
	}
	return out
}
