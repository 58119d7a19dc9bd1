package chart_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	helm "helm.sh/helm/v3/pkg/chart"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/tools/release/chart"
)

// installed are the values of the installation in TestContainer.
var installed = object{
	"flags":          object{"poll": "5s"},
	"providerMirror": object{"persistentVolumeClaim": object{"claimName": "mirror"}},
	"providers":      object{"random": object{"source": "hashicorp/random", "version": "~> 3.7", "activate": []any{"random_password"}}},
	"configurations": []any{object{
		"apiVersion": "random.landbridge.io/v1alpha1", "kind": "ClusterProviderConfig",
		"metadata": object{"name": "default"},
	}},
	"metrics": object{"readers": []any{object{"kind": "ServiceAccount", "name": "prometheus", "namespace": "team"}}},
}

// The life of an installation, with the image as containers that have the arguments, volumes, users
// and tokens of the chart's pods.
func TestContainer(t *testing.T) {
	t.Parallel()
	c := clustertest.Start(t, playgroundtest.Options{}, "")
	n := &node{c: c, image: unpack(t), volumes: map[string]string{"provider-mirror": providertest.Mirror(t, "random")}}

	// The first installation is that of an earlier chart, whose definitions the controller updates.
	earlier := of(t, "0.1.0")
	install(t, c, older(t, earlier), chart.Namespace, "team")
	if err := c.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "prometheus", Namespace: "team"}}); err != nil {
		t.Fatal(err)
	}
	first := apply(t, c, earlier)
	one, other := n.replica(t, first, "one"), n.replica(t, first, "other")
	current := &unstructured.Unstructured{}
	current.SetAPIVersion("apiextensions.k8s.io/v1")
	current.SetKind("CustomResourceDefinition")
	current.SetName("terraformproviders.landbridge.io")
	c.WaitFor(t, current, "updated", func() bool {
		return current.GetAnnotations()["landbridge.io/definition-hash"] != "of an earlier version"
	})

	provider := objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "random", nil)
	c.WaitFor(t, provider, "healthy", func() bool { return objecttest.IsTrue(provider, "Installed", "Healthy") })

	// The job is done when the configuration exists.
	job := podOf(t, first, "Job")
	n.volumes["configurations"] = configurations(t, first)
	n.run(t, "job", job, chart.Namespace).wait(t)
	configuration := objecttest.New("random.landbridge.io/v1alpha1", "ClusterProviderConfig", "", "default", nil)
	c.MustGet(t, configuration)

	password := newPassword(t, c, "first")
	secret := connection(t, c, "first")
	n.checkMetrics(t, one, other)

	// Hand over.
	leader, standby := one, other
	if holds(t, c, "other") {
		leader, standby = other, one
	}
	leader.stop(t)
	waittest.Eventually(t, "the other replica leads", func(context.Context) bool { return holds(t, c, standby.name) })
	newPassword(t, c, "second")

	// Upgrade.
	second := apply(t, c, of(t, "0.2.0"))
	prune(t, c, first, second)
	upgraded := n.replica(t, second, "upgraded")
	standby.stop(t)
	waittest.Eventually(t, "the upgraded replica leads", func(context.Context) bool { return holds(t, c, "upgraded") })
	newPassword(t, c, "third")
	same(t, c, password, secret)

	// Uninstall.
	upgraded.stop(t)
	prune(t, c, second, &chart.Rendered{})
	for _, name := range []string{"first", "second", "third"} {
		c.MustGet(t, objecttest.New("random.landbridge.io/v1alpha1", "Password", "team", name, nil))
		connection(t, c, name)
	}
	same(t, c, password, secret)
	c.MustGet(t, provider)
	if !provider.GetDeletionTimestamp().IsZero() {
		t.Error("the TerraformProvider is being deleted")
	}
	stored := &corev1.SecretList{}
	if err := c.List(t.Context(), stored, client.InNamespace(chart.Namespace),
		client.MatchingFields{"type": "landbridge.io/instance"}); err != nil {
		t.Fatal(err)
	}
	if len(stored.Items) != 3 {
		t.Errorf("there are %d stored states, want 3", len(stored.Items))
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: chart.Namespace}}
	waittest.Eventually(t, "the namespace cannot be deleted", func(ctx context.Context) bool {
		err := c.Delete(ctx, ns.DeepCopy(), client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "landbridge.io/allow-deletion")
	})
	if err := c.Patch(t.Context(), ns,
		client.RawPatch("application/merge-patch+json",
			[]byte(`{"metadata":{"annotations":{"landbridge.io/allow-deletion":"true"}}}`))); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), ns, client.DryRunAll); err != nil {
		t.Errorf("the namespace cannot be deleted with the annotation: %v", err)
	}

	// The next installation continues.
	again := n.replica(t, apply(t, c, of(t, "0.2.0")), "again")
	newPassword(t, c, "fourth")
	same(t, c, password, secret)
	again.stop(t)
}

// of returns the chart as a release.
func of(t *testing.T, version string) *helm.Chart {
	t.Helper()
	c, err := chart.Load(filepath.Join(root(t), "deploy", "chart"), version, "v"+version)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// older returns a chart whose definitions have another hash, as those of an earlier version.
func older(t *testing.T, c *helm.Chart) *helm.Chart {
	t.Helper()
	changed := *c
	changed.Files, changed.Raw = nil, nil
	for _, f := range c.Files {
		copied := *f
		text := string(f.Data)
		if strings.HasPrefix(f.Name, "crds/") {
			before, after, found := strings.Cut(text, "landbridge.io/definition-hash: ")
			_, after, _ = strings.Cut(after, "\n")
			if !found {
				t.Fatalf("%s has no hash", f.Name)
			}
			copied.Data = []byte(before + "landbridge.io/definition-hash: of an earlier version\n" + after)
		}
		changed.Files = append(changed.Files, &copied)
	}
	return &changed
}

// apply applies a release to the cluster, as far as its API server has the kinds.
func apply(t *testing.T, c *clustertest.Cluster, release *helm.Chart) *chart.Rendered {
	t.Helper()
	r, err := chart.Render(release, chart.Namespace, installed)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range r.Manifests {
		if m.Object.GetKind() == "Job" || !served(t, c, m.Object) {
			continue
		}
		n++
		if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(m.Object.DeepCopy()), fieldOwner,
			client.ForceOwnership); err != nil {
			t.Fatalf("%s: %v", m.Template, err)
		}
	}
	if n < 15 {
		t.Errorf("only %d objects were applied", n)
	}
	return r
}

// prune deletes what is in one release and not in the next one, as Helm does: unless it is to be
// kept.
func prune(t *testing.T, c *clustertest.Cluster, from, to *chart.Rendered) {
	t.Helper()
	id := func(u *unstructured.Unstructured) string {
		return u.GetKind() + " " + u.GetNamespace() + "/" + u.GetName()
	}
	keep := map[string]bool{}
	for _, m := range to.Manifests {
		keep[id(m.Object)] = true
	}
	for _, m := range from.Manifests {
		if keep[id(m.Object)] || m.Object.GetAnnotations()["helm.sh/resource-policy"] == "keep" || !served(t, c, m.Object) {
			continue
		}
		if err := c.Delete(t.Context(), m.Object.DeepCopy()); err != nil && !kerrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
}

// replica is a container of the Deployment.
type replica struct {
	*container
	name            string
	health, metrics string // addresses
}

// replica starts a replica of a release, and waits until it is ready.
func (n *node) replica(t *testing.T, r *chart.Rendered, name string) *replica {
	t.Helper()
	pod := podOf(t, r, "Deployment")
	k := &replica{name: name, health: clustertest.FreeAddress(t), metrics: clustertest.FreeAddress(t)}
	k.container = n.run(t, name, pod, chart.Namespace, "--health-address="+k.health, "--metrics-address="+k.metrics)
	waittest.Eventually(t, name+" is ready", func(ctx context.Context) bool {
		select {
		case err := <-k.exited:
			log, _ := os.ReadFile(k.log)
			t.Fatalf("the container %s ended with %v\n%s", name, err, tail(log))
		default:
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+k.health+pod.Containers[0].ReadinessProbe.HTTPGet.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return k
}

// checkMetrics reads the metrics of replicas as one who may, and as one who may not.
func (n *node) checkMetrics(t *testing.T, replicas ...*replica) {
	t.Helper()
	leaders, counted := 0, 0
	insecure := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, k := range replicas {
		for account, want := range map[string]int{"prometheus": http.StatusOK, "default": http.StatusForbidden} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+k.metrics+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+n.token(t, account, "team"))
			answer, err := insecure.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != want {
				t.Errorf("the ServiceAccount %s gets %d, want %d\n%s", account, answer.StatusCode, want, content)
			}
			if strings.Contains(string(content), `landbridge_resources{group="random.landbridge.io",kind="Password",state="Full"} 1`) {
				counted++
			}
			if strings.Contains(string(content), `leader_election_master_status{name="landbridge.landbridge.io"} 1`) {
				leaders++
			}
		}
	}
	if leaders != 1 || counted != 1 {
		t.Errorf("%d replicas lead by their metrics, and %d have the resource; want 1", leaders, counted)
	}
}

// holds reports whether a replica holds the lease.
func holds(t *testing.T, c *clustertest.Cluster, name string) bool {
	t.Helper()
	l := &coordinationv1.Lease{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: chart.Namespace, Name: "landbridge.landbridge.io"}, l); err != nil {
		t.Fatal(err)
	}
	return l.Spec.HolderIdentity != nil && strings.HasPrefix(*l.Spec.HolderIdentity, name+"_")
}

// newPassword creates a resource and waits until it is Ready.
func newPassword(t *testing.T, c *clustertest.Cluster, name string) *unstructured.Unstructured {
	t.Helper()
	u := objecttest.New("random.landbridge.io/v1alpha1", "Password", "team", name, object{
		"forProvider": object{"length": 20}, "writeConnectionSecretToRef": object{"name": name},
	})
	c.MustCreate(t, u)
	c.WaitReady(t, u)
	return u
}

// connection returns the connection Secret of a resource.
func connection(t *testing.T, c *clustertest.Cluster, name string) *corev1.Secret {
	t.Helper()
	s := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: name}, s); err != nil {
		t.Fatal(err)
	}
	if len(s.Data) == 0 {
		t.Errorf("the Secret %s is empty", name)
	}
	return s
}

// same fails the test if the resource or its Secret is another one than before.
func same(t *testing.T, c *clustertest.Cluster, before *unstructured.Unstructured, secret *corev1.Secret) {
	t.Helper()
	now := before.DeepCopy()
	c.MustGet(t, now)
	if now.GetUID() != before.GetUID() || !objecttest.IsTrue(now, "Ready", "Synced") {
		t.Errorf("the resource is another one, or not Ready: %v", now.Object["status"])
	}
	for key, value := range connection(t, c, secret.Name).Data {
		if string(secret.Data[key]) != string(value) {
			t.Errorf("%s of the Secret %s has changed", key, secret.Name)
		}
	}
}

// configurations returns a directory with the ConfigMap of the configurations.
func configurations(t *testing.T, r *chart.Rendered) string {
	t.Helper()
	dir := t.TempDir()
	for _, m := range r.Manifests {
		if m.Object.GetKind() != "ConfigMap" || m.Object.GetName() != "landbridge-configurations" {
			continue
		}
		data, _, err := unstructured.NestedStringMap(m.Object.Object, "data")
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range data {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	t.Fatal("there is no ConfigMap of configurations")
	return ""
}

// template returns the pods of a workload.
func template(t *testing.T, workload runtime.Object) *corev1.PodTemplateSpec {
	t.Helper()
	switch w := workload.(type) {
	case *appsv1.Deployment:
		return &w.Spec.Template
	case *batchv1.Job:
		return &w.Spec.Template
	}
	t.Fatalf("%T has no pods", workload)
	return nil
}
