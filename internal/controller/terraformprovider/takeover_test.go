package terraformprovider

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

func TestStepOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	policy := func(preview v1alpha1.UpgradePreview, accept ...string) *v1alpha1.ProviderUpgradePolicy {
		return &v1alpha1.ProviderUpgradePolicy{Preview: preview, Accept: accept}
	}
	const required, advisory = v1alpha1.UpgradePreviewRequired, v1alpha1.UpgradePreviewAdvisory
	// done is a preview that took some time, and was completed some time ago.
	done := func(state v1alpha1.UpgradeState, took, ago time.Duration, found map[string]int32) *v1alpha1.ProviderUpgrade {
		return &v1alpha1.ProviderUpgrade{
			State: state, Key: "key", Outcomes: found,
			Started: ptr.To(metav1.NewTime(now.Add(-took - ago))), Completed: ptr.To(metav1.NewTime(now.Add(-ago))),
		}
	}
	harmless := map[string]int32{"Unchanged": 5, "AsInstalled": 1, "Deprecated": 2, "FieldChanged": 1}
	harmful := map[string]int32{"Unchanged": 5, "Replace": 1, "NotUpgraded": 2}
	other := done(v1alpha1.UpgradeHeld, time.Second, time.Second, harmless)
	other.Key = "other"
	for name, c := range map[string]struct {
		policy *v1alpha1.ProviderUpgradePolicy
		was    *v1alpha1.ProviderUpgrade
		want   step
		again  time.Duration
	}{
		"no policy":       {nil, nil, takeOver, 0},
		"by default":      {policy(""), nil, takeOver, 0},
		"off":             {policy(v1alpha1.UpgradePreviewOff), done(v1alpha1.UpgradeHeld, time.Second, 0, harmful), takeOver, 0},
		"first":           {policy(required), nil, preview, followAgain},
		"another version": {policy(required), other, preview, followAgain},
		"interrupted": {
			policy(required), &v1alpha1.ProviderUpgrade{
				State: v1alpha1.UpgradePreviewing, Key: "key", Started: &metav1.Time{Time: now}, LastType: "a_b",
			}, preview, followAgain,
		},
		"nothing breaks": {policy(required), done(v1alpha1.UpgradePreviewing, time.Second, time.Second, harmless), proceed, 0},
		"something breaks": {
			policy(required), done(v1alpha1.UpgradePreviewing, time.Second, 20*time.Second, harmful), hold,
			40 * time.Second,
		},
		"some of it is accepted": {
			policy(required, "Replace"), done(v1alpha1.UpgradeHeld, time.Second, 20*time.Second, harmful), hold,
			40 * time.Second,
		},
		"all of it is accepted": {
			policy(required, "Replace", "NotUpgraded"),
			done(v1alpha1.UpgradeHeld, time.Second, 20*time.Second, harmful), proceed, 0,
		},
		"advisory":        {policy(advisory), done(v1alpha1.UpgradePreviewing, time.Second, time.Second, harmful), proceed, 0},
		"advisory, first": {policy(advisory), nil, preview, followAgain},
		"long ago": {
			policy(required), done(v1alpha1.UpgradeHeld, time.Second, time.Minute, harmful), preview, followAgain,
		},
		"long ago, and accepted": {
			policy(required), done(v1alpha1.UpgradeHeld, time.Second, time.Minute, harmless), preview, followAgain,
		},
		"a preview that takes a minute": {
			policy(required), done(v1alpha1.UpgradeHeld, time.Minute, 15*time.Minute, harmful), hold, 5 * time.Minute,
		},
		"a preview that takes an hour": {
			policy(required), done(v1alpha1.UpgradeHeld, time.Hour, 50*time.Minute, harmful), hold, 10 * time.Minute,
		},
		"it has been decided": {policy(required), done(v1alpha1.UpgradeProceeding, time.Second, 24*time.Hour, harmful), takeOver, 0},
		"decided, but another version": {
			policy(required), &v1alpha1.ProviderUpgrade{State: v1alpha1.UpgradeProceeding, Key: "other"},
			preview, followAgain,
		},
		"it was done, and undone": {
			policy(required), done(v1alpha1.UpgradeUpgraded, time.Second, time.Second, harmless), preview, followAgain,
		},
		"decided without a whole preview": {
			policy(advisory), &v1alpha1.ProviderUpgrade{State: v1alpha1.UpgradeProceeding, Key: "key"}, takeOver, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, again := stepOf(c.policy, c.was, "key", now)
			if got != c.want || again != c.again {
				t.Errorf("got %s for %s, want %s for %s", got, again, c.want, c.again)
			}
		})
	}
}

func TestReplaces(t *testing.T) {
	t.Parallel()
	of := func(source, version, sum string) v1alpha1.InstalledProvider {
		return v1alpha1.InstalledProvider{Source: source, Version: version, SHA256: sum}
	}
	for name, c := range map[string]struct {
		was  *v1alpha1.InstalledProvider
		now  v1alpha1.InstalledProvider
		want bool
	}{
		"first":                  {nil, of("a/b", "1.0.0", "x"), false},
		"the same":               {ptr.To(of("a/b", "1.0.0", "x")), of("a/b", "1.0.0", "x"), false},
		"another version":        {ptr.To(of("a/b", "1.0.0", "x")), of("a/b", "1.1.0", "y"), true},
		"another path":           {ptr.To(of("/a", "", "x")), of("/b", "", "y"), true},
		"the same at a new path": {ptr.To(of("/a", "", "x")), of("/b", "", "x"), false},
		"another linked version": {ptr.To(of("a/b", "1.0.0", "")), of("a/b", "1.1.0", ""), true},
		"the same linked one":    {ptr.To(of("a/b", "1.0.0", "")), of("a/b", "1.0.0", ""), false},
		"from linked to plugin":  {ptr.To(of("a/b", "1.0.0", "")), of("a/b", "1.0.0", "x"), true},
		"attached":               {ptr.To(of("a/b", "1.0.0", "x")), of("a/b", "", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := replaces(c.was, c.now); got != c.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestHeldMessage(t *testing.T) {
	t.Parallel()
	p := &v1alpha1.TerraformProvider{
		Spec: v1alpha1.TerraformProviderSpec{Upgrade: &v1alpha1.ProviderUpgradePolicy{Accept: []string{"Update"}}},
	}
	p.Name = "cloud"
	u := &v1alpha1.ProviderUpgrade{
		From: "1.0.0", To: "2.0.0", Resources: 20,
		Outcomes: map[string]int32{"Replace": 1, "Unchanged": 9, "Refused": 4, "Update": 6},
	}
	want := "version 2.0.0 is held, and 1.0.0 goes on: of 20 resources that were previewed, spec.upgrade.accept " +
		"does not permit 4 Refused, 1 Replace. " +
		"Show them with landbridge upgrade preview cloud --to 2.0.0; then change the resources or the version, or accept these outcomes"
	if diff := cmp.Diff(want, held(p, u).Err.Error()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCompleted(t *testing.T) {
	t.Parallel()
	of := func(state v1alpha1.UpgradeState) *v1alpha1.ProviderUpgrade {
		return &v1alpha1.ProviderUpgrade{State: state, To: "2.0.0"}
	}
	for name, c := range map[string]struct {
		was  *v1alpha1.ProviderUpgrade
		runs string
		want *v1alpha1.ProviderUpgrade
	}{
		"none":                   {nil, "2.0.0", nil},
		"it has taken over":      {of(v1alpha1.UpgradeProceeding), "2.0.0", of(v1alpha1.UpgradeUpgraded)},
		"it could not be served": {of(v1alpha1.UpgradeProceeding), "1.0.0", nil},
		"some time ago":          {of(v1alpha1.UpgradeUpgraded), "2.0.0", of(v1alpha1.UpgradeUpgraded)},
		"not wanted any more":    {of(v1alpha1.UpgradeHeld), "1.0.0", nil},
		"not previewed":          {of(v1alpha1.UpgradePreviewing), "2.0.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, completed(c.was, v1alpha1.InstalledProvider{Version: c.runs})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A preview that goes on after an interruption adds to what was counted before it.
func TestCounted(t *testing.T) {
	t.Parallel()
	was := v1alpha1.ProviderUpgrade{Resources: 3, Outcomes: map[string]int32{"Unchanged": 2, "Update": 1}}
	got := counted(was, &upgrade.Report{Resources: 2, Outcomes: map[upgrade.Outcome]int{upgrade.Update: 1, upgrade.Replace: 1}})
	want := &v1alpha1.ProviderUpgrade{Resources: 5, Outcomes: map[string]int32{"Unchanged": 2, "Update": 2, "Replace": 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if was.Outcomes["Update"] != 1 {
		t.Error("what was counted before has changed")
	}
}

// Each outcome of a report is harmless, can be accepted, or is one of which something else takes
// care.
func TestOutcomesAreDecided(t *testing.T) {
	t.Parallel()
	elsewhere := map[upgrade.Outcome]string{
		upgrade.FieldChanged: "values that would be lost hold the kinds",
		upgrade.Create:       "remote objects are not read",
		upgrade.Deprecated:   "harmless", upgrade.AsInstalled: "harmless", upgrade.Unchanged: "harmless",
	}
	for _, o := range upgrade.Outcomes {
		holds := len(unaccepted(nil, map[string]int32{string(o): 1})) > 0
		if _, ok := elsewhere[o]; ok == holds {
			t.Errorf("%s holds: %t", o, holds)
		}
		if holds && len(unaccepted([]string{string(o)}, map[string]int32{string(o): 1})) > 0 {
			t.Errorf("%s cannot be accepted", o)
		}
		if !strings.Contains(counts(map[string]int32{string(o): 7}), "7 "+string(o)) {
			t.Errorf("%s is not counted", o)
		}
	}
}
