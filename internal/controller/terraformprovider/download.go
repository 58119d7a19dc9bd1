package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

const (
	// checkEvery is the interval at which newer versions are searched.
	checkEvery = 6 * time.Hour
	// maxLocked and maxAvailable bound the lists in the status.
	maxLocked, maxAvailable = 10, 10
)

// binary returns the provider's program. One that must be downloaded is downloaded beside the
// reconciles: then the problem is that it is pending.
func (r *Reconciler) binary(ctx context.Context, p *v1alpha1.TerraformProvider, key types.UID) (install.Binary, *kinds.Problem) {
	want, current := r.wanted(p)
	b, problem := r.obtain(ctx, p, key, want)
	if problem != nil && problem != starting && want.Version != current {
		// A newer version that is not needed must not keep the current one from running.
		r.Logger.Error(problem.Err, "Provider is not updated", "provider", p.Name, "version", want.Version)
		r.Recorder.Event(p, event.Warning("UpdateFailed",
			fmt.Errorf("version %s is not installed, and %s goes on: %w", want.Version, current, problem.Err)))
		want.Version = current
		b, problem = r.obtain(ctx, p, currentOf(key), want)
	}
	if problem != nil {
		return install.Binary{}, problem
	}
	if pins := p.Spec.Checksums; len(pins) > 0 && !b.Matches(pins) {
		has := append(slices.Clone(b.Checksums), "sha256:"+b.SHA256)
		return install.Binary{}, kinds.NotInstalled(v1alpha1.ReasonChecksumMismatch,
			fmt.Errorf("spec.checksums: the provider that was found, version %q, has other ones: %s; "+
				"restore the provider, or add one of these if you trust it", b.Version, strings.Join(has, ", "))).Retried()
	}
	return b, nil
}

// currentOf returns the key for the download of the current version, while a newer one cannot be
// installed.
func currentOf(key types.UID) types.UID { return key + "/current" }

// wanted returns what to find, and the version that is locked now, which is kept as long as the
// update policy knows no newer one.
func (r *Reconciler) wanted(p *v1alpha1.TerraformProvider) (want install.Request, current string) {
	if want, current = Request(p); current != "" {
		want.Version = install.Update(install.Policy(p.Spec.UpdatePolicy), current, p.Spec.Version, r.checks.value(p.UID, checkOf(p)))
	}
	return want, current
}

// Request returns what to find for a TerraformProvider, and the version that is locked now: the one
// from a registry or its mirror that is installed, as long as it meets the constraint. It is empty
// if there is none.
func Request(p *v1alpha1.TerraformProvider) (want install.Request, current string) {
	want = install.Request{Source: p.Spec.Source, Constraint: p.Spec.Version, Pinned: len(p.Spec.Checksums) > 0}
	if p.Spec.Trust != nil {
		want.Trust = p.Spec.Trust.Keys
		for _, s := range p.Spec.Trust.Cosign {
			want.Cosign = append(want.Cosign, registry.CosignSigner(s))
		}
	}
	for _, l := range p.Status.Locked {
		if l.Source == p.Spec.Source {
			want.Locks = append(want.Locks, install.Lock{Version: l.Version, Hashes: l.Checksums, Key: l.Key, Signer: l.Signer, Origin: l.Origin})
		}
	}
	is := p.Status.Installed
	if is == nil || is.Source != p.Spec.Source || !install.Meets(p.Spec.Version, is.Version) ||
		!slices.ContainsFunc(want.Locks, func(l install.Lock) bool { return l.Version == is.Version }) {
		return want, ""
	}
	want.Version = is.Version
	return want, is.Version
}

// obtain returns the program that is wanted.
func (r *Reconciler) obtain(
	ctx context.Context, p *v1alpha1.TerraformProvider, key types.UID, want install.Request,
) (install.Binary, *kinds.Problem) {
	want.Offline = true
	b, err := r.Installer.Find(ctx, want)
	if err == nil {
		r.downloads.forget(key)
		return b, nil
	}
	if reasonOf(err) != install.NotDownloaded {
		return install.Binary{}, installProblem(err)
	}
	want.Offline = false
	what := strings.Join(append([]string{
		want.Source, want.Constraint, want.Version, fmt.Sprint(want.Pinned), fmt.Sprint(want.Cosign),
	}, want.Trust...), "\x00")
	d := r.downloads.take(key, what, 0, requestFor(p), func(ctx context.Context) (install.Binary, error) {
		return r.Installer.Find(ctx, want)
	})
	switch {
	case d != nil && d.err != nil:
		return install.Binary{}, installProblem(d.err)
	case d != nil:
		return d.value, nil
	case p.Status.GetCondition(v1alpha1.TypeInstalled).Status == corev1.ConditionUnknown:
		pending := kinds.NotInstalled(v1alpha1.ReasonDownloading, errors.New("the provider is being downloaded"))
		pending.Progress = true
		return install.Binary{}, pending
	}
	return install.Binary{}, starting
}

func requestFor(p *v1alpha1.TerraformProvider) reconcile.Request {
	return reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}
}

func reasonOf(err error) install.Reason {
	var e *install.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Reason
}

// installProblem returns the problem of a provider that cannot be found.
func installProblem(err error) *kinds.Problem {
	reason := v1alpha1.ReasonBinaryNotFound
	if of, ok := map[install.Reason]xpv2.ConditionReason{
		install.Unavailable:   v1alpha1.ReasonRegistryUnavailable,
		install.InvalidAnswer: v1alpha1.ReasonRegistryUnavailable,
		install.Denied:        v1alpha1.ReasonRegistryDenied,
		install.Untrusted:     v1alpha1.ReasonVerificationFailed,
		install.Misconfigured: v1alpha1.ReasonInstallationMisconfigured,
		install.CacheUnusable: v1alpha1.ReasonInstallationMisconfigured,
	}[reasonOf(err)]; ok {
		reason = of
	}
	return kinds.NotInstalled(reason, err).Retried()
}

// locked returns status.locked with the version that is installed now in front. What was recorded
// first stays, unless spec.checksums permits something else.
func locked(p *v1alpha1.TerraformProvider, now *install.Lock) []v1alpha1.LockedVersion {
	was := p.Status.Locked
	if now == nil {
		return was
	}
	one := v1alpha1.LockedVersion{
		Source: p.Spec.Source, Version: now.Version, Checksums: now.Hashes, Key: now.Key, Signer: now.Signer,
		Origin: now.Origin,
	}
	same := func(l v1alpha1.LockedVersion) bool { return l.Source == one.Source && l.Version == one.Version }
	if i := slices.IndexFunc(was, same); i >= 0 &&
		slices.ContainsFunc(one.Checksums, func(c string) bool { return slices.Contains(was[i].Checksums, c) }) {
		one = was[i]
	}
	out := append([]v1alpha1.LockedVersion{one}, slices.DeleteFunc(slices.Clone(was), same)...)
	return out[:min(maxLocked, len(out))]
}

// checkVersions searches for newer versions of a provider now and then, and sets status.available
// and status.versionsBehind.
func (r *Reconciler) checkVersions(p *v1alpha1.TerraformProvider, from origin) {
	if !from.searched(p.Spec.Source) {
		p.Status.Available, p.Status.VersionsBehind = nil, nil
		r.tellBehind(p.Name, nil)
		r.checks.forget(p.UID)
		return
	}
	source, version := p.Spec.Source, from.installed.Version
	t := r.checks.take(p.UID, checkOf(p), checkEvery, requestFor(p), func(ctx context.Context) ([]string, error) {
		return r.Installer.Versions(ctx, source)
	})
	switch {
	case t == nil:
	case t.err != nil:
		r.Logger.Info("Cannot search for newer versions", "provider", p.Name, "reason", t.err.Error())
	default:
		newer := install.Newer(version, t.value)
		behind := install.BehindOf(version, newer)
		p.Status.Available = newer[:min(maxAvailable, len(newer))]
		p.Status.VersionsBehind = ptr.To(int32(min(behind.Versions, math.MaxInt32)))
		r.tellBehind(p.Name, &behind)
	}
}

// searched reports whether other versions of the provider are searched: it comes from a registry
// or a mirror.
func (o origin) searched(source string) bool {
	_, err := install.ParseAddress(source)
	return err == nil && !o.linked && !o.attached && o.installed.Version != ""
}

func (r *Reconciler) tellBehind(provider string, behind *install.Behind) {
	if r.TellBehind != nil {
		r.TellBehind(provider, behind)
	}
}

// checkOf identifies a search. Another one begins at once when the spec changes.
func checkOf(p *v1alpha1.TerraformProvider) string {
	return strings.Join([]string{p.Spec.Source, p.Spec.Version, string(p.Spec.UpdatePolicy)}, "\x00")
}
