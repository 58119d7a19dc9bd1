package terraformprovider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
)

// installed is what a controller that starts anew has to know of a provider that runs.
func installed(p *v1alpha1.TerraformProvider, from origin, run *running) (*v1alpha1.InstalledProvider, *problem) {
	out := from.installed
	out.Source = p.Spec.Source
	if equality.Semantic.DeepEqual(run.config, config.Provider{}) {
		return &out, nil
	}
	if was := p.Status.Installed; was != nil {
		// The same may be written otherwise, and is not to be written again for that.
		if c, err := presented(was); err == nil && equality.Semantic.DeepEqual(run.config, c) {
			out.Configuration = was.Configuration
			return &out, nil
		}
	}
	raw, err := json.Marshal(run.config)
	if err != nil {
		return nil, &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonActivationFailed, fmt.Errorf("status.installed.configuration: %w", err), false}
	}
	out.Configuration = &runtime.RawExtension{Raw: raw}
	return &out, nil
}

// presented is how a provider is presented.
func presented(i *v1alpha1.InstalledProvider) (c config.Provider, _ error) {
	if i.Configuration == nil {
		return c, nil
	}
	if err := json.Unmarshal(i.Configuration.Raw, &c); err != nil {
		return c, fmt.Errorf("status.installed.configuration: %w", err)
	}
	return c, nil
}

// former runs what ran before the controller started anew, since what is to run now cannot: a provider's
// resources are not without a controller for that. wait: it is being started.
func (r *Reconciler) former(ctx context.Context, p *v1alpha1.TerraformProvider) (wait bool) {
	r.mu.Lock()
	runs := r.providers[p.UID] != nil
	r.mu.Unlock()
	was := p.Status.Installed
	if runs || was == nil {
		return false
	}
	wait, err := r.runFormer(ctx, p, *was)
	if err != nil {
		r.Logger.Error(err, "What ran of a provider before cannot be run again", "provider", p.Name, "version", was.Version)
	}
	return wait
}

func (r *Reconciler) runFormer(ctx context.Context, p *v1alpha1.TerraformProvider, was v1alpha1.InstalledProvider) (wait bool, _ error) {
	c, err := presented(&was)
	if err != nil {
		return false, err
	}
	if now, prob := r.find(ctx, p); prob == nil && p.Spec.Source == was.Source && now.installed == (v1alpha1.InstalledProvider{Version: was.Version, SHA256: was.SHA256}) &&
		equality.Semantic.DeepEqual(p.Spec.Config(), c) {
		return false, nil // it is the same
	}
	p = p.DeepCopy()
	p.Spec.Group, p.Spec.Overrides, p.Spec.Resources = c.Group, c.Overrides, c.Resources
	p.Spec.Source, p.Spec.Version = was.Source, was.Version
	from, prob := r.find(ctx, p)
	if prob != nil {
		return false, prob.err
	}
	if from.installed.SHA256 != was.SHA256 {
		return false, errors.New("it is another program now")
	}
	how, prob := r.execution(ctx, p, from)
	if prob != nil {
		return false, prob.err
	}
	start := r.starts.take(formerOf(p.UID), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}, startOf{from.launcher.Key(), p.Spec.LogLevel}, from.launcher)
	if start == nil {
		return true, nil
	}
	if start.diags.HasErrors() {
		return false, start.diags.Err()
	}
	run, prob, _ := r.present(ctx, p, from.launcher.Key(), how, from.name, start.schema, start.launcher, nil)
	if prob != nil {
		return false, prob.err
	}
	active, _ := activated(run.model, p.Spec.Activate)
	problems, _ := r.activate(ctx, p.Name, run, active)
	return false, errors.Join(problems...)
}

// formerOf is what the start of what ran before is known by, beside that of what is to run.
func formerOf(uid types.UID) types.UID { return uid + "/former" }
