package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// mortal is a cluster with a controller that tests kill: it runs as a separate process.
type mortal struct {
	*cluster
	mirror, workspaces string
	program            *clustertest.Program
}

func newMortal(t *testing.T) *mortal {
	t.Helper()
	c := &mortal{cluster: alone(t), mirror: providertest.Mirror(t, "random"), workspaces: directory(t)}
	c.run(t)
	t.Cleanup(func() {
		c.program.Kill(t)
		c.ShowLog(t)
	})
	return c
}

func (c *mortal) run(t *testing.T) {
	t.Helper()
	tofu, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	c.program = c.StartProgram(t, poll, "--provider-mirror", c.mirror, "--provider-cache",
		filepath.Join(scratch, "cache"), "--cli", tofu, "--cli-workspaces", c.workspaces)
}

// killProgram kills a running apply in the controller's workspaces.
func (c *mortal) killProgram() bool {
	for _, pid := range processtest.Within(c.workspaces) {
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(args), "apply\x00") {
			return syscall.Kill(pid, syscall.SIGKILL) == nil
		}
	}
	return false
}

// killProvider kills the controller's processes of the cloud's provider.
func (c *mortal) killProvider(t *testing.T) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	killed := 0
	for _, stat := range stats {
		b, _ := os.ReadFile(stat)
		_, after, _ := strings.Cut(string(b), ") ")
		fields := strings.Fields(after) // state, parent, ...
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		if len(fields) < 2 || fields[1] != strconv.Itoa(c.program.PID) || !strings.Contains(string(args), "examplecloud") {
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(stat, "/")[2]); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("there is no provider to kill")
	}
}

// racks is a module of objects with an identity that is known before they are created.
const racks = `
terraform {
  required_providers {
    examplecloud = {
      source = "landbridge/examplecloud"
    }
  }
}

variable "names" { type = set(string) }

resource "examplecloud_datastore" "rack" {
  for_each         = var.names
  name             = each.key
  hci_cluster_uuid = "c-1"
  cluster_info     = { id = "c", name = "north" }
}

output "ids" {
  value = { for k, r in examplecloud_datastore.rack : k => r.id }
}
`

// Killing a process in the middle of a create neither duplicates nor loses an object.
func TestModuleCrash(t *testing.T) {
	t.Parallel()
	c := newMortal(t)
	cloud := c.furnish(t)
	dir := directory(t)
	file(t, filepath.Join(dir, "office", "main.tf"), office)
	file(t, filepath.Join(dir, "racks", "main.tf"), racks)
	for _, name := range []string{"office", "racks"} {
		module := terraformModule(name, m{"directory": filepath.Join(dir, name)}, nil)
		c.MustCreate(t, module)
		c.healthy(t, module)
	}
	ns := c.Namespace(t)

	t.Run("the program", func(t *testing.T) {
		cloud.Fault(t, m{"on": "create", "collection": "things", "match": m{"name": "p-1"}, "task_delay": "3s", "count": 1})
		r := resource(modulesAPI, "Office", ns, "p", m{"forProvider": m{"name": "p", "floors": m{"count": 3}}})
		c.MustCreate(t, r)
		eventually(t, "a floor is being made", func(context.Context) bool { return cloud.Making(t, "things", "p-1") })
		if !c.killProgram() {
			t.Fatal("there is no program to kill")
		}
		c.WaitReady(t, r)
		for _, name := range []string{"p", "p-0", "p-1", "p-2"} {
			if n, d := cloud.Happened(t, "creates", name), cloud.Happened(t, "deletes", name); n != 1 || d != 0 {
				t.Errorf("%s: %d creates, %d deletes", name, n, d)
			}
		}
		c.Remove(t, r)
	})

	for name, kill := range map[string]func(*testing.T){
		"controller": func(t *testing.T) { c.program.Kill(t); c.run(t) },
		"provider":   c.killProvider,
	} {
		t.Run("the "+name+", while what is made cannot be found again", func(t *testing.T) {
			name := name[:3]
			second := name + "-1"
			cloud.Fault(t, m{"on": "create", "collection": "things", "match": m{"name": second}, "task_delay": "3s", "count": 1})
			r := resource(modulesAPI, "Office", ns, name, m{"forProvider": m{"name": name, "floors": m{"count": 3}}})
			c.MustCreate(t, r)
			eventually(t, "a floor is being made", func(context.Context) bool { return cloud.Making(t, "things", second) })
			kill(t)
			begun := cloud.Audit(t).CreateRequests
			message := c.WaitFalse(t, r, "Synced", "CreateOutcomeUnknown", "examplecloud_thing.floor[1]", "landbridge.io/confirm-create")
			eventually(t, "the floor is made", func(context.Context) bool { return cloud.Happened(t, "creates", second) == 1 })
			never(t, 3*poll, "it goes on", func() bool { return cloud.Audit(t).CreateRequests > begun })
			cloud.Remove(t, "things", cloud.Find(t, "things", second))
			c.MustPatch(t, r, `{"metadata":{"annotations":{"landbridge.io/confirm-create":"`+operationID.FindStringSubmatch(message)[1]+`"}}}`)
			c.WaitReady(t, r)
			for made, want := range map[string]int{name: 1, name + "-0": 1, second: 2, name + "-2": 1} {
				if n := cloud.Happened(t, "creates", made); n != want {
					t.Errorf("%s: %d creates", made, n)
				}
			}
			c.Remove(t, r)
		})
	}

	t.Run("the controller, with identifiable objects", func(t *testing.T) {
		live := cloud.Audit(t).Live
		for i := range 4 {
			name := fmt.Sprintf("r%d", i)
			names := []any{name + "-a", name + "-b", name + "-c"}
			for _, n := range names {
				cloud.Fault(t, m{"on": "create", "collection": "datastores", "match": m{"name": n}, "task_delay": "400ms"})
			}
			r := resource(modulesAPI, "Racks", ns, name, m{
				"forProvider": m{"names": names},
				// If a create was interrupted before it reached the cloud, it may appear until
				// then.
				"lifecycle": m{"timeouts": m{"create": "20s"}},
			})
			c.MustCreate(t, r)
			eventually(t, "one is being made", func(context.Context) bool {
				return slices.ContainsFunc(names, func(n any) bool { return cloud.Making(t, "datastores", n.(string)) })
			})
			time.Sleep(time.Duration(300*i) * time.Millisecond)
			c.program.Kill(t)
			c.run(t)
			c.WaitReady(t, r)
			if got := cloud.Audit(t).Live - live; got != 3 {
				t.Errorf("%d datastores are there", got)
			}
			c.Remove(t, r)
			if got := cloud.Audit(t).Live - live; got != 0 {
				t.Errorf("%d datastores are left", got)
			}
		}
	})
}
