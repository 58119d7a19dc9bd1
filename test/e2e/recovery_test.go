package e2e_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestConfiguredRecovery kills a provider while it creates objects whose interrupted creates can be
// recovered because of the configuration: by a create token, and by listing. A mapping of an
// identity that is wrong is reported.
func TestConfiguredRecovery(t *testing.T) {
	c := shared(t)
	_, w := c.configured(t, "recoverable", m{
		"group":    "recoverable.example.org",
		"activate": []any{"examplecloud_thing", "examplecloud_ticket", "examplecloud_alias"},
		"resources": m{
			"examplecloud_ticket": m{"createToken": m{"argument": "create_token"}},
			"examplecloud_thing":  m{"listRecovery": m{"arguments": m{"region": "region"}}},
			"examplecloud_alias":  m{"identity": m{"name": "target"}},
		},
	})
	const api = "recoverable.example.org/v1alpha1"
	w.cloud.Make(t, "things", m{"name": "listed", "region": "us-east-1", "size": 1}) // looks alike
	alias := resource(api, "Alias", w.namespace, "mapped", m{"forProvider": m{"name": "mapped", "target": "elsewhere"}})
	ticket := resource(api, "Ticket", w.namespace, "once", m{"forProvider": m{"title": "once"}})
	thing := resource(api, "Thing", w.namespace, "listed", m{"forProvider": m{"name": "listed", "region": "us-east-1"}})
	before := w.cloud.Audit(t)
	w.cloud.Fault(t, m{"on": "create", "collection": "tickets", "match": m{"title": "once"}, "count": 1, "task_delay": "8s"})
	w.cloud.Fault(t, m{"on": "create", "collection": "things", "match": m{"name": "listed"}, "count": 1, "task_delay": "8s"})
	c.MustCreate(t, ticket)
	c.MustCreate(t, thing)
	for _, u := range []*unstructured.Unstructured{ticket, thing} {
		c.WaitFor(t, u, "being made", func() bool { return text(u, "status", "operation", "kind") == "Create" })
	}
	killProviders(t, "recoverable")
	c.WaitReady(t, ticket)
	c.WaitReady(t, thing)
	// The thing that was found is tainted, and replaced.
	after := w.cloud.Audit(t)
	if after.Creates-before.Creates != 3 || after.Deletes-before.Deletes != 1 || after.Live-before.Live != 2 {
		t.Errorf("the cloud saw %+v, and before %+v", after, before)
	}
	if got := text(ticket, "status", "atProvider", "createToken"); got == "" {
		t.Error("the ticket has no token")
	}
	c.MustCreate(t, alias)
	c.WaitFalse(t, alias, "Identifiable", "ConfigurationContradicted",
		`the configuration makes the attribute name of the identity "elsewhere", but it is "mapped"`)
	for _, u := range []*unstructured.Unstructured{ticket, thing, alias} {
		c.Remove(t, u)
	}
}

// killProviders kills the processes of a provider that only one test uses.
func killProviders(t *testing.T, name string) {
	t.Helper()
	killed := 0
	programs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range programs {
		line, _ := os.ReadFile(path)
		program, _, _ := strings.Cut(string(line), "\x00")
		if !strings.HasPrefix(filepath.Base(program), "terraform-provider-"+name+"_") {
			continue
		}
		if pid, err := strconv.Atoi(strings.Split(path, "/")[2]); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("there is no provider to kill")
	}
}
