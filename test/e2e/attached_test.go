package e2e_test

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// A controller uses a provider in a debugger, and neither starts nor ends it.
func TestAttachedProvider(t *testing.T) {
	t.Parallel()
	process := providertest.Debug(t, providertest.Binary(t, "random"), []string{"-debug"})
	attached, err := sources.ParseAttached(process.Attach)
	if err != nil {
		t.Fatal(err)
	}
	c := alone(t)
	o := options(t.TempDir())
	o.Installer = &install.Installer{CacheDir: directory(t)} // there is nothing else
	o.Attached = attached
	stop := c.RunController(t, o)

	p := terraformProvider("random", "hashicorp/random", "random_pet")
	set(t, p, "= 99.0.0", "spec", "version")
	c.install(t, p)
	if _, _, message := condition(p, "Healthy"); !strings.Contains(message,
		"a process that TF_REATTACH_PROVIDERS attaches") || text(p, "status", "sandbox") != "" {
		t.Errorf("the status does not tell that the provider is attached: %v", p.Object["status"])
	}
	pet := resource("random.landbridge.io/v1alpha1", "Pet", c.Namespace(t), "pet", m{"forProvider": m{"length": int64(3)}})
	c.MustCreate(t, pet)
	c.WaitReady(t, pet)
	if id := text(pet, "status", "atProvider", "id"); strings.Count(id, "-") != 2 {
		t.Errorf("the object is %q", id)
	}

	process.End()
	c.MustPatch(t, pet, `{"spec":{"forProvider":{"length":4}}}`)
	c.WaitFor(t, pet, "not synced, since the process has ended", func() bool {
		_, _, message := condition(pet, "Synced")
		return !isTrue(pet, "Synced") && strings.Contains(message, "start the provider again, and set TF_REATTACH_PROVIDERS to what it prints")
	})
	stop()

	// Another process, and another controller.
	process = providertest.Debug(t, providertest.Binary(t, "random"), []string{"-debug"})
	if o.Attached, err = sources.ParseAttached(process.Attach); err != nil {
		t.Fatal(err)
	}
	stop = c.RunController(t, o)
	c.WaitFor(t, pet, "changed", func() bool {
		return strings.Count(text(pet, "status", "atProvider", "id"), "-") == 3 && isTrue(pet, "Ready")
	})
	stop()
	if !process.Runs() {
		t.Error("the process has ended with the controller")
	}
}
