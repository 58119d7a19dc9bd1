package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// limit is how long anything that should happen may take.
const limit = 60 * time.Second

// cluster is an API server with Landbridge's controller working in it.
type cluster struct {
	client.Client
	config *rest.Config
	log    string // the controller's
}

// newCluster starts both for one test. The mirror has the named providers.
func newCluster(t *testing.T, providers ...string) *cluster {
	t.Helper()
	server := playgroundtest.New(t, playgroundtest.Options{})
	c, err := client.New(server.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cl := &cluster{Client: c, config: server.Config, log: filepath.Join(t.TempDir(), "controller.log")}
	cl.startController(t, server.Kubeconfig, providertest.Mirror(t, providers...))
	return cl
}

// startController runs the controller until the test ends, and fails the test
// if it does not end well.
func (c *cluster) startController(t *testing.T, kubeconfig, mirror string) {
	t.Helper()
	binary, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "controller", "--kubeconfig", kubeconfig, "--provider-mirror", mirror,
		"--provider-cache", t.TempDir(), "--poll", "1s", "--leader-elect=false", "--metrics-address=0", "--health-address=0")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		defer log.Close()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-exited:
			if err != nil {
				t.Errorf("the controller ended with %v", err)
			}
		case <-time.After(limit):
			_ = cmd.Process.Kill()
			t.Error("the controller does not stop")
		}
		if t.Failed() {
			content, _ := os.ReadFile(c.log)
			t.Logf("the controller's log:\n%s", content)
		}
	})
}

// manifests reads the objects of a file under examples.
func manifests(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, "examples", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*unstructured.Unstructured
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(&u.Object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, u)
	}
}

func set(t *testing.T, u *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}

// create creates the object, once its kind is served.
func (c *cluster) create(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	var err error
	c.eventually(t, "the kind "+u.GetKind()+" is served", func(ctx context.Context) bool {
		err = c.Create(ctx, u)
		return !meta.IsNoMatchError(err) && !kerrors.IsNotFound(err) && !kerrors.IsServiceUnavailable(err)
	})
	if err != nil {
		t.Fatalf("creating %s %s: %v", u.GetKind(), u.GetName(), err)
	}
}

// waitFor brings u up to date until holds is true of it.
func (c *cluster) waitFor(t *testing.T, u *unstructured.Unstructured, what string, holds func() bool) {
	t.Helper()
	var err error
	defer func() {
		if !holds() {
			u.SetManagedFields(nil)
			content, _ := json.MarshalIndent(u.Object, "", "  ")
			t.Logf("as it was last (error %v):\n%s", err, content)
		}
	}()
	c.eventually(t, u.GetKind()+" "+u.GetName()+" is "+what, func(ctx context.Context) bool {
		err = c.Get(ctx, client.ObjectKeyFromObject(u), u)
		return err == nil && holds()
	})
}

// patch changes the object as kubectl does: a field that its kind does not have is an error.
func (c *cluster) patch(t *testing.T, u *unstructured.Unstructured, merge string) {
	t.Helper()
	if err := c.Patch(t.Context(), u, client.RawPatch("application/merge-patch+json", []byte(merge)), client.FieldValidation("Strict")); err != nil {
		t.Fatal(err)
	}
}

// remove deletes the object and waits until it is gone.
func (c *cluster) remove(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	if err := c.Delete(t.Context(), u, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	c.gone(t, u)
}

func (c *cluster) gone(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	c.eventually(t, u.GetKind()+" "+u.GetName()+" is gone", func(ctx context.Context) bool {
		err := c.Get(ctx, client.ObjectKeyFromObject(u), u)
		return kerrors.IsNotFound(err) || meta.IsNoMatchError(err)
	})
}

func (c *cluster) eventually(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(25 * time.Millisecond) {
		if holds(t.Context()) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
