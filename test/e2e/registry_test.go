package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	commandcluster "github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

// A provider from a registry is downloaded beside others, recorded, kept without the registry, and
// updated as its policy says.
func TestProviderFromRegistry(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile(providertest.Binary(t, "time"))
	if err != nil {
		t.Fatal(err)
	}
	r := registrytest.New(t)
	publish := func(version, license string) {
		r.Add("acme/time", version, runtime.GOOS+"_"+runtime.GOARCH,
			registrytest.Pack(t, map[string]string{
				"terraform-provider-time_v" + version: string(program), "LICENSE": license,
			}))
	}
	publish("1.0.0", "a")
	publish("2.0.0", "a")
	var down atomic.Bool
	slow := make(chan struct{})
	r.Break = func(w http.ResponseWriter, req *http.Request) bool {
		switch {
		case strings.Contains(req.URL.Path, "/slow/"):
			<-slow
		case !down.Load():
			return false
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	c := alone(t)
	o := options(t.TempDir())
	o.Installer = &install.Installer{CacheDir: filepath.Join(directory(t), "cache"), Private: true, Registry: &registry.Client{
		Registry: r.Host(), CA: r.CA(t), Patience: registry.Patience{Attempts: 2, Wait: time.Millisecond},
	}}
	stop := c.RunController(t, o)

	hanging := terraformProvider("slow", "acme/slow")
	c.MustCreate(t, hanging)
	c.WaitFalse(t, hanging, "Installed", "Downloading", "the provider is being downloaded")
	p := terraformProvider("time", "acme/time", "time_static")
	set(t, p, "~> 1.0", "spec", "version")
	c.install(t, p)
	close(slow)
	c.WaitFalse(t, hanging, "Installed", "RegistryUnavailable", "503", "tried again")
	c.WaitFor(t, p, "newer versions are known", func() bool {
		available, _, _ := unstructured.NestedStringSlice(p.Object, "status", "available")
		return slices.Equal(available, []string{"2.0.0"})
	})
	locked, _, _ := unstructured.NestedSlice(p.Object, "status", "locked")
	if len(locked) != 1 || locked[0].(m)["version"] != "1.0.0" || locked[0].(m)["key"] != r.Key.Fingerprint() ||
		locked[0].(m)["signer"] != "Acme" {
		t.Errorf("status.locked is %v", locked)
	}
	namespace := c.Namespace(t)
	static := func(name string) *unstructured.Unstructured {
		return resource("time.landbridge.io/v1alpha1", "Static", namespace, name, m{"forProvider": m{}})
	}
	first := static("first")
	c.MustCreate(t, first)
	c.WaitReady(t, first)

	// Commands use the same version on their own machine.
	var typed v1alpha1.TerraformProvider
	if err := kruntime.DefaultUnstructuredConverter.FromUnstructured(p.Object, &typed); err != nil {
		t.Fatal(err)
	}
	commands := &commandcluster.Reader{Client: c.Client, Installer: &install.Installer{}, StartTimeout: time.Minute}
	if _, err := commands.Open(t.Context(), &typed); err == nil || !strings.Contains(err.Error(), "no provider mirror is configured") {
		t.Errorf("without a registry: %v", err)
	}
	commands.Downloads = &install.Installer{CacheDir: directory(t), Registry: o.Installer.Registry}
	if opened, err := commands.Open(t.Context(), &typed); err != nil || !strings.Contains(opened.Launcher.(*plugin.Launcher).Path, "1.0.0") {
		t.Errorf("got %+v, %v", opened, err)
	}

	// What was installed needs no registry.
	stop()
	down.Store(true)
	c.RunController(t, o)
	second := static("second")
	c.MustCreate(t, second)
	c.WaitReady(t, second)

	// A version that is published later is installed as soon as it is known, and only if the policy
	// permits it.
	publish("1.0.1", "a")
	publish("1.1.0", "a")
	down.Store(false)
	c.MustPatch(t, p, `{"spec":{"updatePolicy":"Patch"}}`)
	c.WaitFor(t, p, "updated", func() bool {
		version, _, _ := unstructured.NestedString(p.Object, "status", "installed", "version")
		return version == "1.0.1"
	})
	// Another package of a version that was installed before is refused, and the current one goes
	// on.
	if err := os.RemoveAll(filepath.Join(o.Installer.CacheDir, "packages")); err != nil {
		t.Fatal(err)
	}
	publish("1.0.0", "changed")
	c.MustPatch(t, p, `{"spec":{"version":"1.0.0"}}`)
	c.WaitFalse(t, p, "Installed", "VerificationFailed", "version 1.0.0", "has changed", "spec.checksums")
	third := static("third")
	c.MustCreate(t, third)
	c.WaitReady(t, third)
	c.MustPatch(t, p, `{"spec":{"version":"1.0.1"}}`)
	c.WaitReady(t, third)
}
