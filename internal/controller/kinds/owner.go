package kinds

import (
	"context"
	"fmt"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// CheckOwner returns an error if the name of a TerraformProvider or a TerraformModule is too long
// for a label. All other names that contain it have room for one that is not. owner is the value of
// LabelProvider.
func CheckOwner(owner string) error {
	if len(owner) <= validation.LabelValueMaxLength {
		return nil
	}
	prefix := len(owner) - len(strings.TrimPrefix(owner, moduleOwner))
	return fmt.Errorf("metadata.name must have %d characters at most, since it is in a label of CRDs: create the object "+
		"again with a shorter name", validation.LabelValueMaxLength-prefix)
}

// Refuse reports that an object can never serve kinds. If it is being deleted, Refuse removes the
// finalizer.
func (rt *Runtime) Refuse(
	ctx context.Context, o client.Object, status *xpv2.ConditionedStatus, messages *map[string]string,
	finalizer string, why error,
) error {
	if !o.GetDeletionTimestamp().IsZero() {
		if !controllerutil.RemoveFinalizer(o, finalizer) {
			return nil
		}
		return client.IgnoreNotFound(rt.Manager.GetClient().Update(ctx, o))
	}
	before := o.DeepCopyObject()
	rt.SetConditions(o, status, messages, NotInstalled(v1alpha1.ReasonInvalidConfiguration, why), Served{})
	if equality.Semantic.DeepEqual(before, o) {
		return nil
	}
	return rt.Manager.GetClient().Status().Update(ctx, o)
}
