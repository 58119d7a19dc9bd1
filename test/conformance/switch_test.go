package conformance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// journey is the order of executions in which each follows each other once.
var journey = []string{"CLI", "InProcess", "Plugin", "CLI", "Plugin", "InProcess", "CLI"}

// TestSwitch checks that switching between ways of execution does not affect resources: objects and
// stored state stay unchanged, and each way continues what another one has begun.
func TestSwitch(t *testing.T) {
	t.Parallel()
	c := shared(t)
	for _, form := range examplecloudtest.Forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			cloud := examplecloudtest.Start(t)
			ns, group := c.Namespace(t), form+".landbridge.io"
			p := object("landbridge.io/v1alpha1", "TerraformProvider", "", form, m{
				"source": "landbridge-io/" + form, "version": release.Latest.String(), "execution": "Plugin",
				"activate": []any{"examplecloud_thing", "examplecloud_datastore", "examplecloud_credential", "examplecloud_volume"},
			})
			c.MustCreate(t, p)
			c.executed(t, p, "Plugin")
			c.MustCreate(t, object(group+"/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": cloud.URL, "region": "us-east-1"}))

			secret := &corev1.Secret{StringData: map[string]string{"password": "hunter2"}}
			secret.Namespace, secret.Name = ns, "given"
			if err := c.Create(t.Context(), secret); err != nil {
				t.Fatal(err)
			}
			thing := object(group+"/v1alpha1", "Thing", ns, "a", m{"forProvider": m{"name": "a", "size": int64(1)}})
			resources := map[string]*unstructured.Unstructured{
				"thing": thing,
				"datastore": object(group+"/v1alpha1", "Datastore", ns, "b", m{
					"forProvider": m{"name": "b", "hciClusterUuid": "h", "clusterInfo": m{"id": "c"}},
				}),
				"credential": object(group+"/v1alpha1", "Credential", ns, "c", m{
					"forProvider": m{
						"name": "c", "passwordSecretRef": m{"name": "given", "key": "password"},
					},
					"writeConnectionSecretToRef": m{"name": "made"},
				}),
				"volume": object(group+"/v1alpha1", "Volume", ns, "d", m{"forProvider": m{"name": "d"}}),
			}
			schemas := schemasOf(t, form, cloud)
			before := map[string]instance.Instance{}
			for name, u := range resources {
				c.MustCreate(t, u)
				c.WaitReady(t, u)
				before[name] = c.settled(t, u, schemas["examplecloud_"+name])
			}
			size := int64(1)
			for _, way := range journey {
				counted := cloud.Audit(t)
				c.MustPatch(t, p, `{"spec":{"execution":"`+way+`"}}`)
				c.executed(t, p, way)
				for name, u := range resources {
					c.Reconcile(t, u)
					c.Reconcile(t, u)
					c.WaitReady(t, u)
					after := c.stored(t, u, schemas["examplecloud_"+name])
					if diff := cmp.Diff(essence(before[name]), essence(after)); diff != "" {
						t.Errorf("%s: %s is stored otherwise: %s", way, name, diff)
					}
				}
				if diff := cmp.Diff(counted, cloud.Audit(t)); diff != "" {
					t.Errorf("%s: the cloud was changed: %s", way, diff)
				}
				// It continues where the other one ended.
				size++
				c.MustPatch(t, thing, `{"spec":{"forProvider":{"size":`+string(rune('0'+size))+`}}}`)
				c.WaitFor(t, thing, "updated by "+way, func() bool {
					return isTrue(thing, "Ready", "Synced") && text(thing, "status", "atProvider", "size") == string(rune('0'+size))
				})
				before["thing"] = c.settled(t, thing, schemas["examplecloud_thing"])
				if got, want := cloud.Audit(t).Updates, counted.Updates+1; got != want {
					t.Errorf("%s: %d updates, want %d", way, got, want)
				}
			}
			for _, u := range resources {
				c.Remove(t, u)
			}
			if got := cloud.Audit(t); got.Live != 0 || got.Creates != len(resources) || got.Deletes != len(resources) {
				t.Errorf("at the end: %+v", got)
			}
			c.Remove(t, p)
		})
	}
}

// executed waits until a provider uses a way.
func (c *cluster) executed(t *testing.T, p *unstructured.Unstructured, way string) {
	t.Helper()
	c.WaitFor(t, p, "executed by "+way, func() bool {
		return isTrue(p, "Installed", "Healthy") && current(p) && text(p, "status", "execution") == way
	})
	if program := text(p, "status", "commandLine"); (program != "") != (way == "CLI") ||
		way == "CLI" && !strings.HasPrefix(program, "OpenTofu 1.") {
		t.Errorf("%s: the program is %q", way, program)
	}
}

// settled returns the stored state after the first reads. A provider's response to the first read
// after an apply may differ from its response to the apply.
func (c *cluster) settled(t *testing.T, u *unstructured.Unstructured, r *schema.Resource) instance.Instance {
	t.Helper()
	c.Reconcile(t, u)
	c.Reconcile(t, u)
	return c.stored(t, u, r)
}

func schemasOf(t *testing.T, form string, cloud *examplecloudtest.Cloud) map[string]*schema.Resource {
	t.Helper()
	p, _ := examplecloudtest.OpenLauncher(t, launcher(t, form, conformance.Plugin, release.Latest), cloud)
	return p.Schema.Resources
}

// essence returns the parts of the stored state that must not change.
func essence(in instance.Instance) map[string]string {
	return map[string]string{
		"state": in.State.GoString(), "identity": in.Identity.GoString(), "private": string(in.Private), "status": string(in.Status),
	}
}

// TestUnavailable checks that an unavailable way is reported with a reason, and that the current
// one stays.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	c := shared(t)
	p := object("landbridge.io/v1alpha1", "TerraformProvider", "", "random", m{
		"source": "hashicorp/random", "activate": []any{"random_pet"}, "execution": "InProcess",
	})
	c.MustCreate(t, p)
	c.WaitFor(t, p, "refused", func() bool {
		_, reason, message := condition(p, "Installed")
		return reason == "ExecutionUnavailable" && strings.Contains(message, "not linked into this controller")
	})
	c.MustPatch(t, p, `{"spec":{"execution":"CLI"}}`)
	c.executed(t, p, "CLI")
	ns := c.Namespace(t)
	pet := object("random.landbridge.io/v1alpha1", "Pet", ns, "p", m{"forProvider": m{"length": int64(3)}})
	c.MustCreate(t, pet)
	c.WaitReady(t, pet)
	if n := strings.Count(text(pet, "status", "atProvider", "id"), "-"); n != 2 {
		t.Errorf("the pet is %q", text(pet, "status", "atProvider", "id"))
	}
	c.Remove(t, pet)
}
