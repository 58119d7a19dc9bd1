package terraformprovider

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/upgradepreview"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Bounds of what a preview uses beside the controllers.
const (
	// previewsAtOnce is the number of resources that are previewed at once.
	previewsAtOnce = 4
	// previewServers is the number of processes of both versions together.
	previewServers = 16
)

// preview previews a version beside the reconciles, one at a time. now is what to record of it, and
// was what is recorded. It returns nil if the preview has failed and the version takes over anyway.
func (r *Reconciler) preview(p *v1alpha1.TerraformProvider, c candidate, now, was *v1alpha1.ProviderUpgrade) *kinds.Problem {
	p, now = p.DeepCopy(), now.DeepCopy()
	// What is recorded of a version that is held stays until all is previewed again.
	quiet := was != nil && was.Key == now.Key && was.Completed != nil
	t := r.previews.take(p.UID, now.Key, 0, requestFor(p), func(ctx context.Context) (struct{}, error) {
		if err := r.turn.Acquire(ctx, 1); err != nil {
			return struct{}{}, err
		}
		defer r.turn.Release(1)
		return struct{}{}, r.previewAll(ctx, p, c, now, quiet)
	})
	switch {
	case t == nil:
		return previewing
	case t.err == nil: // it does not count any more
		r.previews.forget(p.UID)
		return previewing
	case advisory(p):
		r.Logger.Error(t.err, "A version takes over without a preview", "provider", p.Name, "version", now.To)
		return nil
	}
	return kinds.Unhealthy(v1alpha1.ReasonUpgradeHeld,
		fmt.Errorf("version %s is held, and %s goes on, since the preview failed: %w", now.To, now.From,
			t.err)).Retried()
}

// previewAll previews a version on all resources, and records the counts.
func (r *Reconciler) previewAll(
	ctx context.Context, p *v1alpha1.TerraformProvider, c candidate, now *v1alpha1.ProviderUpgrade, quiet bool,
) error {
	servers := pool.New(upgradepreview.PoolOptions(previewServers))
	defer func() { _ = servers.Close(context.WithoutCancel(ctx)) }() // all answers have arrived
	converting, err := upgradepreview.Converting(r.Manager.GetClient(), c.old.Model, c.model)
	if err != nil {
		return err
	}
	secrets := &redact.Redactor{}
	of := trial{r, servers, secrets, pool.Limits{MemoryBytes: limits(p).Or(r.Limits).MemoryBytes}}
	installed := of.version(c.old.Model, c.old.Launcher, r.Manager.GetClient())
	next := of.version(c.model, c.launcher, converting)
	var recorded time.Time
	begun := now.DeepCopy()
	if !quiet {
		if err := r.record(ctx, p, now); err != nil {
			return err
		}
	}
	report, err := upgradepreview.Preview(ctx, upgradepreview.Options{
		Provider: p.Name, Reader: r.Manager.GetAPIReader(), Mapper: r.Manager.GetRESTMapper(), Stored: &store.Secrets{Client: r.Leases},
		Installed: installed, New: next, Secrets: secrets, Parallelism: previewsAtOnce, After: begun.LastType,
		Done: func(done upgradepreview.Progress) {
			if quiet || time.Since(recorded) < progressInterval {
				return
			}
			now = counted(*begun, done.Report)
			now.LastType, now.PreviewedTypes, now.Types = done.Type, int32(done.Number), int32(done.Types)
			if err := r.record(ctx, p, now); err == nil { // the end is recorded in any case
				recorded = time.Now()
			}
		},
	})
	if err != nil {
		return err
	}
	now = counted(*begun, report)
	now.Completed, now.LastType, now.PreviewedTypes, now.Types = ptr.To(metav1.Now()), "", 0, 0
	if quiet {
		now.State = v1alpha1.UpgradeHeld
	}
	return r.record(ctx, p, now)
}

// trial is what both versions of a preview share.
type trial struct {
	*Reconciler
	servers *pool.Pool
	secrets *redact.Redactor
	limits  pool.Limits
}

// version returns a version whose configured servers are those of the preview alone.
func (t trial) version(m *model.Provider, l provider.Launcher, configurations client.Reader) upgradepreview.Version {
	return upgradepreview.Configured(&providerconfig.Resolver{
		Client: configurations, Live: t.Manager.GetAPIReader(), Provider: m, Launcher: l, Pool: t.servers, Limits: t.limits,
		Admission: t.Admission, AccountKey: t.AccountKey, RequestToken: providerconfig.RequestTokens(t.Manager.GetClient()),
	}, t.secrets)
}

// record writes what is known of an upgrade into the status.
func (r *Reconciler) record(ctx context.Context, p *v1alpha1.TerraformProvider, u *v1alpha1.ProviderUpgrade) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live := &v1alpha1.TerraformProvider{}
		if err := r.Manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(p), live); err != nil {
			return err
		}
		if live.UID != p.UID {
			return nil
		}
		live.Status.Upgrade = u
		return r.Manager.GetClient().Status().Update(ctx, live)
	})
}
