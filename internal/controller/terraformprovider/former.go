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
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// installed returns status.installed: what a restarted controller needs to run the same provider
// again.
func installed(p *v1alpha1.TerraformProvider, from origin, run *running) (*v1alpha1.InstalledProvider, *kinds.Problem) {
	out := from.program(p)
	if equality.Semantic.DeepEqual(run.config, config.Provider{}) {
		return &out, nil
	}
	if was := p.Status.Installed; was != nil {
		// An equal configuration may be encoded differently; then the status need not be written.
		if c, err := configurationOf(was); err == nil && equality.Semantic.DeepEqual(run.config, c) {
			out.Configuration = was.Configuration
			return &out, nil
		}
	}
	raw, err := json.Marshal(run.config)
	if err != nil {
		return nil, kinds.Unhealthy(v1alpha1.ReasonActivationFailed, fmt.Errorf("status.installed.configuration: %w", err))
	}
	out.Configuration = &runtime.RawExtension{Raw: raw}
	return &out, nil
}

// configurationOf returns the configuration of an installed provider.
func configurationOf(i *v1alpha1.InstalledProvider) (c config.Provider, _ error) {
	if i.Configuration == nil {
		return c, nil
	}
	if err := json.Unmarshal(i.Configuration.Raw, &c); err != nil {
		return c, fmt.Errorf("status.installed.configuration: %w", err)
	}
	return c, nil
}

// runFormer runs the provider that ran before the controller was restarted, if the one that the
// spec asks for cannot run: the provider's resources still need a controller. It reports whether
// the start is pending.
func (r *Reconciler) runFormer(ctx context.Context, p *v1alpha1.TerraformProvider) (pending bool) {
	was := p.Status.Installed
	if was == nil || r.runningProvider(p.UID) != nil {
		return false
	}
	pending, err := r.tryFormer(ctx, p, *was)
	if err != nil {
		r.Logger.Error(err, "Cannot run the formerly installed provider", "provider", p.Name, "version", was.Version)
	}
	return pending
}

func (r *Reconciler) tryFormer(ctx context.Context, p *v1alpha1.TerraformProvider, was v1alpha1.InstalledProvider) (pending bool, _ error) {
	c, err := configurationOf(&was)
	if err != nil {
		return false, err
	}
	if now, problem := r.find(ctx, p, p.UID); problem == nil && p.Spec.Source == was.Source &&
		now.installed.Version == was.Version && now.installed.SHA256 == was.SHA256 &&
		equality.Semantic.DeepEqual(p.Spec.Config(), c) {
		return false, nil // nothing else ran
	}
	p = p.DeepCopy()
	p.Spec.Group, p.Spec.ProviderConfig, p.Spec.Overrides, p.Spec.Resources = c.Group, c.ProviderConfig, c.Overrides, c.Resources
	p.Spec.Names = c.Names
	p.Spec.Source, p.Spec.Version, p.Spec.Checksums = was.Source, was.Version, nil // its checksum is that of the status
	p.Spec.Trust = nil                                                             // it was trusted when it was installed
	from, problem := r.find(ctx, p, formerOf(p.UID))
	if problem == starting {
		return true, nil
	}
	if problem != nil {
		return false, problem.Err
	}
	if from.installed.SHA256 != was.SHA256 {
		return false, errors.New("its program has changed")
	}
	how, problem := r.execution(ctx, p, from)
	if problem != nil {
		return false, problem.Err
	}
	start := r.starts.take(formerOf(p.UID), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}, from.launcher, p.Spec.LogLevel)
	if start == nil {
		return true, nil
	}
	if start.diags.HasErrors() {
		return false, start.diags.Err()
	}
	run, problem, _ := r.present(ctx, p, started{
		from.launcher.Key(), from.name, how, start.schema, start.launcher, from.version(), from.program(p),
	}, nil)
	if problem != nil {
		return false, problem.Err
	}
	active, _ := activatedOf(run.Model, &p.Spec)
	errs, _ := r.activate(ctx, run, active, func() {})
	return false, errors.Join(errs...)
}

// formerOf returns the key for the start of a formerly installed provider.
func formerOf(uid types.UID) types.UID { return uid + "/former" }
