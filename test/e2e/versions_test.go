package e2e_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/schema"
)

// volumes is the name of the CRD under test.
const volumes = "volumes.cloud.example.org"

// A provider changes its schema twice, and its repository adds an API version each time. Manifests
// of the first version keep working, and no remote object changes.
func TestAPIVersions(t *testing.T) {
	t.Parallel()
	r := &repository{cluster: alone(t), cloud: examplecloudtest.Start(t), dir: directory(t), port: clustertest.FreePort(t)}

	// The first version, in use.
	stop := r.release(t, 1, config.Resource{})
	eventually(t, "the provider is configured", func(ctx context.Context) bool {
		return r.Create(ctx, resource("cloud.example.org/v1alpha1", "ClusterProviderConfig", "", "default", m{"endpoint": r.cloud.URL})) == nil
	})
	written := m{"name": "data", "size": int64(2), "public": true}
	old := r.volume("v1alpha1", "data", written)
	r.apply(t, old)
	r.cluster.WaitReady(t, old)
	if d := r.definition(t); d.Spec.Conversion.Strategy != apiextensionsv1.NoneConverter || len(d.Spec.Versions) != 1 {
		t.Fatalf("one version: %v", d.Spec.Conversion)
	}
	before := r.cloud.Audit(t)
	stop()

	// The second version changes a boolean to a string. Without a new API version it is refused.
	if err := r.generate(t, 2, config.Resource{}); err == nil || !strings.Contains(err.Error(), "version gives a kind another API version") {
		t.Fatalf("without another version: %v", err)
	}
	second := config.Resource{Version: "v1alpha2"}
	if err := r.generate(t, 2, second); err != nil {
		t.Fatal(err)
	}
	r.install(t)
	// No conversion webhook runs yet: objects can be read only in their stored version.
	eventually(t, "the new version is served", func(ctx context.Context) bool {
		err := r.Get(ctx, client.ObjectKeyFromObject(old), r.volume("v1alpha2", "data", nil))
		return err != nil && strings.Contains(err.Error(), "conversion webhook for cloud.example.org/v1alpha1, Kind=Volume failed")
	})
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	stop = r.run(t, 2, second)
	now := r.volume("v1alpha2", "data", nil)
	r.cluster.WaitReady(t, now)
	r.has(t, "v1alpha2", "data", m{"name": "data", "size": int64(2), "public": "true"})
	r.has(t, "v1alpha1", "data", written)
	r.unchanged(t, old)
	r.stored(t, "v1alpha2")
	r.unchanged(t, old)
	if after := r.cloud.Audit(t); after != before {
		t.Errorf("the cloud was asked for %+v, and then for %+v", before, after)
	}

	// A change in one version appears in the other.
	old = r.volume("v1alpha1", "data", m{"name": "data", "size": int64(3), "public": true})
	r.apply(t, old)
	r.cluster.WaitReady(t, now)
	r.has(t, "v1alpha2", "data", m{"name": "data", "size": int64(3), "public": "true"})
	if after := r.cloud.Audit(t); after.Updates != before.Updates+1 || after.Creates != before.Creates {
		t.Errorf("the cloud was asked for %+v, and then for %+v", before, after)
	}
	// Values that the old version cannot represent are kept when it is used for changes.
	paused := r.volume("v1alpha2", "paused", m{"name": "paused", "size": int64(1), "public": "who knows"})
	paused.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	r.apply(t, paused)
	r.has(t, "v1alpha1", "paused", m{"name": "paused", "size": int64(1)})
	r.MustPatch(t, r.volume("v1alpha1", "paused", nil), `{"spec":{"forProvider":{"size":2}}}`)
	r.has(t, "v1alpha2", "paused", m{"name": "paused", "size": int64(2), "public": "who knows"})
	// An object created in the old version.
	r.apply(t, r.volume("v1alpha1", "more", m{"name": "more", "size": int64(1), "public": false}))
	r.cluster.WaitReady(t, r.volume("v1alpha2", "more", nil))

	// Without the conversion webhook the new version is still served; the old one is served again
	// when the webhook returns.
	vouched := r.definition(t).Spec.Conversion.Webhook.ClientConfig.CABundle
	stop()
	r.has(t, "v1alpha2", "data", m{"name": "data", "size": int64(3), "public": "true"})
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(old), r.volume("v1alpha1", "data", nil)); err == nil ||
		!strings.Contains(err.Error(), "conversion webhook") {
		t.Errorf("in an outage: %v", err)
	}
	r.install(t) // as GitOps does meanwhile
	stop = r.run(t, 2, second)
	r.cluster.WaitReady(t, r.volume("v1alpha1", "data", nil))
	r.unchanged(t, old)
	if d := r.definition(t); !cmp.Equal(d.Spec.Conversion.Webhook.ClientConfig.CABundle, vouched) {
		t.Error("a restart changed the certificate authority")
	}
	before = r.cloud.Audit(t)
	stop()

	// The third version renames a field and an identity attribute. All three are served.
	third := config.Resource{Version: "v1beta1", Fields: map[string]config.Field{"size_gib": {FormerNames: []string{"size"}}}}
	if err := r.generate(t, 3, third); err != nil {
		t.Fatal(err)
	}
	r.install(t)
	stop = r.run(t, 3, third)
	r.cluster.WaitReady(t, r.volume("v1beta1", "data", nil))
	r.has(t, "v1beta1", "data", m{"name": "data", "sizeGib": int64(3), "public": "true"})
	r.has(t, "v1alpha2", "data", m{"name": "data", "size": int64(3), "public": "true"})
	r.has(t, "v1alpha1", "data", m{"name": "data", "size": int64(3), "public": true})
	r.has(t, "v1beta1", "paused", m{"name": "paused", "sizeGib": int64(2), "public": "who knows"})
	r.has(t, "v1alpha1", "paused", m{"name": "paused", "size": int64(2)})
	r.unchanged(t, old)
	r.stored(t, "v1beta1")
	if after := r.cloud.Audit(t); after != before {
		t.Errorf("the cloud was asked for %+v, and then for %+v", before, after)
	}
	stop()

	// The first version is dropped: no object is stored in it any more.
	third.DroppedVersions = []string{"v1alpha1"}
	if err := r.generate(t, 3, third); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "apis/cloud/v1alpha1/zz_volume_types.go")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the Go types of a version that was dropped: %v", err)
	}
	r.install(t)
	r.run(t, 3, third)
	eventually(t, "the first version is gone", func(ctx context.Context) bool {
		return r.Get(ctx, client.ObjectKeyFromObject(old), r.volume("v1alpha1", "data", nil)) != nil && len(r.definition(t).Spec.Versions) == 2
	})
	r.cluster.WaitReady(t, r.volume("v1alpha2", "data", nil))
	r.has(t, "v1beta1", "paused", m{"name": "paused", "sizeGib": int64(2), "public": "who knows"})
	for _, name := range []string{"data", "more"} {
		r.Remove(t, r.volume("v1alpha2", name, nil))
	}
	if after := r.cloud.Audit(t); after.Live != 0 || after.Creates != 2 || after.Deletes != 2 {
		t.Errorf("the cloud was asked for %+v", after)
	}
}

// repository is a provider author's repository, and the cluster of a user of it.
type repository struct {
	*cluster
	cloud *examplecloudtest.Cloud
	dir   string
	port  int
}

func (r *repository) volume(version, name string, forProvider m) *unstructured.Unstructured {
	return resource("cloud.example.org/"+version, "Volume", "default", name, m{"forProvider": forProvider})
}

func presented(volume config.Resource) config.Provider {
	return config.Provider{Group: "cloud.example.org", Resources: map[string]config.Resource{"examplecloud_volume": volume}}
}

// generate writes the kinds of a provider release as the repository's generator does. Other kinds
// change as well, but have no objects: their changes are not checked.
func (r *repository) generate(t *testing.T, major int, volume config.Resource) error {
	t.Helper()
	p, err := model.NewProvider("examplecloud", r.schemaOf(t, major), presented(volume))
	if err != nil {
		return err
	}
	for name := range p.Resources {
		if name != "examplecloud_volume" {
			delete(p.Resources, name)
		}
	}
	out, err := generator.Provider(p, generator.Options{Module: "example.org/provider-cloud", Dir: r.dir, Examples: true})
	if err != nil {
		return err
	}
	changes, err := generator.Compare(r.dir, out.Files)
	if err != nil {
		return err
	}
	if err := generator.Refuse(changes, "say please"); err != nil {
		return err
	}
	_, err = generator.Write(r.dir, out.Files)
	return err
}

// install applies all CRDs of the repository, as GitOps does.
func (r *repository) install(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "package/crds/*.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(raw, &u.Object); err != nil {
			t.Fatal(err)
		}
		r.apply(t, u)
	}
}

// apply applies an object.
func (r *repository) apply(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	var err error
	eventually(t, u.GetKind()+" "+u.GetName()+" is applied", func(ctx context.Context) bool {
		err = r.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.FieldOwner("gitops"), client.ForceOwnership)
		return err == nil || kerrors.IsInvalid(err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unchanged applies an existing object again and checks that it does not change.
func (r *repository) unchanged(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	before := r.volume("v1alpha1", u.GetName(), nil)
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(u), before); err != nil {
		t.Fatal(err)
	}
	again := r.volume("v1alpha1", u.GetName(), u.Object["spec"].(m)["forProvider"].(m))
	r.apply(t, again)
	after := r.volume("v1alpha1", u.GetName(), nil)
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(u), after); err != nil {
		t.Fatal(err)
	}
	if before.GetGeneration() != after.GetGeneration() {
		t.Errorf("applied again it is another one:\n%s", cmp.Diff(before.Object, after.Object))
	}
}

// has waits until spec.forProvider of a volume has the value in that version.
func (r *repository) has(t *testing.T, version, name string, want m) {
	t.Helper()
	u := r.volume(version, name, nil)
	r.WaitFor(t, u, "as it should be in "+version, func() bool {
		spec, _ := u.Object["spec"].(m)
		return cmp.Equal(spec["forProvider"], any(want))
	})
}

// stored waits until all volumes are stored in that version.
func (r *repository) stored(t *testing.T, version string) {
	t.Helper()
	eventually(t, "volumes are stored in "+version+" alone", func(context.Context) bool {
		return cmp.Equal(r.definition(t).Status.StoredVersions, []string{version})
	})
}

func (r *repository) definition(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := r.Get(t.Context(), client.ObjectKey{Name: volumes}, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// release generates and installs a release and runs its program.
func (r *repository) release(t *testing.T, major int, volume config.Resource) (stop func()) {
	t.Helper()
	if err := r.generate(t, major, volume); err != nil {
		t.Fatal(err)
	}
	r.install(t)
	return r.run(t, major, volume)
}

// run runs the repository's program.
func (r *repository) run(t *testing.T, major int, volume config.Resource) (stop func()) {
	t.Helper()
	o := options(directory(t))
	o.Installer = nil
	o.Name = "provider-cloud"
	o.Packaged = &packaged.Provider{Name: "examplecloud", Config: presented(volume), Launcher: r.launcher(t, major)}
	o.Conversions = &conversion.Options{Port: r.port, Service: crd.Service{Namespace: system, Name: "provider-cloud"}}
	return r.RunController(t, o)
}

func (r *repository) launcher(t *testing.T, major int) *plugin.Launcher {
	t.Helper()
	return &plugin.Launcher{Path: examplecloudtest.Release(t, examplecloudtest.Framework6, major)}
}

func (r *repository) schemaOf(t *testing.T, major int) *schema.Provider {
	t.Helper()
	server, err := r.launcher(t, major).Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, diags := server.Schema(t.Context())
	if err := server.Close(t.Context()); err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	return s
}
