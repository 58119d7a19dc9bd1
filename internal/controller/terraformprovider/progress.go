package terraformprovider

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// progressInterval is how often the progress of an installation is written.
const progressInterval = time.Second

// showProgress writes into the status how many kinds of an installation are served, until end is
// called. served is called for each kind. A provider that is healthy stays so: its kinds are served
// meanwhile.
func (r *Reconciler) showProgress(ctx context.Context, p *v1alpha1.TerraformProvider, all int) (served, end func()) {
	if r.Follows || p.Status.GetCondition(v1alpha1.TypeHealthy).Status == corev1.ConditionTrue {
		return func() {}, func() {}
	}
	var n atomic.Int64
	shown := p.DeepCopy()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			// The end of the installation writes the status in any case.
			if err := r.writeProgress(ctx, shown, int(n.Load()), all); err != nil {
				return
			}
		}
	}()
	return func() { n.Add(1) }, func() {
		close(stop)
		<-stopped
		p.ResourceVersion = shown.ResourceVersion
		p.Status.ConditionedStatus, p.Status.Messages = shown.Status.ConditionedStatus, shown.Status.Messages
	}
}

func (r *Reconciler) writeProgress(ctx context.Context, p *v1alpha1.TerraformProvider, served, all int) error {
	problem := kinds.Unhealthy(v1alpha1.ReasonInstalling, fmt.Errorf("%d of %d kinds are served", served, all))
	problem.Progress = true
	p.Status.Activated = served
	r.SetConditions(p, &p.Status.ConditionedStatus, &p.Status.Messages, problem, kinds.Served{})
	return r.Manager.GetClient().Status().Update(ctx, p)
}
