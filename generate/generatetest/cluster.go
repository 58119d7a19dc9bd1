package generatetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Environment variables that select the cluster.
const (
	// playgroundVariable is the path of Landbridge's playground, which runs a cluster.
	playgroundVariable = "PLAYGROUND"
	kubeconfigVariable = "KUBECONFIG"
	flagsVariable      = "PROGRAM_FLAGS"
)

// stopTimeout is the maximum time that processes take to stop.
const stopTimeout = time.Minute

// cluster returns the kubeconfig of the cluster, and a client for it.
func cluster(t *testing.T) (string, client.Client) {
	t.Helper()
	kubeconfig := os.Getenv(kubeconfigVariable)
	if playground := os.Getenv(playgroundVariable); playground != "" {
		kubeconfig = startPlayground(t, playground)
	}
	if kubeconfig == "" {
		t.Fatalf("there is no cluster to work in: set %s to Landbridge's playground program, or %s to the "+
			"kubeconfig of a cluster for tests", playgroundVariable, kubeconfigVariable)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return kubeconfig, c
}

// startPlayground runs a control plane until the test ends.
func startPlayground(t *testing.T, program string) (kubeconfig string) {
	t.Helper()
	cmd := exec.Command(program, "serve", "--no-fsync", "--stop-on-stdin-close")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, "the playground", cmd, stdin.Close, &problems) })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready struct {
		Kubeconfig string `json:"kubeconfig"`
	}
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		t.Fatalf("%s does not start: %v\n%s", program, err, problems.Bytes())
	}
	return ready.Kubeconfig
}

// process is the repository's program.
type process struct {
	pid    int
	log    string
	exited chan struct{}
}

// startProgram runs the program until the test ends. The test fails if the program ends before.
func startProgram(t *testing.T, program string, args ...string) *process {
	t.Helper()
	p := &process{log: filepath.Join(t.TempDir(), "log"), exited: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.pid = cmd.Process.Pid
	waited := make(chan error, 1)
	go func() {
		waited <- cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		defer log.Close()
		select {
		case <-p.exited:
			t.Errorf("%s ended by itself: %v", program, <-waited)
		default:
			_ = cmd.Process.Signal(syscall.SIGTERM)
			select {
			case err := <-waited:
				if err != nil {
					t.Errorf("%s was told to stop, and ended with %v", program, err)
				}
			case <-time.After(stopTimeout):
				_ = cmd.Process.Kill()
				t.Errorf("%s was told to stop, and did not", program)
			}
		}
		if t.Failed() {
			t.Logf("the last lines of %s:\n%s", program, p.tail())
		}
	})
	return p
}

// tail returns the end of the program's log.
func (p *process) tail() []byte {
	const most = 30
	raw, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-most):], []byte("\n"))
}

func end(t *testing.T, what string, cmd *exec.Cmd, stop func() error, problems io.Reader) {
	_ = stop()
	kill := time.AfterFunc(stopTimeout, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Wait(); err != nil {
		said, _ := io.ReadAll(problems)
		t.Errorf("%s ended with %v\n%s", what, err, said)
	}
}
