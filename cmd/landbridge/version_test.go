package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/version"
)

// nowhere removes what names a cluster from the environment.
func nowhere(t *testing.T) {
	t.Helper()
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := os.Stat(filepath.Join(os.Getenv("HOME"), ".kube", "config")); err == nil {
		t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	}
}

func TestVersionWithoutCluster(t *testing.T) {
	nowhere(t)
	for _, args := range [][]string{{"version", "--client"}, {"version"}} {
		if len(args) == 1 && os.Getenv("KUBECONFIG") != "" {
			continue // this machine has a kubeconfig file, and a variable for another one counts as one
		}
		out, _, err := run(t, args...)
		if want := "Client: " + version.String() + "\n"; err != nil || out != want {
			t.Errorf("%v: got %v and %q, want %q", args, err, out, want)
		}
	}
	for _, args := range [][]string{{"doctor"}, {"status"}} {
		out, _, err := run(t, args...)
		all := out
		if err != nil {
			all += err.Error()
		}
		if err == nil || !strings.Contains(all, "no cluster to work with") ||
			strings.Contains(all, "KUBERNETES_MASTER") || strings.Contains(all, "invalid configuration") {
			t.Errorf("%v: got %v and:\n%s", args, err, out)
		}
	}
}

// TestVersionAndDoctor runs both commands with a real API server, without a controller and with the
// Lease of one.
func TestVersionAndDoctor(t *testing.T) {
	t.Parallel()
	server := playgroundtest.New(t, playgroundtest.Options{})
	cluster := []string{"--kubeconfig", server.Kubeconfig}
	out, _, err := run(t, append([]string{"version"}, cluster...)...)
	if err != nil || !strings.Contains(out, "\nServer: not known\nKubernetes: v") {
		t.Errorf("%v, got:\n%s", err, out)
	}
	mirror := t.TempDir()
	findings := func(args ...string) (map[string]string, error) {
		t.Helper()
		out, _, err := run(t, append(append([]string{"doctor", "-o", "json"}, cluster...), args...)...)
		var all []struct{ Check, State string }
		if jsonErr := json.Unmarshal([]byte(out), &all); jsonErr != nil {
			t.Fatalf("%v: %s", jsonErr, out)
		}
		got := map[string]string{}
		for _, f := range all {
			got[f.Check] = f.State
		}
		return got, err
	}
	got, err := findings("--provider-mirror", mirror, "--provider-registry=")
	if code, tell := exitCode(err); err == nil || code != 1 || tell {
		t.Errorf("got %v", err)
	}
	want := map[string]string{
		"cluster": "OK", "controller": "Problem", "clock": "OK", "permissions": "OK", "providers": "Problem",
		"sources": "OK", "sandbox": "OK",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if got, _ = findings("--provider-mirror", filepath.Join(mirror, "missing")); got["sources"] != "Problem" {
		t.Errorf("a mirror that does not exist: %v", got)
	}
	if got, _ = findings("--provider-registry="); got["sources"] != "Problem" {
		t.Errorf("no source: %v", got)
	}

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, coordinationv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	now, seconds, holder := metav1.NowMicro(), int32(3600), "pod-1_x"
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "landbridge-system"}},
		&coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{
				Name: "landbridge.landbridge.io", Namespace: "landbridge-system", Labels: map[string]string{
					"app.kubernetes.io/version": "v0.8.0",
				},
			},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now},
		},
	} {
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err = run(t, append([]string{"version", "-o", "yaml"}, cluster...)...)
	var v versions
	if yamlErr := yaml.UnmarshalStrict([]byte(out), &v); err != nil || yamlErr != nil || v.Server == nil ||
		v.Server.Version != "v0.8.0" || v.Server.Kubernetes == "" || v.Client.Version != version.String() {
		t.Errorf("%v, %v, got:\n%s", err, yamlErr, out)
	}
	if got, _ = findings(); got["controller"] != "OK" {
		t.Errorf("got %v", got)
	}
}
