package upgrades_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

var scale = flag.Int("scale", 300, "number of volumes in the test of many resources")

// Limits for 10,000 resources. How long that takes depends on what else runs on the machine.
const (
	configurations = 10
	maxProcessor   = 40 * time.Second // with that of the providers
	maxMemory      = 200 << 20
)

// TestScale previews many volumes with ten provider configurations. Resources and records are
// written as the controller would have written them, since it would take long to make them.
func TestScale(t *testing.T) {
	server := playgroundtest.New(t, playgroundtest.Options{})
	c, err := clustertest.New(server, filepath.Join(scratch, "controller.log"))
	if err != nil {
		t.Fatal(err)
	}
	mirror, _ := releases(t)
	stop := c.RunController(t, clustertest.Options(time.Hour, filepath.Join(scratch, "cache"), mirror))
	p := objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "examplecloud", m{
		"source": "landbridge-io/examplecloud", "version": "1.0.0", "activate": []any{"examplecloud_volume"},
	})
	c.MustCreate(t, p)
	c.WaitFor(t, p, "healthy", func() bool { return objecttest.IsTrue(p, "Installed", "Healthy") && objecttest.Current(p) })
	stop()
	var remote atomic.Int64 // requests of the cloud
	cloud := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { remote.Add(1) }))
	t.Cleanup(cloud.Close)
	for i := range configurations {
		c.MustCreate(t, objecttest.New("examplecloud.landbridge.io/v1alpha1", "ClusterProviderConfig", "",
			fmt.Sprint("account-", i), m{"endpoint": cloud.URL}))
	}
	fill(t, c)
	w := watch(t, c.Config)
	begin := time.Now()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &before); err != nil {
		t.Fatal(err)
	}
	report, code := w.preview(t, "examplecloud", "--to", "2.0.0")
	took := time.Since(begin)
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &after); err != nil {
		t.Fatal(err)
	}
	processor := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	t.Logf("%d resources: %s, %s of processor time with the providers, at most %d MiB", report.Resources,
		took.Round(time.Millisecond), processor.Round(time.Millisecond), w.memory>>20)
	if code != 1 || report.Resources != *scale || report.Outcomes[upgrade.Unchanged]+report.Outcomes[upgrade.FieldChanged] != *scale {
		t.Errorf("exit status %d, %+v", code, report.Outcomes)
	}
	results.written += int(w.writes.Load())
	if w.writes.Load() > 0 || remote.Load() > 0 {
		t.Errorf("%d writes in the cluster, %d requests of the cloud", w.writes.Load(), remote.Load())
	}
	if *scale >= 10_000 && processor > maxProcessor || w.memory > maxMemory {
		t.Error("these are more than the limits")
	}
}

// fill writes the volumes and their records.
func fill(t *testing.T, c *clustertest.Cluster) {
	t.Helper()
	core, err := typedcorev1.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	records := &store.Secrets{Client: core.Secrets(clustertest.System)}
	namespaces := []string{c.Namespace(t), c.Namespace(t), c.Namespace(t)}
	var group errgroup.Group
	group.SetLimit(16)
	for i := range *scale {
		group.Go(func() error {
			name := fmt.Sprintf("volume-%05d", i)
			spec := m{"name": name, "size": int64(i%100 + 1)}
			if i%10 == 0 {
				spec["public"] = true
			}
			u := objecttest.New("examplecloud.landbridge.io/v1alpha1", "Volume", namespaces[i%len(namespaces)], name, m{
				"forProvider": spec, "providerConfigRef": m{"kind": "ClusterProviderConfig", "name": fmt.Sprint("account-", i%configurations)},
			})
			if err := c.Create(t.Context(), u); err != nil {
				return err
			}
			state, err := json.Marshal(m{"id": "v-" + name, "name": name, "size": i%100 + 1, "public": i%10 == 0})
			if err != nil {
				return err
			}
			identity, err := json.Marshal(m{"id": "v-" + name, "public": i%10 == 0})
			if err != nil {
				return err
			}
			_, err = records.Save(t.Context(), keyOf(u), store.Verbatim, store.Record{
				Owner: u.GetUID(), Instance: instance.Instance{Status: instance.Full, RawState: state, RawIdentity: identity},
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

func keyOf(u *unstructured.Unstructured) store.Key {
	gvk := u.GroupVersionKind()
	return store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName()}
}
