package main

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// A provider of the cluster that cannot be used on this machine, or is not configured, keeps
// the others from nothing, and is not forgotten.
func TestSeveralProvidersOfACluster(t *testing.T) {
	t.Parallel()
	server, c := newPlayground(t)
	create := func(o client.Object) {
		t.Helper()
		// A kind takes a moment to be served.
		if err := waittest.Succeed(t.Context(), func(ctx context.Context) error { return c.Create(ctx, o) }); err != nil {
			t.Fatal(err)
		}
	}
	binary := examplecloudtest.Provider(t, examplecloudtest.Framework6)
	opened, err := (&providerFlags{timeout: time.Minute}).open(t.Context(), binary, nil)
	if err != nil {
		t.Fatal(err)
	}
	packaged, err := crd.Resource(opened.model.Resources["examplecloud_alias"])
	if err != nil {
		t.Fatal(err)
	}
	packaged.Spec.Group = "packaged.example.org"
	packaged.Name = packaged.Spec.Names.Plural + "." + packaged.Spec.Group
	create(packaged)
	landbridge := func(args ...string) (out, said string, exit int) {
		t.Helper()
		out, said, err := run(t, append(args, "--kubeconfig", server.Kubeconfig)...)
		if _, tell := exitCode(err); err != nil && tell {
			said += "Error: " + err.Error()
		}
		return out, said, code(err)
	}
	has := func(said string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(said, part) {
				t.Errorf("%q is not in:\n%s", part, said)
			}
		}
	}
	_, said, exit := landbridge("discover")
	if exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	has(said, "the cluster has no TerraformProviders", "the kinds of packaged.example.org are served by programs "+
		"made for their providers: name the provider's own program with --provider")
	definition, err := v1alpha1.CustomResourceDefinition()
	if err != nil {
		t.Fatal(err)
	}
	create(definition)
	for _, d := range crd.ProviderConfig(opened.model) {
		create(d)
	}
	for name, source := range map[string]string{"cloud": binary, "missing": "example.org/no/where"} {
		create(&v1alpha1.TerraformProvider{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.TerraformProviderSpec{Source: source}})
	}
	const missing = "TerraformProvider missing: provider example.org/no/where: no provider mirror is configured"

	_, said, exit = landbridge("discover")
	if exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	has(said, missing, "there is no ClusterProviderConfig default of examplecloud.landbridge.io in the cluster")

	cloud := examplecloudtest.Start(t)
	cloud.Make(t, "things", map[string]any{"name": "one", "region": "us-east-1"})
	config := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "examplecloud.landbridge.io/v1alpha1", "kind": "ClusterProviderConfig",
		"metadata": map[string]any{"name": "default"}, "spec": map[string]any{"endpoint": cloud.URL},
	}}
	create(config)
	out, said, exit := landbridge("discover")
	if exit != 1 {
		t.Errorf("exit code %d, though not all could be listed", exit)
	}
	has(said, "Error: "+missing)
	has(out, "examplecloud_thing", "one")

	out, said, exit = landbridge("discover", "examplecloud_thing")
	if exit != 0 || strings.Contains(said, "missing") {
		t.Errorf("exit code %d, although what was asked for is there\n%s", exit, said)
	}
	has(out, "examplecloud_thing", "one")

	_, said, exit = landbridge("import", "elsewhere_thing", "--id", "x")
	if exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	has(said, "no provider has a resource type elsewhere_thing", missing)

	_, said, exit = landbridge("import", "--state", file(t, "s", `{"version": 4, "resources": [{"mode": "managed", "type": "elsewhere_thing", "name": "x", "provider": "provider[\"example.org/no/where\"]", "instances": [{"schema_version": 0, "attributes": {}}]}]}`))
	if exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	has(said, "elsewhere_thing.x: "+missing, "Name a directory that has its program on this machine with --provider-mirror.")

	// The kinds are not served yet: that is said, and nothing is written.
	_, said, exit = landbridge("import", "--unmanaged", "examplecloud_thing", "--apply")
	if exit != 1 {
		t.Errorf("exit code %d", exit)
	}
	has(said, "nothing was applied", "the cluster does not serve the kind Thing.examplecloud.landbridge.io; "+
		"activate it in spec.activate of its TerraformProvider")
}
