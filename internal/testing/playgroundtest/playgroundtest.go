package playgroundtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// stopTimeout is the time after which a server that does not stop is killed.
const stopTimeout = 30 * time.Second

// Options configures New.
type Options struct {
	// Dir holds the server's data and is kept, for a later start with the same
	// data. Defaults to a temporary directory that is removed with the server.
	Dir string
	// Port on 127.0.0.1, for a later start at the same address. Defaults to a free one.
	Port int
}

// Server is a running control plane.
type Server struct {
	Kubeconfig string       // path of an administrator's kubeconfig
	Config     *rest.Config // the same, without client-side rate limits; copy before changing it
	PID        int          // of the process that runs etcd and the API server

	cmd    *exec.Cmd
	stdin  io.Closer // closing it stops the child; the kernel closes it when this process ends
	stderr *bytes.Buffer
	exited chan struct{}
	err    error // of the process; read it only after exited is closed
}

var shared = sync.OnceValues(func() (*Server, error) { return Run(context.Background(), Options{}) })

// Start returns the server that all tests of this test binary share. It ends
// with the test binary.
func Start(tb testing.TB) *Server {
	tb.Helper()
	s, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	select {
	case <-s.exited:
		tb.Fatalf("the shared API server is gone: %v\n%s", s.err, s.stderr)
	default:
	}
	return s
}

// New starts a server for one test, for tests that stop, kill or fill it. It ends
// with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s, err := Run(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Namespace creates a namespace with a generated name for one test and deletes it
// with its content when the test ends.
func (s *Server) Namespace(tb testing.TB) string {
	tb.Helper()
	client, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		tb.Fatal(err)
	}
	ns, err := client.CoreV1().Namespaces().Create(tb.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := client.CoreV1().Namespaces().Delete(ctx, ns.Name, metav1.DeleteOptions{}); err != nil {
			tb.Errorf("deleting namespace %s: %v", ns.Name, err)
		}
	})
	return ns.Name
}

// Secrets is the client of the Secrets in a namespace of the test's own.
func (s *Server) Secrets(tb testing.TB) typedcorev1.SecretInterface {
	tb.Helper()
	client, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		tb.Fatal(err)
	}
	return client.CoreV1().Secrets(s.Namespace(tb))
}

// Stop ends the server gracefully. It does nothing if the server has ended.
func (s *Server) Stop() error {
	select {
	case <-s.exited:
		return nil
	default:
	}
	s.stdin.Close()
	select {
	case <-s.exited:
		if s.err != nil {
			return fmt.Errorf("the API server ended with %w\n%s", s.err, s.stderr)
		}
		return nil
	case <-time.After(stopTimeout):
		s.Kill()
		return fmt.Errorf("the API server did not stop within %s", stopTimeout)
	}
}

// Kill ends the server as a crash does.
func (s *Server) Kill() {
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	<-s.exited
}

// Run starts a server for a program other than a test. The caller has to stop it.
func Run(ctx context.Context, o Options) (*Server, error) {
	binary, err := testbin.Build(ctx, testbin.Playground)
	if err != nil {
		return nil, err
	}
	args := []string{"serve", "--no-fsync", "--stop-on-stdin-close", fmt.Sprintf("--port=%d", o.Port)}
	if o.Dir != "" {
		args = append(args, "--data", o.Dir)
	}
	s := &Server{cmd: exec.Command(binary, args...), stderr: &bytes.Buffer{}, exited: make(chan struct{})}
	// Not this process's stderr: "go test" waits until every process that holds it
	// has closed it.
	s.cmd.Stderr = s.stderr
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	s.stdin = stdin
	stdout, stdoutOfChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	s.cmd.Stdout = stdoutOfChild
	err = s.cmd.Start()
	stdoutOfChild.Close()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", binary, err)
	}
	go func() {
		defer close(s.exited)
		s.err = s.cmd.Wait()
	}()

	var message struct {
		Kubeconfig string `json:"kubeconfig"`
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		<-s.exited
		return nil, fmt.Errorf("the API server did not start: %w\n%s", s.err, s.stderr)
	}
	if err == nil {
		err = json.Unmarshal(line, &message)
	}
	if err == nil {
		s.Config, err = clientcmd.BuildConfigFromFlags("", message.Kubeconfig)
	}
	if err != nil {
		s.Kill()
		return nil, fmt.Errorf("reading the output of %s: %w", binary, err)
	}
	s.Config.QPS = -1
	s.Kubeconfig, s.PID = message.Kubeconfig, s.cmd.Process.Pid
	return s, nil
}
