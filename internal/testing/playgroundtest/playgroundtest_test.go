package playgroundtest_test

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

func client(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func configMap(t *testing.T, c *kubernetes.Clientset, namespace, name string) {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := c.CoreV1().ConfigMaps(namespace).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestStartIsShared(t *testing.T) {
	first, second := playgroundtest.Start(t), playgroundtest.Start(t)
	if first != second {
		t.Error("two servers in one test binary")
	}
	a, b := first.Namespace(t), first.Namespace(t)
	if a == b {
		t.Errorf("one namespace, %s, for two", a)
	}
	configMap(t, client(t, first.Config), a, "one")
	configMap(t, client(t, first.Config), b, "one")
}

func TestKillAndStartAgain(t *testing.T) {
	dir := t.TempDir()
	server := playgroundtest.New(t, playgroundtest.Options{Dir: dir})
	configMap(t, client(t, server.Config), "default", "kept")
	server.Kill()
	if err := syscall.Kill(server.PID, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d after Kill: %v", server.PID, err)
	}
	if err := server.Stop(); err != nil {
		t.Errorf("Stop after Kill: %v", err)
	}

	again := playgroundtest.New(t, playgroundtest.Options{Dir: dir})
	if _, err := client(t, again.Config).CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Errorf("after a crash and a start on the same data: %v", err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	server := playgroundtest.New(t, playgroundtest.Options{})
	begin := time.Now()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Log("stopped after", time.Since(begin))
	if _, err := os.Stat(server.Kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there (error %v)", server.Kubeconfig, err)
	}
}
