package results

import (
	"context"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// result is what a read has answered.
type result struct {
	terraform.Data
	warnings diagnostic.Diagnostics
}

// readData reads a data source. It does not wait for a provider.
func (k *Kind) readData(ctx context.Context, o *object, handle providerconfig.Handle[terraform.Executor], a arguments) (result, *failure) {
	if k.mayBeOwned() && !managed.IsClosed(k.Claimed()) {
		return result{}, &failure{retryAt: time.Now().Add(unmanaged.Soon), passing: true}
	}
	ctx, cancel := context.WithTimeout(ctx, k.Options.Timeout)
	defer cancel()
	ex, release, diags := handle.Acquire(ctx)
	if diags.HasErrors() {
		return result{}, k.refused(o, diags)
	}
	defer release()
	reader, ok := ex.(terraform.DataReader)
	if !ok {
		return result{}, &failure{
			reason:  v1alpha1.ReasonInvalidConfiguration,
			message: "Data sources cannot be read with this way of execution.", stalls: true,
		}
	}
	data, diags := reader.ReadData(ctx, terraform.ResourceType{Schema: k.Model.Schema}, a.config)
	if diags.HasErrors() {
		return result{}, k.refused(o, diags)
	}
	if k.mayBeOwned() && k.OwnedElsewhere(ctx, o.GetNamespace(),
		ownership.Access{Configuration: handle.Name, Account: handle.Account}, k.Objects, data.Value) {
		return result{}, &failure{
			reason: v1alpha1.ReasonIdentityConflict, standing: true, withholds: true, stalls: true,
			message: fmt.Sprintf("The remote object belongs to %s, so it may not be read here. Change the "+
				"arguments, or refer to that resource with its permission.", ownership.OfAnotherNamespace),
		}
	}
	return result{data, diags.Warnings()}, nil
}

// mayBeOwned reports whether the result may be an object that a resource owns.
func (k *Kind) mayBeOwned() bool { return k.Objects != nil && k.OwnedElsewhere != nil }

// refused returns the failure of a call of the provider. What passes within seconds is not told.
func (k *Kind) refused(o *object, diags diagnostic.Diagnostics) *failure {
	f := k.Refused(&o.Resource, v1alpha1.ReasonReadFailed, diags)
	return &failure{
		reason: f.Reason, message: f.Message, deferral: f.Deferral, retryAt: f.RetryAt, passing: f.Passing,
		standing: f.Deferral != terraform.NotDeferred, stalls: f.OfResource,
	}
}
