package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// The test binary is the command itself when it is started with this variable.
const runMain = "PLAYGROUND_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestServe(t *testing.T) {
	tests := map[string]struct {
		args []string
		stop func(*exec.Cmd, io.Closer) error
	}{
		"SIGTERM": {
			stop: func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
		},
		"SIGINT": {
			stop: func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(os.Interrupt) },
		},
		"standard input closed": {
			args: []string{"--stop-on-stdin-close"},
			stop: func(_ *exec.Cmd, stdin io.Closer) error { return stdin.Close() },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kubeconfig := filepath.Join(dir, "elsewhere", "config")
			cmd := exec.Command(os.Args[0],
				append([]string{
					"serve", "--no-fsync", "--data", filepath.Join(dir, "data"), "--kubeconfig", kubeconfig,
				}, test.args...)...)
			cmd.Env = append(os.Environ(), runMain+"=1")
			cmd.Stderr = os.Stderr
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
			t.Cleanup(func() { _ = cmd.Process.Kill() })

			lines := bufio.NewReader(stdout)
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatalf("no line of output: %v", err)
			}
			var message readyMessage
			if err := json.Unmarshal(line, &message); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if !message.Ready || message.Kubeconfig != kubeconfig || message.PID != cmd.Process.Pid {
				t.Errorf("printed %s", line)
			}
			config, err := clientcmd.BuildConfigFromFlags("", message.Kubeconfig)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := kubernetes.NewForConfigOrDie(config).Discovery().ServerVersion(); err != nil {
				t.Error(err)
			}
			if log, err := os.Stat(message.Log); err != nil || log.Size() == 0 {
				t.Errorf("log %s: %v", message.Log, err)
			}

			begin := time.Now()
			if err := test.stop(cmd, stdin); err != nil {
				t.Fatal(err)
			}
			if rest, _ := io.ReadAll(lines); len(rest) > 0 {
				t.Errorf("more than one line of output: %s", rest)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("exit: %v", err)
			}
			t.Log("stopped after", time.Since(begin))
		})
	}
}
