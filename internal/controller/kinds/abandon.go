package kinds

import (
	"context"
	"errors"
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Abandon writes into the status of the objects of an owner's kinds that no controller serves them
// any more, because of why. It is for kinds whose controllers have stopped. served reports the CRDs
// whose kinds are still served; nil is none. A controller that serves them again corrects the
// status.
func (rt *Runtime) Abandon(ctx context.Context, owner, why string, served func(*apiextensionsv1.CustomResourceDefinition) bool) error {
	definitions, err := rt.definitions(ctx, owner)
	if err != nil {
		return err
	}
	var errs []error
	for i := range definitions {
		c := &definitions[i]
		if served != nil && served(c) {
			continue
		}
		errs = append(errs, rt.each(ctx, listKind(c), func(u *unstructured.Unstructured) error {
			return rt.abandon(ctx, u, why, isConfig(c.Spec.Names.Kind))
		}))
	}
	return errors.Join(errs...)
}

func (rt *Runtime) abandon(ctx context.Context, u *unstructured.Unstructured, why string, config bool) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		changed, err := setAbandoned(u, why, config)
		if err != nil || !changed {
			return err
		}
		err = rt.Manager.GetClient().Status().Update(ctx, u)
		if kerrors.IsConflict(err) {
			if err := rt.Manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
				return err
			}
		}
		return err
	})
	return client.IgnoreNotFound(err)
}

// setAbandoned sets the conditions of an object that no controller serves, and reports whether they
// change. Its observedGeneration stays, so that a later change of its spec shows as not seen.
func setAbandoned(u *unstructured.Unstructured, why string, config bool) (changed bool, _ error) {
	status, _, _ := unstructured.NestedMap(u.Object, "status")
	of := xpv2.ConditionedStatus{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(status, &of); err != nil {
		return false, fmt.Errorf("the conditions of %s %s cannot be decoded: %w", u.GetKind(), u.GetName(), err)
	}
	messages, _ := status["messages"].(map[string]any)
	set := func(t xpv2.ConditionType, s corev1.ConditionStatus) {
		c := condition(t, s, v1alpha1.ReasonNoController, why, u.GetGeneration())
		if now := of.GetCondition(t); !now.Equal(c) {
			of.SetConditions(c)
			delete(messages, string(t))
			changed = true
		}
	}
	if !config {
		set(xpv2.TypeSynced, corev1.ConditionFalse)
	}
	set(xpv2.TypeReady, corev1.ConditionUnknown)
	set(v1alpha1.TypeStalled, corev1.ConditionTrue)
	kept := of.Conditions[:0]
	for _, c := range of.Conditions {
		if c.Type != v1alpha1.TypeReconciling {
			kept = append(kept, c)
		}
	}
	changed = changed || len(kept) != len(of.Conditions)
	of.Conditions = kept
	encoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&of)
	if err != nil {
		return false, err
	}
	if status == nil {
		status = map[string]any{"observedGeneration": int64(-1)}
	}
	status["conditions"] = encoded["conditions"]
	u.Object["status"] = status
	return changed, nil
}

// Unserved returns the text that Abandon writes when a provider is removed.
func Unserved(provider string) string {
	return fmt.Sprintf("Install a TerraformProvider that serves this kind again: %s, which did, was deleted. "+
		"Nothing reads, changes or destroys the remote object meanwhile.", provider)
}

// Deactivated returns the text that Abandon writes when a resource type is not activated any more.
func Deactivated(provider string) string {
	return fmt.Sprintf("Add the resource type to spec.activate of the TerraformProvider %s: no controller serves "+
		"this kind. Nothing reads, changes or destroys the remote object meanwhile.", provider)
}
