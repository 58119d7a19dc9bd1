package behaviour_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	cloudclient "github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/processtest"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// The test binary runs as a controller if these variables name a kubeconfig and a mirror.
const (
	runController       = "BEHAVIOUR_TEST_CONTROLLER"
	runControllerMirror = "BEHAVIOUR_TEST_CONTROLLER_MIRROR"
)

// controlUntilKilled runs the controller in a child process.
func controlUntilKilled(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	programs := os.Getenv(runControllerMirror)
	scratch = filepath.Dir(programs) // of the test binary
	o, err := options(programs)
	if err != nil {
		return err
	}
	o.Logger = zap.New(zap.UseDevMode(false), zap.WriteTo(os.Stderr))
	return controller.Run(context.Background(), config, o)
}

// control runs a controller with linked providers as a separate process until kill is called or the
// test ends.
func control(t *testing.T, kubeconfig, log string) (pid int, kill func()) {
	t.Helper()
	programs, err := mirror()
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), runController+"="+kubeconfig, runControllerMirror+"="+programs)
	cmd.Stderr = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait(); out.Close() }()
	killed := false
	kill = func() {
		t.Helper()
		if killed {
			return
		}
		killed = true
		_ = cmd.Process.Kill()
		if err := <-exited; err == nil || err.Error() != "signal: killed" {
			t.Errorf("the controller ended by itself: %v; its log is %s", err, clustertest.KeepLog(t.Name(), log))
		}
	}
	t.Cleanup(kill)
	return cmd.Process.Pid, kill
}

// killChildren kills the programs that a process has started: providers, and programs that run
// them.
func killChildren(t *testing.T, pid int) {
	t.Helper()
	killed := 0
	for _, child := range processtest.Children(pid) {
		if syscall.Kill(child, syscall.SIGKILL) == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("no program runs")
	}
}

// TestRecovery kills a controller while it creates objects through all columns, and starts another.
func TestRecovery(t *testing.T) {
	t.Parallel()
	e := &environment{Cluster: clustertest.Start(t, playgroundtest.Options{}, filepath.Join(scratch, "recovery.log"))}
	t.Cleanup(func() { e.ShowLog(t) })
	pid, kill := control(t, e.Kubeconfig, e.Log)
	interrupted := map[behaviour.Column]*interruption{}
	for _, of := range behaviour.Columns() {
		i := &interruption{column: e.open(t, of, common, release.Latest, "thing", "datastore", "ticket")}
		i.prepare(t)
		interrupted[of] = i
	}
	// First the providers, or the programs that run them.
	for _, i := range interrupted {
		i.beginKilled(t)
	}
	killChildren(t, pid)
	for _, i := range interrupted {
		i.end(t, tasks(t, i.world, api.Datastores, "name", "killed"))
	}
	for _, i := range interrupted {
		i.MustGet(t, i.updated)
		i.WaitReady(t, i.updated) // the providers run again
	}
	// Then the controller.
	for _, i := range interrupted {
		i.begin(t)
	}
	for _, i := range interrupted {
		i.underWay(t)
	}
	kill()
	for _, i := range interrupted {
		i.end(t, i.tasks(t))
	}
	_, _ = control(t, e.Kubeconfig, e.Log)
	each(t, func(t *testing.T, of behaviour.Column) {
		for name, test := range map[string]func(*testing.T, *interruption){
			"recover-found": recoverFound, "recover-absent": recoverAbsent, "recover-unknown": recoverUnknown, "recover-token": recoverToken,
			"crash-create": crashCreate, "crash-update": crashUpdate, "crash-delete": crashDelete, "crash-replace": crashReplace,
		} {
			if b, _ := behaviour.Find(name); b.NotApplicable(of) != "" {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, interrupted[of])
			})
		}
	})
}

// interruption has the interrupted creates of one column.
type interruption struct {
	*column
	found, absent, unknown, token *unstructured.Unstructured
	// killed is nil if there is no program to kill.
	killed                     *unstructured.Unstructured
	updated, deleted, replaced *unstructured.Unstructured
	deletedID                  string
}

// prepare creates the resources that are changed later.
func (i *interruption) prepare(t *testing.T) {
	t.Helper()
	i.updated = i.object("Thing", "updated", m{"forProvider": m{"name": "updated"}})
	i.deleted = i.object("Thing", "deleted", m{"forProvider": m{"name": "deleted"}})
	i.replaced = i.object("Datastore", "replaced", m{"forProvider": datastoreSpec("replaced")})
	for _, u := range []*unstructured.Unstructured{i.updated, i.deleted, i.replaced} {
		i.MustCreate(t, u)
	}
	for _, u := range []*unstructured.Unstructured{i.updated, i.deleted, i.replaced} {
		i.WaitReady(t, u)
	}
	i.deletedID = text(i.deleted, "status", "atProvider", "id")
}

// beginKilled creates a resource, and kills the provider's program during the create.
func (i *interruption) beginKilled(t *testing.T) {
	t.Helper()
	if b, _ := behaviour.Find("crash-create"); b.NotApplicable(i.Column) != "" {
		return
	}
	i.hang(t, string(api.Datastores), "name", "killed")
	i.killed = i.object("Datastore", "killed", m{"forProvider": datastoreSpec("killed"), "lifecycle": m{"taintPolicy": "Keep"}})
	i.MustCreate(t, i.killed)
	eventually(t, "its task runs", func(ctx) bool { return len(tasks(t, i.world, api.Datastores, "name", "killed")) == 1 })
}

// begin creates resources with slow creates.
func (i *interruption) begin(t *testing.T) {
	t.Helper()
	i.hang(t, string(api.Datastores), "name", "found")
	// The request is recorded, but not carried out while the controller runs.
	i.fault(t, api.Fault{
		On: api.OnCreate, Collection: string(api.Datastores), Match: map[string]string{"name": "absent"}, Count: 1,
		Delay: api.Duration(10 * time.Minute),
	})
	i.hang(t, string(api.Things), "name", "unknown")
	i.hang(t, string(api.Tickets), "title", "token")
	i.found = i.object("Datastore", "found", m{"forProvider": datastoreSpec("found"), "lifecycle": m{"taintPolicy": "Keep"}})
	i.absent = i.object("Datastore", "absent", m{"forProvider": datastoreSpec("absent")})
	i.unknown = i.object("Thing", "unknown", m{"forProvider": m{"name": "unknown"}})
	i.token = i.object("Ticket", "token", m{"forProvider": m{"title": "token", "createToken": "once"}})
	for _, u := range i.all() {
		i.MustCreate(t, u)
	}
	i.fault(t, api.Fault{
		On: api.OnUpdate, Collection: string(api.Things), Match: map[string]string{"name": "updated"}, Count: 1,
		Delay: api.Duration(10 * time.Minute),
	})
	i.MustPatch(t, i.updated, `{"spec":{"forProvider":{"size":7}}}`)
	i.fault(t, api.Fault{
		On: api.OnDelete, Collection: string(api.Things), Match: map[string]string{"name": "deleted"}, Count: 1,
		Delay: api.Duration(10 * time.Minute),
	})
	if err := i.Delete(t.Context(), i.deleted); err != nil {
		t.Fatal(err)
	}
	i.hang(t, string(api.Datastores), "name", "replacement")
	i.MustPatch(t, i.replaced, `{"spec":{"forProvider":{"name":"replacement"}}}`)
}

func (i *interruption) all() []*unstructured.Unstructured {
	return []*unstructured.Unstructured{i.found, i.absent, i.unknown, i.token}
}

// underWay waits until the cloud has received the requests for all objects.
func (i *interruption) underWay(t *testing.T) {
	t.Helper()
	for _, u := range i.all() {
		eventually(t, "the cloud is asked for "+u.GetName(), func(ctx) bool { return len(i.written(http.MethodPost, u.GetName())) == 1 })
	}
	eventually(t, "the tasks run", func(ctx) bool { return len(i.tasks(t)) == 4 })
	eventually(t, "the cloud is asked for the update", func(ctx) bool {
		return len(i.written(http.MethodPatch, text(i.updated, "status", "atProvider", "id"))) == 1
	})
	eventually(t, "the cloud is asked for the delete", func(ctx) bool { return len(i.written(http.MethodDelete, i.deletedID)) == 1 })
}

// tasks returns the running creates.
func (i *interruption) tasks(t *testing.T) []api.Task {
	t.Helper()
	return slices.Concat(tasks(t, i.world, api.Datastores, "name", "found"),
		tasks(t, i.world, api.Things, "name", "unknown"), tasks(t, i.world, api.Tickets, "title", "token"),
		tasks(t, i.world, api.Datastores, "name", "replacement"))
}

func recoverFound(t *testing.T, i *interruption) {
	i.kept(t, i.found)
	if n := len(i.written(http.MethodPost, i.found.GetName())); n != 1 {
		t.Errorf("the cloud received %d create requests", n)
	}
}

// kept fails the test unless the object of an interrupted create is found as tainted, and no other
// object was created.
func (i *interruption) kept(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	name := u.GetName()
	i.WaitFor(t, u, "tainted", func() bool { return text(u, "status", "state") == "Tainted" })
	if diff := cmp.Diff(datastoreIdentity(name), identityOf(u)); diff != "" {
		t.Error(diff)
	}
	i.MustPatch(t, u, `{"metadata":{"annotations":{"landbridge.io/untaint":"yes"}}}`)
	i.WaitReady(t, u)
	if n := len(named(t, i.world, api.Datastores, name)); n != 1 {
		t.Errorf("there are %d", n)
	}
}

func recoverAbsent(t *testing.T, i *interruption) {
	i.WaitReady(t, i.absent)
	if diff := cmp.Diff(datastoreIdentity("absent"), identityOf(i.absent)); diff != "" {
		t.Error(diff)
	}
	if n := len(named(t, i.world, api.Datastores, "absent")); n != 1 {
		t.Errorf("there are %d", n)
	}
	if n := len(i.written(http.MethodPost, "absent")); n != 2 {
		t.Errorf("the cloud received %d create requests, one of which failed", n)
	}
}

func recoverUnknown(t *testing.T, i *interruption) {
	i.WaitFalse(t, i.unknown, "Synced", "CreateOutcomeUnknown", "spec.import", "landbridge.io/confirm-create")
	i.noStorm(t, i.unknown)
	objects := named(t, i.world, api.Things, "unknown")
	if len(objects) != 1 {
		t.Fatalf("there are %v", objects)
	}
	i.MustPatch(t, i.unknown, fmt.Sprintf(`{"spec":{"import":{"identity":{"id":%q}}}}`, objects[0].ID))
	i.WaitReady(t, i.unknown)
	if diff := cmp.Diff(m{"id": objects[0].ID, "region": "us-east-1"}, identityOf(i.unknown)); diff != "" {
		t.Error(diff)
	}
	if n := len(i.written(http.MethodPost, "unknown")); n != 1 {
		t.Errorf("the cloud received %d create requests", n)
	}
}

var confirm = regexp.MustCompile(`landbridge\.io/confirm-create to "([^"]+)"`)

func recoverToken(t *testing.T, i *interruption) {
	message := i.WaitFalse(t, i.token, "Synced", "CreateOutcomeUnknown", "landbridge.io/confirm-create")
	match := confirm.FindStringSubmatch(message)
	if match == nil {
		t.Fatalf("%q does not contain the operation to confirm", message)
	}
	i.MustPatch(t, i.token, fmt.Sprintf(`{"metadata":{"annotations":{"landbridge.io/confirm-create":%q}}}`, match[1]))
	i.WaitReady(t, i.token)
	tickets, err := cloudclient.List(t.Context(), i.hand, api.Tickets, map[string]string{"title": "token"})
	if err != nil || len(tickets) != 1 {
		t.Fatalf("there are %v, error %v", tickets, err)
	}
	if diff := cmp.Diff(m{"id": tickets[0].ID}, identityOf(i.token)); diff != "" {
		t.Error(diff)
	}
	if n := len(i.written(http.MethodPost, "token")); n != 2 {
		t.Errorf("the cloud received %d create requests", n)
	}
}

// The create is repeated if the program runs again before the task has ended: the cloud refuses a
// second object with the same identity.
func crashCreate(t *testing.T, i *interruption) { i.kept(t, i.killed) }

func crashUpdate(t *testing.T, i *interruption) {
	i.WaitReady(t, i.updated)
	objects := named(t, i.world, api.Things, "updated")
	if len(objects) != 1 || objects[0].Size != 7 || objects[0].ID != text(i.updated, "status", "atProvider", "id") {
		t.Errorf("there are %+v", objects)
	}
}

func crashDelete(t *testing.T, i *interruption) {
	eventually(t, "it is gone", func(x ctx) bool {
		return kerrors.IsNotFound(i.Get(x, client.ObjectKeyFromObject(i.deleted), i.deleted))
	})
	if objects := named(t, i.world, api.Things, "deleted"); len(objects) > 0 {
		t.Errorf("there are %v", objects)
	}
}

func crashReplace(t *testing.T, i *interruption) {
	i.WaitFor(t, i.replaced, "ready", func() bool {
		return isTrue(i.replaced, "Ready", "Synced") && current(i.replaced) &&
			text(i.replaced, "status", "state") == "Full" && text(i.replaced, "status", "operation") == ""
	})
	if n := len(named(t, i.world, api.Datastores, "replacement")); n != 1 {
		t.Errorf("there are %d", n)
	}
	if objects := named(t, i.world, api.Datastores, "replaced"); len(objects) > 0 {
		t.Errorf("there are %v, too", objects)
	}
}
