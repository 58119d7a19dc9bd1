package playground_test

import (
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/landbridge-io/landbridge/playground"
)

func TestMain(m *testing.M) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

func start(t *testing.T, o playground.Options) (*playground.ControlPlane, *kubernetes.Clientset) {
	t.Helper()
	o.NoFsync = true
	begin := time.Now()
	c, err := playground.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	t.Log("ready after", time.Since(begin))
	client, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	return c, client
}

// eventually fails the test unless f gets true.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if f() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

func configMap(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}}
}

func TestRestartKeepsObjectsAndCredentials(t *testing.T) {
	dir := t.TempDir()
	c, client := start(t, playground.Options{Dir: dir})
	if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("kept"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	port := c.Config.Host[strings.LastIndex(c.Config.Host, ":")+1:]
	c.Stop()
	c.Stop() // harmless
	if err := c.Err(); err != nil {
		t.Errorf("after Stop: %v", err)
	}

	c, client = start(t, playground.Options{Dir: dir, Kubeconfig: filepath.Join(t.TempDir(), "new", "kubeconfig")})
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	if got, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig); err != nil || got.Host != c.Config.Host {
		t.Errorf("kubeconfig names %v (error %v), want %s; before the restart the port was %s", got, err, c.Config.Host, port)
	}
}

func TestOneControlPlanePerDirectory(t *testing.T) {
	dir := t.TempDir()
	start(t, playground.Options{Dir: dir})
	c, err := playground.Start(t.Context(), playground.Options{Dir: dir, NoFsync: true})
	if err == nil {
		c.Stop()
		t.Fatal("a second control plane started on the same directory")
	}
	if want := "another control plane runs on " + dir; !strings.Contains(err.Error(), want) {
		t.Errorf("error %q does not say %q", err, want)
	}
}

// Two throw-away control planes in one process do not know of each other, and
// stopping one with a watch open neither hangs nor disturbs the other.
func TestStopWithOpenWatch(t *testing.T) {
	first, firstClient := start(t, playground.Options{})
	_, secondClient := start(t, playground.Options{})
	watch, err := firstClient.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	begin := time.Now()
	first.Stop()
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("stopping took %s", took)
	} else {
		t.Log("stopped after", took)
	}
	if _, err := os.Stat(filepath.Dir(first.Kubeconfig)); !os.IsNotExist(err) {
		t.Errorf("the temporary directory is still there (error %v)", err)
	}
	if _, err := secondClient.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("alive"), metav1.CreateOptions{}); err != nil {
		t.Errorf("the other control plane: %v", err)
	}
}

func TestControllers(t *testing.T) {
	_, client := start(t, playground.Options{})
	ctx := t.Context()

	t.Run("version", func(t *testing.T) {
		v, err := client.Discovery().ServerVersion()
		if err != nil {
			t.Fatal(err)
		}
		if v.GitVersion != "v1.37.0" {
			t.Errorf("version %q", v.GitVersion)
		}
	})
	t.Run("a default service account and its token", func(t *testing.T) {
		eventually(t, "service account default", func() bool {
			_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
			return err == nil
		})
	})
	t.Run("aggregated cluster roles", func(t *testing.T) {
		eventually(t, "cluster role view has rules", func() bool {
			role, err := client.RbacV1().ClusterRoles().Get(ctx, "view", metav1.GetOptions{})
			return err == nil && len(role.Rules) > 0
		})
	})
	t.Run("owned objects are collected", func(t *testing.T) {
		owner, err := client.CoreV1().ConfigMaps("default").Create(ctx, configMap("owner"), metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		owned := configMap("owned", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID})
		if _, err := client.CoreV1().ConfigMaps("default").Create(ctx, owned, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := client.CoreV1().ConfigMaps("default").Delete(ctx, owner.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "owned is collected", func() bool {
			_, err := client.CoreV1().ConfigMaps("default").Get(ctx, "owned", metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		})
	})
	t.Run("namespaces go away with what is in them", func(t *testing.T) {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team"}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().ConfigMaps("team").Create(ctx, configMap("inside"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := client.CoreV1().Namespaces().Delete(ctx, "team", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "namespace is gone", func() bool {
			_, err := client.CoreV1().Namespaces().Get(ctx, "team", metav1.GetOptions{})
			return apierrors.IsNotFound(err)
		})
	})
}

func TestStartIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := playground.Start(ctx, playground.Options{NoFsync: true}); err == nil {
		c.Stop()
		t.Fatal("started with a cancelled context")
	}
}
