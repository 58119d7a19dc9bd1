package terraformprovider

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// step is what is next on the way to another version.
type step string

const (
	// takeOver: the new version takes over.
	takeOver step = "takeOver"
	// proceed: that the new version takes over is recorded first. A controller that is restarted
	// does not preview it again, since states may be upgraded already.
	proceed step = "proceed"
	// preview: resources are previewed, or that is awaited.
	preview step = "preview"
	// hold: the installed version goes on.
	hold step = "hold"
)

// Bounds of the time after which a version that is held is previewed again.
const (
	minPreviewAgain = time.Minute
	maxPreviewAgain = time.Hour
	// previewShare is how many times longer than a preview the time until the next one is.
	previewShare = 20
)

// stepOf returns what is next, and when to look again; 0 if it does not depend on the time. key is
// that of the upgrade, and was what is recorded of the last one.
func stepOf(
	policy *v1alpha1.ProviderUpgradePolicy, was *v1alpha1.ProviderUpgrade, key string, now time.Time,
) (_ step, again time.Duration) {
	if policy == nil || policy.Preview == "" || policy.Preview == v1alpha1.UpgradePreviewOff {
		return takeOver, 0
	}
	if was == nil || was.Key != key || was.State == v1alpha1.UpgradeUpgraded {
		return preview, followAgain
	}
	if was.State == v1alpha1.UpgradeProceeding {
		return takeOver, 0
	}
	again = previewedUntil(was).Sub(now)
	switch {
	case again <= 0:
		return preview, followAgain
	case policy.Preview == v1alpha1.UpgradePreviewAdvisory, len(unaccepted(policy.Accept, was.Outcomes)) == 0:
		return proceed, 0
	}
	return hold, again
}

// previewedUntil returns the time until which a preview counts, which is zero if it is not
// complete. Resources may change after it.
func previewedUntil(u *v1alpha1.ProviderUpgrade) time.Time {
	if u.Completed == nil || u.Started == nil {
		return time.Time{}
	}
	took := u.Completed.Sub(u.Started.Time)
	return u.Completed.Add(min(max(minPreviewAgain, previewShare*took), maxPreviewAgain))
}

// acceptable are the outcomes that hold a version unless they are accepted. Values that the new
// kinds have no field for hold it anyway, see Reconciler.evolve.
var acceptable = []upgrade.Outcome{upgrade.Refused, upgrade.NotUpgraded, upgrade.NotPreviewed, upgrade.Replace, upgrade.Update}

// unaccepted returns the outcomes that hold a version.
func unaccepted(accept []string, found map[string]int32) (out []string) {
	for _, o := range acceptable {
		if found[string(o)] > 0 && !slices.Contains(accept, string(o)) {
			out = append(out, string(o))
		}
	}
	return out
}

// counts describes outcomes; all of them without names.
func counts(found map[string]int32, names ...string) string {
	var out []string
	for _, o := range upgrade.Outcomes {
		if n := found[string(o)]; n > 0 && (len(names) == 0 || slices.Contains(names, string(o))) {
			out = append(out, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(out, ", ")
}

// replaces reports whether another program is to take over from the installed one. Which one a
// process is that runs already is not known.
func replaces(was *v1alpha1.InstalledProvider, now v1alpha1.InstalledProvider) bool {
	if was == nil || now.Version == "" && now.SHA256 == "" {
		return false
	}
	return was.SHA256 != now.SHA256 || now.SHA256 == "" && was.Version != now.Version
}

// upgradeKey identifies a new program with the configuration of its kinds, and the installed one.
func upgradeKey(release string, installed *v1alpha1.InstalledProvider) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{release, installed.Source, installed.Version, installed.SHA256}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// previewing means that the preview of a new version runs, or waits for the installed version or
// for the replica that leads. The installed version serves meanwhile.
var previewing = &kinds.Problem{}

const (
	// installedAgain is when to try again if the installed version has to be started first.
	installedAgain = time.Second
	// followAgain is when to look again whether a version is previewed. The end of a preview in
	// this process is told earlier, but maybe at a time at which something else fails.
	followAgain = 10 * time.Second
)

// mayChange returns nil if a provider may run with the kinds of a model: values of objects are not
// lost, and what the preview of another version has found is accepted.
func (r *Reconciler) mayChange(ctx context.Context, p *v1alpha1.TerraformProvider, c candidate) (_ *kinds.Problem, again time.Duration) {
	next, problem, again := r.nextStep(ctx, p, c)
	if problem != nil {
		return problem, again
	}
	if held := r.evolve(ctx, p, c.model); held != nil {
		if next != nil {
			recordHeld(p, next)
		}
		return held, heldAgain
	}
	if next == nil {
		return nil, 0
	}
	u := next.Status.Upgrade
	u.State = v1alpha1.UpgradeProceeding
	if err := r.Manager.GetClient().Status().Update(ctx, next); err != nil {
		return kinds.Unhealthy(v1alpha1.ReasonUpgradeHeld,
			fmt.Errorf("that version %s takes over cannot be recorded: %w", u.To, err)).Retried(), kinds.Resync
	}
	p.Status.Upgrade, p.ResourceVersion = u, next.ResourceVersion
	found := "it was not previewed, as the controller's log says"
	if u.Completed != nil {
		found = fmt.Sprintf("of %d resources that were previewed: %s", u.Resources, cmp.Or(counts(u.Outcomes), "none"))
	}
	r.Recorder.Event(p, event.Normal("UpgradePreviewed", fmt.Sprintf("Version %s takes over from %s; %s", u.To, u.From, found)))
	return nil, 0
}

// candidate is a version that is to take over from old, which may be nil.
type candidate struct {
	started
	model   *model.Provider
	release string
	old     *running
}

// nextStep previews another version if that is required. It returns a problem while the version may
// not take over, and the object in which to record that it does, if that is due.
func (r *Reconciler) nextStep(
	ctx context.Context, p *v1alpha1.TerraformProvider, c candidate,
) (record *v1alpha1.TerraformProvider, _ *kinds.Problem, again time.Duration) {
	if p.Spec.Upgrade == nil || !replaces(p.Status.Installed, c.installed) {
		return nil, nil, 0
	}
	live := &v1alpha1.TerraformProvider{} // the cache may not have what was recorded last
	if err := r.Manager.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(p), live); err != nil {
		return nil, kinds.Unhealthy(v1alpha1.ReasonUpgradeHeld, err).Retried(), kinds.Resync
	}
	was, key := live.Status.Upgrade, upgradeKey(c.release, p.Status.Installed)
	next, again := stepOf(p.Spec.Upgrade, was, key, time.Now())
	switch {
	case next == takeOver:
		return nil, nil, 0
	case r.Follows:
		return nil, previewing, followAgain
	case next == preview && c.old == nil && !r.cannotBePreviewed(ctx, p):
		return nil, previewing, installedAgain
	case next == preview:
		now := was
		if was == nil || was.Key != key || was.Completed != nil {
			now = &v1alpha1.ProviderUpgrade{
				State: v1alpha1.UpgradePreviewing, From: nameOf(*p.Status.Installed), To: nameOf(c.installed), Key: key, Started: ptr.To(metav1.Now()),
			}
		}
		if c.old == nil {
			r.Logger.Info("A version takes over without a preview, since the installed one does not run", "provider", p.Name, "version", now.To)
			live.Status.Upgrade = now
			return live, nil, 0
		}
		problem := r.preview(p, c, now, was)
		if problem != nil {
			return nil, problem, again
		}
		live.Status.Upgrade = now
		return live, nil, 0
	}
	r.previews.forget(p.UID)
	if next == proceed {
		return live, nil, 0
	}
	recordHeld(p, live)
	return nil, held(p, was), again
}

// cannotBePreviewed reports whether a version is to take over without its preview, since that is
// advisory and the installed version cannot run any more. It tries to run that one.
func (r *Reconciler) cannotBePreviewed(ctx context.Context, p *v1alpha1.TerraformProvider) bool {
	return advisory(p) && !r.runFormer(ctx, p) && r.runningProvider(p.UID) == nil
}

// advisory reports whether a preview does not hold a version.
func advisory(p *v1alpha1.TerraformProvider) bool {
	return p.Spec.Upgrade != nil && p.Spec.Upgrade.Preview == v1alpha1.UpgradePreviewAdvisory
}

// recordHeld sets what the status has of a version that is held; live was read last.
func recordHeld(p, live *v1alpha1.TerraformProvider) {
	p.Status.Upgrade, p.ResourceVersion = live.Status.Upgrade, live.ResourceVersion
	p.Status.Upgrade.State = v1alpha1.UpgradeHeld
}

// nameOf returns what people call a version: that, or the path of its program.
func nameOf(i v1alpha1.InstalledProvider) string { return cmp.Or(i.Version, i.Source) }

// held returns the problem of a version that is held.
func held(p *v1alpha1.TerraformProvider, u *v1alpha1.ProviderUpgrade) *kinds.Problem {
	return kinds.Unhealthy(v1alpha1.ReasonUpgradeHeld, fmt.Errorf(
		"version %s is held, and %s goes on: of %d resources that were previewed, spec.upgrade.accept does not "+
			"permit %s. Show them with landbridge upgrade preview %s --to %s; then change the resources or the "+
			"version, or accept these outcomes",
		u.To, u.From, u.Resources, counts(u.Outcomes, unaccepted(p.Spec.Upgrade.Accept, u.Outcomes)...), p.Name, u.To))
}

// cannotPreview returns the problem of a version that cannot be previewed, since the installed one
// does not run.
func cannotPreview(p *v1alpha1.TerraformProvider) *kinds.Problem {
	return kinds.Unhealthy(v1alpha1.ReasonUpgradeHeld, fmt.Errorf(
		"the preview needs the installed version %s, which does not run: the controller's log says why. Have its "+
			"program where it was, or set spec.upgrade.preview to Advisory or Off",
		nameOf(*p.Status.Installed)))
}

// completed returns what is recorded of the last upgrade once a version runs: that it has taken
// over; nothing of an upgrade that is not wanted any more.
func completed(u *v1alpha1.ProviderUpgrade, runs v1alpha1.InstalledProvider) *v1alpha1.ProviderUpgrade {
	switch {
	case u == nil || u.State == v1alpha1.UpgradeUpgraded:
		return u
	case u.State == v1alpha1.UpgradeProceeding && u.To == nameOf(runs):
		u = u.DeepCopy()
		u.State = v1alpha1.UpgradeUpgraded
		return u
	}
	return nil
}

// counted adds what was found to what is recorded of a preview.
func counted(u v1alpha1.ProviderUpgrade, report *upgrade.Report) *v1alpha1.ProviderUpgrade {
	out := u.DeepCopy()
	if out.Outcomes == nil {
		out.Outcomes = map[string]int32{}
	}
	out.Resources += int32(report.Resources)
	for o, n := range report.Outcomes {
		out.Outcomes[string(o)] += int32(n)
	}
	return out
}
