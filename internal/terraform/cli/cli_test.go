package cli_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// directory returns a directory with a short path.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lb-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// modern prints the version of a program that supports everything.
const modern = `echo "OpenTofu v1.12.6"; exit 0`

// script returns the path of a program that runs version when it is asked for its version, and
// otherwise for all else.
func script(t *testing.T, version, otherwise string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	text := "#!/bin/sh\nif [ \"$1\" = version ]; then " + version + "; fi\n" + otherwise + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func newRunner(t *testing.T, path string, o commandline.Options) *cli.Runner {
	t.Helper()
	var err error
	if o.Program, err = commandline.Find(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if o.Dir == "" {
		o.Dir = directory(t)
	}
	r, err := cli.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// TestFailures runs programs that do not do what OpenTofu does.
func TestFailures(t *testing.T) {
	t.Parallel()
	cloud := examplecloudtest.Start(t)
	p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, cloud, nil)
	r := terraform.ResourceType{Schema: p.Resources["examplecloud_thing"].Schema}
	values := r.Schema.Block.EmptyValue().AsValueMap()
	values["name"] = cty.StringVal("x")
	config := terraform.Config{Value: cty.ObjectVal(values)}
	plan := terraform.Plan{Resource: r, Action: terraform.Create, Config: config.Value, State: config.Value}
	existing := instance.Instance{State: config.Value, Status: instance.Full}

	tests := map[string]struct{ does, want string }{
		"hangs":               {"sleep 100", "it hung and was killed: it had no output and was not waiting for the provider"},
		"hangs after a word":  {`echo '{"type":"version"}'; sleep 100`, "it hung and was killed"},
		"prints no JSON":      {"echo what is this; exit 1", "exited with status 1. Its output: what is this"},
		"complains":           {"echo no such option >&2; exit 2", "exited with status 2. Its output: no such option"},
		"is killed":           {"kill -9 $$", "ended by a signal"},
		"leaves a process":    {"sleep 100 & exit 4", "exited with status 4"},
		"does nothing":        {"exit 0", "succeeded without asking the provider"},
		"tells a diagnostic":  {`echo '{"type":"diagnostic","diagnostic":{"severity":"error","summary":"No space left","detail":"on device","snippet":{"code":"hunter2"}}}'; exit 1`, "No space left: on device"},
		"floods":              {`yes '{"type":"x"}' | head -c 3000000; exit 5`, "exited with status 5"},
		"a very long line":    {`head -c 3000000 /dev/zero | tr '\0' a; exit 6`, "exited with status 6"},
		"two documents, none": {`printf '{"valid":'; exit 0`, "succeeded without asking the provider"},
	}
	t.Run("programs", func(t *testing.T) {
		for name, test := range tests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o := commandline.Options{Patience: time.Minute}
				if strings.HasPrefix(name, "hangs") {
					o.Patience = 300 * time.Millisecond
				}
				ex := newRunner(t, script(t, modern, test.does), o).Executor(server)
				begin := time.Now()
				refreshed, diags := ex.Refresh(t.Context(), r, existing)
				said := map[string]string{"refresh": diags.String()}
				if !refreshed.Instance.State.RawEquals(existing.State) || refreshed.Unchanged {
					t.Error("a refresh that failed changed the instance")
				}
				_, diags = ex.Plan(t.Context(), r, instance.Instance{}, config)
				said["plan"] = diags.String()
				out, diags := ex.Apply(t.Context(), plan)
				said["apply"] = diags.String()
				if out.Exists() || terraform.OutcomeUnknown(diags) {
					t.Errorf("the provider was not asked, but got %v", diags)
				}
				_, diags = ex.Import(t.Context(), r, terraform.ImportTarget{ID: "t-1", Identity: cty.NilVal})
				said["import"] = diags.String()
				said["validate"] = ex.Validate(t.Context(), r, config).String()
				for what, got := range said {
					if what == "validate" && name == "tells a diagnostic" {
						continue // the output of validate is different
					}
					if !strings.Contains(got, test.want) || strings.Contains(got, "hunter2") {
						t.Errorf("%s: got %q, want %q", what, got, test.want)
					}
				}
				// Whoever waited for one of the sleeping processes took longer.
				if took := time.Since(begin); took > 95*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		}
	})
	if got := cloud.Audit(t); got.CreateRequests != 0 {
		t.Errorf("the cloud was asked: %+v", got)
	}
}

// TestCancelled checks that a run ends with its operation.
func TestCancelled(t *testing.T) {
	t.Parallel()
	p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, examplecloudtest.Start(t), nil)
	r := terraform.ResourceType{Schema: p.Resources["examplecloud_thing"].Schema}
	values := r.Schema.Block.EmptyValue().AsValueMap()
	values["name"] = cty.StringVal("x")
	dir := directory(t)
	runner := newRunner(t, script(t, modern, ": > begun; sleep 100"), commandline.Options{Parallelism: 1, Dir: dir})
	in := instance.Instance{State: cty.ObjectVal(values), Status: instance.Full}
	for _, what := range []string{"runs", "waits for a turn"} {
		others := func() {}
		if what == "waits for a turn" {
			long, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); _, _ = runner.Executor(server).Refresh(long, r, in) }()
			others = func() { stop(); <-done }
			waittest.Eventually(t, "another one runs", func(context.Context) bool {
				begun, _ := filepath.Glob(filepath.Join(dir, "*", "*", "begun"))
				return len(begun) > 0
			})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		begin := time.Now()
		_, diags := runner.Executor(server).Refresh(ctx, r, in)
		took := time.Since(begin)
		others()
		if !diags.HasErrors() || took > 30*time.Second { // the program sleeps for 100s
			t.Errorf("%s: after %s: %v", what, took, diags)
		}
	}
}

// TestWorkspaces checks what is left behind, who can read it, and what is removed.
func TestWorkspaces(t *testing.T) {
	t.Setenv("SECRET_OF_THE_CONTROLLER", "hunter2")
	cloud := examplecloudtest.Start(t)
	p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, cloud, nil)
	dir := directory(t)
	// The directory of a dead process.
	dead := filepath.Join(dir, "landbridge-cli-1")
	for _, name := range []string{"lock", "w-1/terraform.tfstate", "w-1/.terraform.tfstate.lock.info", "w-1/errored.tfstate"} {
		path := filepath.Join(dead, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The directory of another program.
	others := filepath.Join(dir, "others")
	if err := os.Mkdir(others, 0o755); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report")
	path := script(t, modern, "(find . -printf '%m %y %p\\n'; env; cat main.tf.json) > "+report+"; exit 1")
	// The report is not written into the directory of the run.
	first := newRunner(t, path, commandline.Options{Dir: dir, Sandbox: child.Off})
	second := newRunner(t, path, commandline.Options{Dir: dir, Sandbox: child.Off})
	if _, err := os.Stat(dead); !os.IsNotExist(err) {
		t.Errorf("the directory of a dead process is still there: %v", err)
	}
	if _, err := os.Stat(others); err != nil {
		t.Error(err)
	}
	r := terraform.ResourceType{Schema: p.Resources["examplecloud_thing"].Schema}
	values := r.Schema.Block.EmptyValue().AsValueMap()
	values["name"] = cty.StringVal("x")
	for _, runner := range []*cli.Runner{first, second} {
		ctx, cancel := context.WithCancel(t.Context())
		_, diags := runner.Executor(server).Plan(ctx, r, instance.Instance{}, terraform.Config{Value: cty.ObjectVal(values)})
		cancel()
		if !strings.Contains(diags.String(), "status 1") {
			t.Errorf("the program was not run: %v", diags)
		}
	}
	content, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	got := string(content)
	for _, want := range []string{
		"700 d .\n", "600 f ./main.tf.json\n", "600 f ./terraform.tfstate\n", "CHECKPOINT_DISABLE=1\n",
		"TF_CLI_CONFIG_FILE=/dev/null\n", "TF_REATTACH_PROVIDERS=",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	// Neither the environment of this process, nor the configuration of the provider.
	for _, secret := range []string{"SECRET_OF_THE_CONTROLLER", "hunter2", cloud.URL} {
		if strings.Contains(got, secret) {
			t.Errorf("there is %q in\n%s", secret, got)
		}
	}
	var left []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, d.Name())
		}
		return err
	})
	if diff := cmp.Diff([]string{"lock", "lock"}, left); err != nil || diff != "" {
		t.Errorf("left behind: %v %s", err, diff)
	}
	// Runs go on when temporary directories are cleared.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, diags := first.Executor(server).Plan(t.Context(), r, instance.Instance{}, terraform.Config{Value: cty.ObjectVal(values)})
		if !strings.Contains(diags.String(), "status 1") {
			t.Errorf("the program was not run: %v", diags)
		}
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	// After Close there are no workspaces; then the program is removed.
	_, diags := first.Executor(server).Plan(t.Context(), r, instance.Instance{}, terraform.Config{Value: cty.ObjectVal(values)})
	if !diags.HasSummary("The command line cannot be run") ||
		!strings.Contains(diags.String(), "Cannot create a workspace for OpenTofu 1.12.6") {
		t.Errorf("got %v", diags)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	_, diags = second.Executor(server).Plan(t.Context(), r, instance.Instance{}, terraform.Config{Value: cty.ObjectVal(values)})
	if !diags.HasSummary("The command line cannot be run") || !strings.Contains(diags.String(), "Cannot start OpenTofu 1.12.6") {
		t.Errorf("got %v", diags)
	}
}
