package e2e_test

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/hcloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// The example for hcloud, against a fake of its API: credentials come from a
// Secret, and a volume is created by an action that takes a while.
func TestHCloud(t *testing.T) {
	t.Parallel()
	const duration = 2 * time.Second
	cloud := hcloudtest.New(t, hcloudtest.Options{ActionDuration: duration})
	c := alone(t)
	c.RunProgram(t, poll, "--provider-mirror", providertest.Mirror(t, "hcloud"), "--provider-cache", t.TempDir())
	objects := manifests(t, "hcloud.yaml")
	if len(objects) != 4 {
		t.Fatalf("%d objects in the example", len(objects))
	}
	provider, token, config, volume := objects[0], objects[1], objects[2], objects[3]
	set(t, token, cloud.Token, "stringData", "token")
	set(t, config, cloud.Endpoint, "spec", "endpoint")
	set(t, config, "50ms", "spec", "pollInterval")

	c.MustCreate(t, provider)
	c.WaitFor(t, provider, "healthy", func() bool { return isTrue(provider, "Installed", "Healthy") })
	if got := text(provider, "status", "installed", "version"); got != "1.68.0" {
		t.Errorf("installed version %s", got)
	}

	// Without a configuration, the status reports what is missing, and nothing is created.
	c.MustCreate(t, volume)
	c.WaitFor(t, volume, "not synced", func() bool {
		status, _, message := condition(volume, "Synced")
		return status == "False" && strings.Contains(message, "ClusterProviderConfig") && strings.Contains(message, "default")
	})

	c.MustCreate(t, token)
	c.MustCreate(t, config)
	begin := time.Now()
	c.WaitFor(t, volume, "being created", func() bool { return text(volume, "status", "operation", "kind") == "Create" })
	c.WaitFor(t, volume, "ready", func() bool { return isTrue(volume, "Ready", "Synced") })
	if took := time.Since(begin); took < duration/2 {
		t.Errorf("ready after %s, though the action takes %s", took, duration)
	}
	made := cloud.Volumes()
	if len(made) != 1 || made[0].Name != "data" || made[0].Labels["managed-by"] != "landbridge" {
		t.Fatalf("volumes: %+v", made)
	}
	id := strconv.FormatInt(made[0].ID, 10)
	if got := volume.GetAnnotations()["crossplane.io/external-name"]; got != id {
		t.Errorf("external name %q, want %s", got, id)
	}

	c.MustPatch(t, volume, `{"spec":{"forProvider":{"size":20,"labels":{"managed-by":"landbridge","team":"a"}}}}`)
	c.WaitFor(t, volume, "resized", func() bool {
		return text(volume, "status", "atProvider", "size") == "20" && isTrue(volume, "Ready", "Synced")
	})
	if got := cloud.Volumes()[0]; got.Size != 20 || got.Labels["team"] != "a" {
		t.Errorf("after the update: %+v", got)
	}

	if !cloud.EditVolume(made[0].ID, func(v *hcloudtest.Volume) { v.Name = "drifted" }) {
		t.Fatal("no such volume")
	}
	eventually(t, "the drift is repaired", func(context.Context) bool { return cloud.Volumes()[0].Name == "data" })

	c.Remove(t, volume)
	if left := cloud.Volumes(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	creates := 0
	for _, r := range cloud.Requests() {
		if r.Method == "POST" && r.Path == "/volumes" {
			creates++
		}
	}
	if creates != 1 {
		t.Errorf("%d volumes were created in all", creates)
	}
	c.checkAbsent(t, cloud.Token, provider, config, volume)
}

// Every resource type of the provider becomes a CRD that the API server accepts.
func TestHCloudWhole(t *testing.T) {
	t.Parallel()
	c := alone(t)
	c.RunProgram(t, poll, "--provider-mirror", providertest.Mirror(t, "hcloud"), "--provider-cache", t.TempDir())
	provider := manifests(t, "hcloud.yaml")[0]
	unstructured.RemoveNestedField(provider.Object, "spec", "activate")
	c.MustCreate(t, provider)
	c.WaitFor(t, provider, "healthy", func() bool { return isTrue(provider, "Installed", "Healthy") })
	if resources, activated := text(provider, "status", "resources"),
		text(provider, "status", "activated"); resources != "29" || activated != resources {
		t.Errorf("%s of %s types are activated", activated, resources)
	}
	crds := &unstructured.UnstructuredList{}
	crds.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinitionList"))
	if err := c.List(t.Context(), crds, client.MatchingLabels{"landbridge.io/provider": "hcloud"}); err != nil {
		t.Fatal(err)
	}
	types := map[string]bool{}
	for _, crd := range crds.Items {
		// The kinds of the provider's configuration have no type.
		if name := crd.GetAnnotations()["landbridge.io/resource-type"]; name != "" {
			types[name] = true
		}
		if !isTrue(&crd, "Established") {
			t.Errorf("%s is not established", crd.GetName())
		}
		if status, _, message := condition(&crd, "NonStructuralSchema"); status == "True" {
			t.Errorf("%s: %s", crd.GetName(), message)
		}
	}
	if len(types) != 29 {
		t.Errorf("CRDs for %d types, want 29", len(types))
	}
}

// checkAbsent fails the test if the objects, an event or the controller's log show
// a secret value.
func (c *cluster) checkAbsent(t *testing.T, secret string, objects ...*unstructured.Unstructured) {
	t.Helper()
	events := &corev1.EventList{}
	if err := c.List(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	if len(events.Items) == 0 {
		t.Error("there are no events")
	}
	seen := map[string]any{"the events": events}
	for _, u := range objects {
		seen[u.GetKind()] = u.Object
	}
	for where, what := range seen {
		content, err := json.Marshal(what)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), secret) {
			t.Errorf("%s show the token", where)
		}
	}
	log, err := os.ReadFile(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	if len(log) == 0 || strings.Contains(string(log), secret) {
		t.Errorf("the log (%d bytes) is empty or shows the token", len(log))
	}
}
