package e2e_test

import (
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
)

// TestProgress checks that progress of a provider of each SDK is reported when its logs are
// enabled.
func TestProgress(t *testing.T) {
	c := shared(t)
	for _, form := range []string{examplecloudtest.SDKv2, examplecloudtest.Framework6} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			x := c.exampleCloud(t, "progress"+form, form)
			p := resource("landbridge.io/v1alpha1", "TerraformProvider", "", x.name, nil)
			c.MustPatch(t, p, `{"spec":{"logLevel":"Info","activate":["examplecloud_datastore","examplecloud_credential"]}}`)
			c.WaitFor(t, p, "its logs are on", func() bool { return isTrue(p, "Installed", "Healthy") && current(p) })
			ns := c.Namespace(t)
			slow := func(collection, name string) {
				x.Fault(t, m{"on": "create", "collection": collection, "match": m{"name": name}, "count": 1, "task_delay": "6s"})
			}

			slow("datastores", "alone")
			u := x.datastore(ns, "alone", "")
			c.MustCreate(t, u)
			c.WaitFor(t, u, "it tells what the provider said", func() bool { return text(u, "status", "operation", "progress") != "" })
			if got := text(u, "status", "operation", "progress"); !strings.HasPrefix(got, "Task ") || !strings.HasSuffix(got, " is running") {
				t.Errorf("the progress is %q", got)
			}
			c.WaitReady(t, u)

			// This creates a key that is unknown beforehand and that the provider could quote.
			slow("credentials", "secretive")
			u = resource(x.name+".landbridge.io/v1alpha1", "Credential", ns, "secretive", m{"forProvider": m{"name": "secretive"}})
			c.MustCreate(t, u)
			c.WaitFor(t, u, "it is being made", func() bool { return text(u, "status", "operation", "kind") == "Create" })
			never(t, 5*poll, "it tells what the provider said", func() bool {
				return c.Get(t.Context(), key(u), u) == nil && text(u, "status", "operation", "progress") != ""
			})
			c.WaitReady(t, u)
		})
	}
}
