package child_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/landbridge-io/landbridge/internal/child"
)

// bombVariable makes the test run the bomb itself, as another user: root has no limit of processes.
const bombVariable = "LANDBRIDGE_TEST_BOMB"

// TestForkBomb checks that a program that starts ever more processes comes to the limit, and that
// none is left.
func TestForkBomb(t *testing.T) {
	t.Parallel()
	if !child.SandboxSupported() {
		t.Skip(child.ErrNoSandbox)
	}
	if os.Getenv(bombVariable) == "" && os.Getuid() == 0 {
		dir, err := os.MkdirTemp("", "bomb")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		self, err := os.ReadFile("/proc/self/exe")
		if err == nil {
			// A process that is forked meanwhile would have the file open, which then could not be
			// run.
			syscall.ForkLock.RLock()
			err = os.WriteFile(filepath.Join(dir, "test"), self, 0o755)
			syscall.ForkLock.RUnlock()
		}
		if err == nil {
			err = os.Chmod(dir, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(dir, "test"), "-test.run=^TestForkBomb$", "-test.v")
		cmd.Env, cmd.Dir = append(os.Environ(), bombVariable+"=1"), dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestForkBomb") {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	const most = 60
	cmd := exec.Command("/bin/sh", "-c", "i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i+1)); echo $i; done")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := child.StartIn(&child.Sandbox{Processes: most}, cmd); err != nil {
		t.Fatal(err)
	}
	child.WaitForExit(cmd.Process.Pid)
	child.KillGroup(cmd.Process.Pid)
	_ = cmd.Wait()
	if started := strings.Count(out.String(), "\n"); started < 3 || started > most+5 {
		t.Errorf("%d processes were started with a limit of %d:\n%s", started, most, &out)
	}
}
