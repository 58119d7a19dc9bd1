package clustertest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

func TestObjects(t *testing.T) {
	c, err := clustertest.New(playgroundtest.Start(t), "")
	if err != nil {
		t.Fatal(err)
	}
	u := objecttest.New("v1", "ConfigMap", c.Namespace(t), "a", nil)
	delete(u.Object, "spec")
	c.MustCreate(t, u)
	seen := u.DeepCopy()
	c.MustPatch(t, u, `{"data":{"key":"value"}}`)
	c.WaitFor(t, seen, "patched", func() bool { return objecttest.Text(seen, "data", "key") == "value" })
	c.Remove(t, u)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(seen), seen); !kerrors.IsNotFound(err) {
		t.Errorf("after Remove, reading the object returns %v", err)
	}
}

// The controller runs before StartController returns, and has ended when stop returns.
func TestStartController(t *testing.T) {
	dir := t.TempDir()
	c := clustertest.Start(t, playgroundtest.Options{}, filepath.Join(dir, "controller.log"))
	stop, err := c.StartController(clustertest.Options(time.Second, dir))
	if err != nil {
		t.Fatal(err)
	}
	p := objecttest.New("landbridge.io/v1alpha1", "TerraformProvider", "", "missing", map[string]any{"source": "example/missing"})
	c.MustCreate(t, p)
	c.WaitFalse(t, p, "Installed", "BinaryNotFound")
	if err := stop(); err != nil {
		t.Error(err)
	}
	kept := clustertest.KeepLog(t.Name(), c.Log)
	t.Cleanup(func() { os.Remove(kept) })
	want, err := os.ReadFile(c.Log)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" || len(want) == 0 {
		t.Errorf("the log has %d bytes, its copy differs: %s", len(want), diff)
	}
}

func TestManifests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(path, []byte("kind: A\n---\nkind: B\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, u := range clustertest.Manifests(t, path) {
		got = append(got, u.GetKind())
	}
	if diff := cmp.Diff([]string{"A", "B"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestContainsAll(t *testing.T) {
	tests := map[string]struct {
		parts []string
		want  bool
	}{
		"no parts":  {want: true},
		"all parts": {parts: []string{"one", "three"}, want: true},
		"not all":   {parts: []string{"one", "four"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := clustertest.ContainsAll("one two three", test.parts...); got != test.want {
				t.Errorf("ContainsAll: %t, want %t", got, test.want)
			}
		})
	}
}
