package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

// wrapper is a program that behaves as the file mode specifies, and otherwise runs OpenTofu.
const wrapper = `#!/bin/sh
mode=$(cat %[1]s/mode)
case "$mode-$1" in
old-version) echo "Terraform v1.4.7"; exit 0;;
other-version) echo "hello"; exit 0;;
*-version) ;;
garbage-*) echo "what is this"; exit 1;;
hangs-*) sleep 1000;;
locked-*) echo '{"ID":"1"}' > .terraform.tfstate.lock.info; echo x > errored.tfstate;;
esac
exec %[2]s "$@"
`

// TestBrokenCommandLine checks the messages for programs that are missing, of another kind or
// broken, and that objects are not changed meanwhile and reconciled afterwards.
func TestBrokenCommandLine(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "lb-")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	c, stop, err := start(t, playgroundtest.New(t, playgroundtest.Options{}), &kinds.CommandLine{Program: program, Patience: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	mode := func(mode string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "mode"), []byte(mode), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	install := func() {
		t.Helper()
		mode("works")
		text := fmt.Sprintf(wrapper, dir, runners[conformance.OpenTofu].Program().Path)
		// Renamed, because a file that is open for writing cannot be executed.
		if err := os.WriteFile(program+".new", []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(program+".new", program); err != nil {
			t.Fatal(err)
		}
	}

	cloud := examplecloudtest.Start(t)
	p := object("landbridge.io/v1alpha1", "TerraformProvider", "", "broken", m{
		"source": "landbridge-io/" + examplecloudtest.Framework6, "execution": "CLI", "group": "broken.landbridge.io",
		"activate": []any{"examplecloud_thing"},
	})
	unavailable := func(message string) {
		t.Helper()
		c.WaitFor(t, p, "unavailable: "+message, func() bool {
			status, reason, said := condition(p, "Healthy")
			return status == "False" && reason == "ExecutionUnavailable" && strings.Contains(said, message)
		})
	}
	c.MustCreate(t, p)
	unavailable("there is no such program")
	install()
	mode("old")
	unavailable("it is Terraform 1.4.7; version 1.5.0 or later is needed")
	mode("other")
	unavailable("it is neither OpenTofu nor Terraform")
	mode("works")
	c.executed(t, p, "CLI")
	group := "broken.landbridge.io/v1alpha1"
	c.MustCreate(t, object(group, "ClusterProviderConfig", "", "default", m{"endpoint": cloud.URL}))
	ns := c.Namespace(t)
	u := object(group, "Thing", ns, "a", m{"forProvider": m{"name": "a", "size": int64(1)}})
	c.MustCreate(t, u)
	c.WaitReady(t, u)

	size := int64(1)
	for _, test := range []struct {
		name      string
		disturb   func()
		says      string
		afterward func()
	}{
		{"prints something else", func() { mode("garbage") }, "exited with status 1. Its output: what is this", install},
		{"hangs", func() { mode("hangs") }, "it hung and was killed: it had no output and was not waiting for the provider", install},
		{"is removed", func() { _ = os.Remove(program) }, "Cannot start OpenTofu", install},
	} {
		before := cloud.Audit(t)
		test.disturb()
		size++
		c.MustPatch(t, u, fmt.Sprintf(`{"spec":{"forProvider":{"size":%d}}}`, size))
		c.failing(t, u, test.says)
		if a := cloud.Audit(t); a != before {
			t.Errorf("%s: something was done: %+v, %+v", test.name, before, a)
		}
		test.afterward()
		c.recovers(t, u, size)
		if a := cloud.Audit(t); a.Updates != before.Updates+1 || a.Creates != 1 {
			t.Errorf("%s: %+v, %+v", test.name, before, a)
		}
	}

	// Files left by an interrupted program do not block later runs.
	mode("locked")
	size++
	c.MustPatch(t, u, fmt.Sprintf(`{"spec":{"forProvider":{"size":%d}}}`, size))
	c.recovers(t, u, size)
	mode("works")
	c.Remove(t, u)
	if a := cloud.Audit(t); a.Live != 0 {
		t.Errorf("at the end: %+v", a)
	}
}

// failing waits until a resource reports why it is not reconciled.
func (c *cluster) failing(t *testing.T, u *unstructured.Unstructured, message string) {
	t.Helper()
	c.WaitFor(t, u, "failing: "+message, func() bool {
		status, reason, said := condition(u, "Synced")
		return status == "False" && reason == "ReconcileError" && strings.Contains(said, message)
	})
}

// recovers waits until a resource is ready and synced again after a failure.
func (c *cluster) recovers(t *testing.T, u *unstructured.Unstructured, size int64) {
	t.Helper()
	c.RequestReconcile(t, u)
	c.WaitFor(t, u, "well again", func() bool {
		return isTrue(u, "Ready", "Synced") && current(u) && text(u, "status", "atProvider", "size") == fmt.Sprint(size)
	})
}

// TestDiskFull fills the file system of the workspaces, before a change and in the middle of one.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "lb-")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=2m", "landbridge", dir).CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		t.Skipf("a file system can only be mounted by root: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		_ = os.RemoveAll(dir)
	})
	filler := filepath.Join(dir, "filler")
	// fill uses all free space, including space that is freed later.
	fill := func() (empty func()) {
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		enough, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for page := make([]byte, 4096); ; {
				if _, err := f.Write(page); err == nil {
					continue
				}
				select {
				case <-enough:
					return
				case <-time.After(time.Millisecond):
				}
			}
		}()
		return func() {
			t.Helper()
			close(enough)
			<-ended
			if err := errors.Join(f.Close(), os.Remove(filler)); err != nil {
				t.Error(err)
			}
		}
	}
	line := commandLine(conformance.OpenTofu)
	line.Dir = dir
	c, stop, err := start(t, playgroundtest.New(t, playgroundtest.Options{}), line)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	cloud := examplecloudtest.Start(t)
	_, group := c.install(t, examplecloudtest.Framework6, "full", cloud, "thing")
	u := object(group, "Thing", c.Namespace(t), "a", m{"forProvider": m{"name": "a", "size": int64(1)}})

	// The program cannot record the object that the provider created.
	cloud.Fault(t, m{"on": "create", "task_delay": "3s", "count": 1})
	c.MustCreate(t, u)
	waittest.Eventually(t, "the cloud is asked for one create", func(context.Context) bool { return cloud.Audit(t).CreateRequests == 1 })
	empty := fill()
	c.failing(t, u, "no space left on device")
	empty()
	c.recovers(t, u, 1)
	if a := cloud.Audit(t); a.CreateRequests != 1 || a.Live != 1 {
		t.Errorf("created: %+v", a)
	}

	empty = fill()
	c.MustPatch(t, u, `{"spec":{"forProvider":{"size":2}}}`)
	c.failing(t, u, "no space left on device")
	if a := cloud.Audit(t); a.Updates != 0 {
		t.Errorf("updated: %+v", a)
	}
	empty()
	c.recovers(t, u, 2)
	c.Remove(t, u)
}
