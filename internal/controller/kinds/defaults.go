package kinds

import (
	"context"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
)

// Defaults are what a TerraformProvider or TerraformModule sets for all of its resources.
type Defaults struct {
	// ApprovalPolicy is the least approval policy.
	ApprovalPolicy string
	// PollInterval is nil for that of all resources.
	PollInterval *metav1.Duration
	// ReplaceDependents is the default of spec.lifecycle.replaceDependents.
	ReplaceDependents string
	// DestroyBrake is nil for that of all resources.
	DestroyBrake *v1alpha1.DestroyBrake
	// ConfirmAfter is nil for scheduler.DefaultConfirmAfter, and UpgradesConfirmed is until when
	// upgrades are confirmed; zero for none.
	ConfirmAfter      *metav1.Duration
	UpgradesConfirmed time.Time
}

// SetDefaults sets the defaults of an owner, which is a value of LabelProvider.
func (rt *Runtime) SetDefaults(owner string, d Defaults) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.defaults == nil {
		rt.defaults = map[string]Defaults{}
	}
	rt.defaults[owner] = d
}

// Approval returns a function that returns the least approval policy of the resources of an owner.
func (rt *Runtime) Approval(owner string) func() desired.Approval {
	return func() desired.Approval { return desired.ParseApproval(rt.defaultsOf(owner).ApprovalPolicy) }
}

// Poll returns a function that returns the poll interval of the resources of an owner; 0 if it has
// none.
func (rt *Runtime) Poll(owner string) func() time.Duration {
	return func() time.Duration { return ptr.Deref(rt.defaultsOf(owner).PollInterval, metav1.Duration{}).Duration }
}

// ReplacesDependents returns a function that reports whether replacements of an owner's resources
// include those of their dependents where spec.lifecycle.replaceDependents is not set.
func (rt *Runtime) ReplacesDependents(owner string) func() bool {
	return func() bool { return rt.defaultsOf(owner).ReplaceDependents == crd.DependentsAutomatic }
}

// defaultShare is the default of spec.destroyBrake.share.
const defaultShare = 50

// DestroyLimit returns a function that returns how much may be destroyed of an owner's resources
// within a minute.
func (rt *Runtime) DestroyLimit(owner string) func() brake.Limit {
	return func() brake.Limit {
		set := ptr.Deref(rt.defaultsOf(owner).DestroyBrake, v1alpha1.DestroyBrake{})
		return brake.Limit{
			Destroys: int(ptr.Deref(set.DestroysPerMinute, int32(rt.DestroysPerMinute))), //nolint:gosec // a flag
			Share:    int(ptr.Deref(set.Share, defaultShare)),
		}
	}
}

// Upgrades returns a function that returns which upgrades of the stored objects of an owner's
// resources are confirmed.
func (rt *Runtime) Upgrades(owner string) func() scheduler.Upgrades {
	return func() scheduler.Upgrades {
		d := rt.defaultsOf(owner)
		return scheduler.Upgrades{
			ConfirmAfter: ptr.Deref(d.ConfirmAfter, metav1.Duration{Duration: scheduler.DefaultConfirmAfter}).Duration,
			Confirmed:    d.UpgradesConfirmed,
		}
	}
}

// DestroysOf returns the limit that the annotation of a namespace sets; false if it has none that
// is a number.
func (rt *Runtime) DestroysOf(ctx context.Context, namespace string) (int, bool) {
	raw, err := rt.Admission.Annotation(ctx, namespace, v1alpha1.AnnotationDestroysPerMinute)
	if err != nil || raw == "" {
		return 0, false
	}
	n, err := strconv.Atoi(raw)
	return n, err == nil && n >= 0
}

func (rt *Runtime) defaultsOf(owner string) Defaults {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.defaults[owner]
}
