package upgrades_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/test/upgrades/planted"
)

const exampleGroup = "examplecloud.landbridge.io"

// previewing is a cluster whose controller previews new versions of examplecloud.
type previewing struct {
	*clustertest.Cluster
	provider  *unstructured.Unstructured
	config    *unstructured.Unstructured
	namespace string
	// mirror has the releases.
	mirror string
	run    func() (stop func())
}

// previewed starts a cluster for release 1.0.0 of examplecloud. With shards, the resources are
// divided among that many.
func previewed(t *testing.T, shards int) *previewing {
	t.Helper()
	c, err := clustertest.New(playgroundtest.New(t, playgroundtest.Options{}), filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	mirror, _ := releases(t)
	e := &previewing{Cluster: c, namespace: c.Namespace(t), mirror: mirror, run: func() func() {
		o := clustertest.Options(time.Hour, filepath.Join(scratch, "cache"), mirror)
		o.Shards, o.LeaderElection = shards, shards > 0
		return c.RunController(t, o)
	}}
	e.provider = objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "examplecloud", m{
		"source": "landbridge-io/examplecloud", "version": "1.0.0",
		"activate": []any{"examplecloud_volume", "examplecloud_volume_upgrade_fails"}, "upgrade": m{"preview": "Required"},
	})
	return e
}

// install creates the TerraformProvider and its configuration.
func (e *previewing) install(t *testing.T) {
	t.Helper()
	e.MustCreate(t, e.provider)
	e.serves(t, "1.0.0", "")
	e.config = objecttest.New(exampleGroup+"/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": examplecloudtest.Start(t).URL})
	e.MustCreate(t, e.config)
}

// volume creates a volume, or another kind of object, and waits until it is ready.
func (e *previewing) volume(t *testing.T, kind, name string) *unstructured.Unstructured {
	t.Helper()
	u := objecttest.New(exampleGroup+"/v1alpha1", kind, e.namespace, name, m{"forProvider": m{"name": name}})
	e.MustCreate(t, u)
	e.WaitReady(t, u)
	return u
}

// serves waits until a version runs, with a state of the last upgrade.
func (e *previewing) serves(t *testing.T, version, state string) {
	t.Helper()
	p := e.provider
	e.WaitFor(t, p, version+" runs", func() bool {
		return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) &&
			objecttest.Text(p, "status", "installed", "version") == version &&
			objecttest.Text(p, "status", "upgrade", "state") == state
	})
}

// held waits until version 2.0.0 is held, and checks that 1.0.0 serves.
func (e *previewing) held(t *testing.T, name string) {
	t.Helper()
	p := e.provider
	e.WaitFalse(t, p, "Healthy", "UpgradeHeld", "version 2.0.0 is held, and 1.0.0 goes on",
		"does not permit 1 NotUpgraded.", "landbridge upgrade preview examplecloud --to 2.0.0;")
	if version, state := objecttest.Text(p, "status", "installed", "version"),
		objecttest.Text(p, "status", "upgrade", "state"); version != "1.0.0" || state != "Held" {
		t.Errorf("version %s, state %s", version, state)
	}
	e.volume(t, "Volume", name)
}

// A version with which a resource breaks is held, also after a restart, until that is accepted.
func TestBreakingVersionIsHeld(t *testing.T) {
	e := previewed(t, 0)
	stop := e.run()
	e.install(t)
	logs := e.volume(t, "Volume", "logs")
	archive := e.volume(t, "VolumeUpgradeFails", "archive")

	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.held(t, "during")
	// What the spec activates meanwhile is served by the version that goes on.
	e.MustPatch(t, e.provider, `{"spec":{"activate":["examplecloud_volume","examplecloud_volume_upgrade_fails","examplecloud_thing"]}}`)
	e.WaitFor(t, e.provider, "seen", func() bool { return objecttest.Current(e.provider) })
	e.volume(t, "Thing", "meanwhile")
	stop()
	e.run()
	e.held(t, "restarted")

	e.MustPatch(t, e.provider, `{"spec":{"upgrade":{"accept":["Replace"]}}}`)
	e.WaitFor(t, e.provider, "seen", func() bool { return objecttest.Current(e.provider) })
	e.held(t, "replace")
	e.MustPatch(t, e.provider, `{"spec":{"upgrade":{"accept":["NotUpgraded"]}}}`)
	e.serves(t, "2.0.0", "Upgraded")
	e.RequestReconcile(t, archive)
	e.WaitFor(t, archive, "broken, as the preview said", func() bool {
		status, _, _ := objecttest.Condition(archive, "Synced")
		return status == "False"
	})
	e.Reconcile(t, logs)
	e.WaitReady(t, logs)
}

// A provider that is deleted while a version is held serves the resources that are being deleted,
// also after a restart.
func TestDeletionWhileHeld(t *testing.T) {
	e := previewed(t, 0)
	stop := e.run()
	e.install(t)
	logs := e.volume(t, "Volume", "logs")
	e.volume(t, "VolumeUpgradeFails", "archive")
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.held(t, "during")
	stop()
	for _, u := range []*unstructured.Unstructured{logs, e.provider} {
		if err := e.Delete(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	e.run()
	e.WaitGone(t, logs)
	e.WaitGone(t, e.provider)
}

// An advisory preview holds no version.
func TestAdvisoryPreview(t *testing.T) {
	e := previewed(t, 0)
	e.provider.Object["spec"].(m)["upgrade"] = m{"preview": "Advisory"}
	e.run()
	e.install(t)
	e.volume(t, "VolumeUpgradeFails", "archive")
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.serves(t, "2.0.0", "Upgraded")
	if got := objecttest.At(e.provider, "status", "upgrade", "outcomes"); compact(t, got) != compact(t, m{"NotUpgraded": 1}) {
		t.Errorf("found %s", compact(t, got))
	}
	waittest.Eventually(t, "an event tells the counts", func(ctx context.Context) bool {
		events := &corev1.EventList{}
		return e.List(ctx, events) == nil && slices.ContainsFunc(events.Items, func(x corev1.Event) bool {
			return x.Reason == "UpgradePreviewed" && x.Message == "Version 2.0.0 takes over from 1.0.0; of 1 "+
				"resources that were previewed: 1 NotUpgraded"
		})
	})
}

// An advisory preview holds no version either if the installed one cannot run any more, since its
// program is gone.
func TestAdvisoryPreviewWithoutInstalledProgram(t *testing.T) {
	e := previewed(t, 0)
	e.provider.Object["spec"].(m)["upgrade"] = m{"preview": "Advisory"}
	stop := e.run()
	e.install(t)
	logs := e.volume(t, "Volume", "logs")
	stop()
	gone, err := filepath.Glob(filepath.Join(e.mirror, "*", "landbridge-io", "examplecloud", "1.0.0"))
	if err != nil || len(gone) == 0 {
		t.Fatalf("the mirror has no release 1.0.0: %v", err)
	}
	for _, path := range append(gone, filepath.Join(scratch, "cache")) {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.run()
	e.serves(t, "2.0.0", "Upgraded")
	e.Reconcile(t, logs)
	e.WaitReady(t, logs)
}

// A preview that was interrupted goes on after the types that are done: the counts of before are
// kept.
func TestInterruptedPreviewGoesOn(t *testing.T) {
	e := previewed(t, 0)
	stop := e.run()
	e.install(t)
	e.volume(t, "Volume", "logs")
	e.volume(t, "VolumeUpgradeFails", "archive")
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.held(t, "during")
	stop()
	// As a controller leaves it that has ended after the first type, of which there were more
	// resources.
	e.MustGet(t, e.provider)
	upgrade := e.provider.Object["status"].(m)["upgrade"].(m)
	delete(upgrade, "completed")
	upgrade["state"], upgrade["lastType"], upgrade["resources"], upgrade["outcomes"] = "Previewing",
		"examplecloud_volume", int64(7), m{"Unchanged": int64(7)}
	if err := e.Status().Update(t.Context(), e.provider); err != nil {
		t.Fatal(err)
	}
	e.run()
	e.WaitFor(t, e.provider, "held, with what was counted before", func() bool {
		return objecttest.Text(e.provider, "status", "upgrade", "state") == "Held" &&
			compact(t, objecttest.At(e.provider, "status", "upgrade", "outcomes")) == compact(t, m{"NotUpgraded": 1, "Unchanged": 7})
	})
}

// A version with which nothing breaks takes over by itself; and a hold ends when what breaks is
// gone, or the version is not wanted any more.
func TestVersionTakesOverByItself(t *testing.T) {
	e := previewed(t, 0)
	e.run()
	e.install(t)
	archive := e.volume(t, "VolumeUpgradeFails", "archive")
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.held(t, "logs")
	e.MustPatch(t, e.provider, `{"spec":{"version":"1.0.0"}}`)
	e.serves(t, "1.0.0", "")

	e.Remove(t, archive)
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.serves(t, "2.0.0", "Upgraded")
	if got := objecttest.At(e.provider, "status", "upgrade", "outcomes"); compact(t, got) != compact(t, m{"Unchanged": 1}) {
		t.Errorf("found %s", compact(t, got))
	}
}

// All shards go on with the installed version while the first one previews the new one, and take
// over together.
func TestShardsTakeOverTogether(t *testing.T) {
	const shards = 2
	e := previewed(t, shards)
	e.run()
	e.install(t)
	e.volume(t, "VolumeUpgradeFails", "archive")
	endpoint := objecttest.Text(e.config, "spec", "endpoint")
	volumes := func(name string, spec m) {
		t.Helper()
		for i := range 2 * shards { // each shard has some of the configurations
			of := fmt.Sprint("account-", i)
			spec := maps.Clone(spec)
			spec["name"] = name + "-" + of
			u := objecttest.New(exampleGroup+"/v1alpha1", "Volume", e.namespace, name+"-"+of, m{
				"forProvider": spec, "providerConfigRef": m{"kind": "ClusterProviderConfig", "name": of},
			})
			e.MustCreate(t, u)
			e.WaitReady(t, u)
		}
	}
	for i := range 2 * shards {
		e.MustCreate(t, objecttest.New(exampleGroup+"/v1alpha1", "ClusterProviderConfig", "", fmt.Sprint("account-", i), m{"endpoint": endpoint}))
	}
	volumes("before", m{"public": true})
	e.MustPatch(t, e.provider, `{"spec":{"version":"2.0.0"}}`)
	e.held(t, "during")
	volumes("held", m{})
	for i := range 2 * shards {
		u := objecttest.New(exampleGroup+"/v1alpha1", "Volume", e.namespace, fmt.Sprint("before-account-", i), nil)
		e.MustPatch(t, u, `{"spec":{"forProvider":{"public":null}}}`) // its type changes
	}
	e.MustPatch(t, e.provider, `{"spec":{"upgrade":{"accept":["NotUpgraded","Update"]}}}`)
	e.serves(t, "2.0.0", "Upgraded")
	volumes("after", m{"public": "true"})
}

// What the controller's preview finds is what the command finds. No secret is in the status, in
// events, or in the log.
func testInCluster(t *testing.T, e *estate, report *upgrade.Report) {
	e.cluster.RunController(t, clustertest.Options(time.Hour, filepath.Join(scratch, "cache")))
	p := e.provider
	e.cluster.MustPatch(t, p, `{"spec":{"source":"`+e.new+`","upgrade":{"preview":"Required"}}}`)
	e.cluster.WaitFalse(t, p, "Healthy", "UpgradeHeld")
	want, got := map[string]int64{}, map[string]int64{}
	for outcome, n := range report.Outcomes {
		want[string(outcome)] = int64(n)
	}
	found, _, _ := unstructured.NestedMap(p.Object, "status", "upgrade", "outcomes")
	for outcome, n := range found {
		got[outcome], _ = n.(int64)
	}
	if !maps.Equal(want, got) {
		t.Errorf("the command finds %v, the controller %v", want, got)
	}
	events := &corev1.EventList{}
	if err := e.cluster.List(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	told := compact(t, p.Object) + string(log)
	i := slices.IndexFunc(events.Items, func(e corev1.Event) bool { return e.Reason == "UpgradeHeld" })
	if i < 0 {
		t.Error("no event tells that the version is held")
	}
	for _, e := range events.Items {
		told += e.Message
	}
	if strings.Contains(told, planted.Secret) {
		t.Error("a secret is shown")
	}
}
