package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// command returns a landbridge command for the shared cluster.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	binary, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+playgroundtest.Start(t).Kubeconfig)
	return cmd
}

// runCommand returns a command's output, and whether it succeeds.
func runCommand(t *testing.T, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := command(t, args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	return out.String(), errOut.String(), err == nil
}

// Commands report an operation as done only when it is done.
func TestCommands(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "commands")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	kind := "thing.commands.landbridge.io"

	t.Run("taint", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "taint", nil)
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		out, errOut, ok := runCommand(t, "taint", kind, "taint", "-n", ns)
		if !ok || !strings.HasPrefix(out, kind+"/taint: tainted") {
			t.Fatalf("%s%s", out, errOut)
		}
		eventually(t, "it is replaced", func(context.Context) bool { return d.Calls("create thing taint") == 2 })
		c.WaitReady(t, r)
		if n := d.Calls("delete thing taint"); n != 1 {
			t.Errorf("%d deletes", n)
		}
		// Each request is carried out again.
		if out, errOut, ok := runCommand(t, "taint", kind+"/taint", "-n", ns); !ok {
			t.Fatalf("%s%s", out, errOut)
		}
		eventually(t, "it is replaced again", func(context.Context) bool { return d.Calls("create thing taint") == 3 })
		c.WaitReady(t, r)
	})

	t.Run("untaint", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "untaint", nil)
		set(t, r, "Keep", "spec", "lifecycle", "taintPolicy")
		d.Order(t, "untaint", "half")
		c.MustCreate(t, r)
		c.WaitFor(t, r, "tainted", func() bool { return text(r, "status", "state") == "Tainted" })
		out, errOut, ok := runCommand(t, "untaint", kind, "untaint", "-n", ns)
		if want := kind + "/untaint: not tainted any more. Its state is Full\n"; !ok || out != want {
			t.Fatalf("%s%s", out, errOut)
		}
		c.WaitReady(t, r)
		if _, errOut, ok = runCommand(t, "untaint", kind, "untaint", "-n", ns); ok ||
			!strings.Contains(errOut, "it is not tainted: its state is Full") {
			t.Errorf("untainted again: %s", errOut)
		}
		if n := d.Calls("create thing untaint"); n != 1 {
			t.Errorf("%d creates", n)
		}
	})

	t.Run("retry", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "retry", nil)
		d.Order(t, "retry", "always fail")
		c.MustCreate(t, r)
		eventually(t, "it has failed five times", func(context.Context) bool { return d.Calls("create thing retry") >= 5 })
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncCreateFailure")
		d.Countermand(t, "retry")
		begin := time.Now()
		if out, errOut, ok := runCommand(t, "retry", kind, "retry", "-n", ns); !ok || out != kind+"/retry: being tried again\n" {
			t.Fatalf("%s%s", out, errOut)
		}
		c.WaitReady(t, r)
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})

	t.Run("retry by selector", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "selected", nil)
		r.SetLabels(map[string]string{"batch": "one"})
		d.Order(t, "selected", "always fail")
		c.MustCreate(t, r)
		eventually(t, "it has failed five times", func(context.Context) bool { return d.Calls("create thing selected") >= 5 })
		c.WaitFalse(t, r, "LastAsyncOperation", "AsyncCreateFailure")
		if out, errOut, ok := runCommand(t, "retry", "-l", "batch=one", "-n", ns); !ok || out != kind+"/selected in "+ns+": asked to retry\n" {
			t.Fatalf("%s%s", out, errOut)
		}
		d.Countermand(t, "selected") // not before, since the controller retries by itself, too
		c.WaitReady(t, r)
		if out, errOut, ok := runCommand(t, "retry", "--all", "-l", "batch=two", "-n", ns); !ok || out != "" ||
			!strings.Contains(errOut, "No resource is in trouble") {
			t.Errorf("%s%s", out, errOut)
		}
	})

	t.Run("not waited for", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "paused", nil)
		r.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
		c.MustCreate(t, r)
		c.WaitFor(t, r, "paused", func() bool { _, reason, _ := condition(r, "Synced"); return reason == "ReconcilePaused" })
		if out, errOut, ok := runCommand(t, "retry", kind, "paused", "-n", ns, "--wait=false"); !ok || out != kind+"/paused: asked to retry\n" {
			t.Errorf("%s%s", out, errOut)
		}
		_, errOut, ok := runCommand(t, "retry", kind, "paused", "-n", ns, "--timeout", "1s")
		if ok || !strings.Contains(errOut, "the resource is paused") {
			t.Errorf("waited for: %s", errOut)
		}
	})
}

func TestStatusCommand(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "statuses")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	watch := command(t, "status", "-w", "-n", ns, "things.statuses.landbridge.io")
	stdout, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	await := func(parts ...string) {
		t.Helper()
		timeout := time.After(limit)
		for {
			select {
			case line := <-lines:
				all := true
				for _, p := range parts {
					all = all && strings.Contains(line, p)
				}
				if all {
					return
				}
			case <-timeout:
				t.Fatalf("never a line with %q", parts)
			}
		}
	}

	good, bad := d.thing(ns, "good", nil), d.place(ns, "bad", nil)
	d.Order(t, "good", "slow 3s")
	c.MustCreate(t, good)
	await(ns+"/good", "operation=Create ")
	await(ns+"/good", "state=Full", "ready=True", "synced=True", "id=thing-")
	d.Order(t, "bad", "always fail")
	c.MustCreate(t, bad)
	c.WaitFalse(t, bad, "LastAsyncOperation", "AsyncCreateFailure")

	// Field selectors know the state.
	for state, want := range map[string]int{"Full": 1, "Tainted": 0} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(good.GroupVersionKind())
		if err := c.List(t.Context(), list, client.InNamespace(ns),
			client.MatchingFields{"status.state": state}); err != nil || len(list.Items) != want {
			t.Errorf("%d resources are %s: %v", len(list.Items), state, err)
		}
	}
	out, errOut, ok := runCommand(t, "status", "-n", ns)
	if !ok || !strings.Contains(out, "NAME ") || !strings.Contains(out, "/good") || !strings.Contains(out, "The cloud does not like") {
		t.Errorf("%s%s", out, errOut)
	}
	out, errOut, ok = runCommand(t, "status", "-A", "-o", "json")
	var document struct {
		Resources []struct{ Namespace, Name, State, Ready, Reason, Message string }
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil || !ok {
		t.Fatalf("%v\n%s%s", err, out, errOut)
	}
	found := 0
	for _, r := range document.Resources {
		switch {
		case r.Namespace == ns && r.Name == "good" && r.State == "Full" && r.Ready == "True" && r.Message == "":
			found++
		case r.Namespace == ns && r.Name == "bad" && r.State == "Empty" && r.Ready == "False" && r.Message != "":
			found++
		}
	}
	if found != 2 {
		t.Errorf("as JSON:\n%s", out)
	}
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"one object": {
			[]string{"status", "-n", ns, "-o", "name", "things.statuses.landbridge.io/good"},
			"thing.statuses.landbridge.io/good\n",
		},
		"what is not ready": {
			[]string{
				"status", "-n", ns, "-o", "name", "--unready",
				"things.statuses.landbridge.io,places.statuses.landbridge.io",
			}, "place.statuses.landbridge.io/bad\n",
		},
		"a provider": {[]string{"status", "-o", "name", "terraformprovider/statuses"}, "terraformprovider.landbridge.io/statuses\n"},
		"labels":     {[]string{"status", "-n", ns, "-o", "name", "-l", "app=none"}, ""},
	} {
		if out, errOut, ok = runCommand(t, test.args...); !ok || out != test.want {
			t.Errorf("%s: %s%s", name, out, errOut)
		}
	}
	if out, errOut, ok = runCommand(t, "status", "-n", ns, "things.statuses.landbridge.io/missing"); ok ||
		!strings.Contains(errOut, "not found in namespace "+ns+": things.statuses.landbridge.io/missing") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "explain", "-n", ns, "place.statuses.landbridge.io/bad"); !ok ||
		!strings.Contains(out, "<- the cause") ||
		!strings.Contains(out, "  landbridge retry place.statuses.landbridge.io/bad -n "+ns+"\n") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "explain", "-o", "json", "terraformprovider/statuses"); !ok || !json.Valid([]byte(out)) {
		t.Errorf("%s%s", out, errOut)
	}
	// What depends on the provider is drawn, and without dependents only what it depends on.
	const drawn = `"Thing `
	if out, errOut, ok = runCommand(t, "graph", "terraformprovider/statuses"); !ok || !strings.Contains(out, drawn+ns+"/good<br>Ready") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "graph", "terraformprovider/statuses", "--dependents=false"); !ok ||
		strings.Contains(out, drawn) || !strings.Contains(out, "TerraformProvider statuses<br>Ready") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "graph", "-n", ns, "thing.statuses.landbridge.io/good", "-o", "svg"); !ok ||
		!strings.HasPrefix(out, "<svg ") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "logs", "-n", ns, "thing.statuses.landbridge.io/good", "--file", c.Log); !ok ||
		!strings.Contains(out, "Create succeeded after") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "status", "-n", ns, "nosuchkind"); ok || out != "" ||
		!strings.Contains(errOut, "there is no kind nosuchkind") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, ok = runCommand(t, "status", "-n", c.Namespace(t)); !ok ||
		!strings.Contains(errOut, "There are no managed resources in namespace") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, _, ok = runCommand(t, "__complete", "taint", ""); !ok || !strings.Contains(out, "statuses.landbridge.io") {
		t.Errorf("completion of kinds:\n%s", out)
	}
	if out, _, ok = runCommand(t, "__complete", "retry", "thing.statuses.landbridge.io", "-n", ns, ""); !ok || !strings.Contains(out, "good") {
		t.Errorf("completion of names:\n%s", out)
	}

	c.Remove(t, good)
	await(ns+"/good", "gone")
	if err := watch.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for range lines {
	}
	if err := watch.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
