package kinds

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/desired"
)

// Defaults are what a TerraformProvider or TerraformModule sets for all of its resources.
type Defaults struct {
	// ApprovalPolicy is the least approval policy.
	ApprovalPolicy string
	// PollInterval is nil for that of all resources.
	PollInterval *metav1.Duration
	// ReplaceDependents is the default of spec.lifecycle.replaceDependents.
	ReplaceDependents string
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

// Poll returns a function that returns the poll interval of the resources of an owner; 0 if it has none.
func (rt *Runtime) Poll(owner string) func() time.Duration {
	return func() time.Duration { return ptr.Deref(rt.defaultsOf(owner).PollInterval, metav1.Duration{}).Duration }
}

// ReplacesDependents returns a function that reports whether replacements of an owner's resources include
// those of their dependents where spec.lifecycle.replaceDependents is not set.
func (rt *Runtime) ReplacesDependents(owner string) func() bool {
	return func() bool { return rt.defaultsOf(owner).ReplaceDependents == crd.DependentsAutomatic }
}

func (rt *Runtime) defaultsOf(owner string) Defaults {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.defaults[owner]
}
