package examplecloudtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// Forms of the provider.
const (
	SDKv2      = "sdkv2"
	Framework5 = "framework5"
	Framework6 = "framework6"
)

// Forms lists all forms.
var Forms = []string{SDKv2, Framework5, Framework6}

const module = "examples/examplecloud"

// Provider returns the path of the provider's binary in a form. The file is named as in a release.
func Provider(tb testing.TB, form string) string {
	tb.Helper()
	return build(tb, ProviderProgram(form))
}

// Release returns the path of the provider's binary in a form, of the release 1.0.0, 2.0.0 or
// 3.0.0, which differ in the schemas of volumes.
func Release(tb testing.TB, form string, major int) string {
	tb.Helper()
	t := target("cmd/terraform-provider-examplecloud-"+form,
		fmt.Sprintf("bin/examplecloud/terraform-provider-examplecloud-%s_v%d.0.0", form, major))
	t.LDFlags = fmt.Sprint("-X github.com/landbridge-io/landbridge/examples/examplecloud/provider/release.linked=", major-1)
	return build(tb, t)
}

// Program is the build target of the cloud.
var Program = target("cmd/examplecloud", "bin/examplecloud/examplecloud")

// ProviderProgram returns the build target of the provider in a form.
func ProviderProgram(form string) testbin.Target {
	return target("cmd/terraform-provider-examplecloud-"+form, "bin/examplecloud/"+form+"/terraform-provider-examplecloud_v3.0.0")
}

func target(pkg, output string) testbin.Target {
	return testbin.Target{Module: module, Package: "./" + pkg, Output: output, Sources: []string{module}}
}

func build(tb testing.TB, t testbin.Target) string {
	tb.Helper()
	path, err := testbin.Build(tb.Context(), t)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// Cloud is a running cloud.
type Cloud struct {
	URL string
	// Token is sent with each request; empty if the cloud needs none.
	Token string
}

// Start starts a cloud for one test.
func Start(tb testing.TB) *Cloud {
	tb.Helper()
	return StartGuarded(tb, "")
}

// StartGuarded starts a cloud for one test that lets in who sends a token.
func StartGuarded(tb testing.TB, token string) *Cloud {
	tb.Helper()
	cloud, stop, err := run(tb.Context(), tb.TempDir(), token)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := stop(); err != nil {
			tb.Error(err)
		}
	})
	return cloud
}

// Run starts a cloud with its data in a directory, for a program other than a test. The caller has
// to stop it.
func Run(ctx context.Context, dir string) (_ *Cloud, stop func() error, err error) {
	return run(ctx, dir, "")
}

func run(ctx context.Context, dir, token string) (_ *Cloud, stop func() error, err error) {
	program, err := testbin.Build(ctx, Program)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(program, "--addr", "127.0.0.1:0", "--no-sync", "--until-stdin-closes", "--data", filepath.Join(dir, "cloud.db"))
	cmd.Env = append(cmd.Environ(), "EXAMPLECLOUD_TOKEN="+token)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() error {
		_ = stdin.Close()
		timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Signal(os.Kill) })
		defer timer.Stop()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("the cloud ended with %w\n%s", err, stderr.Bytes())
		}
		return nil
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	var ready struct{ Address string }
	if err == nil {
		err = json.Unmarshal(line, &ready)
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("the cloud does not start: %w; it printed %q", err, line), stop())
	}
	return &Cloud{URL: ready.Address, Token: token}, stop, nil
}

// Make creates an object without a provider, and returns it as soon as it exists.
func (c *Cloud) Make(tb testing.TB, collection string, object map[string]any) map[string]any {
	tb.Helper()
	var task struct {
		ID       string `json:"id"`
		Status   string `json:"status"`
		ObjectID string `json:"object_id"`
	}
	c.call(tb, http.MethodPost, "/v1/"+collection, object, &task)
	var out map[string]any
	waittest.Eventually(tb, "one of "+collection+" is made", func(context.Context) bool {
		if task.ObjectID != "" && c.try(tb, http.MethodGet, "/v1/"+collection+"/"+task.ObjectID, nil, &out) == http.StatusOK {
			return true
		}
		c.call(tb, http.MethodGet, "/v1/tasks/"+task.ID, nil, &task)
		return false
	})
	return out
}

// List returns the objects of a collection whose fields are as a query of a URL demands.
func (c *Cloud) List(tb testing.TB, collection, query string) (out []map[string]any) {
	tb.Helper()
	c.call(tb, http.MethodGet, "/v1/"+collection+"?"+query, nil, &out)
	return out
}

// Change changes fields of an object without a provider.
func (c *Cloud) Change(tb testing.TB, collection, id string, fields map[string]any) {
	tb.Helper()
	c.call(tb, http.MethodPatch, "/admin/objects/"+collection+"/"+id, fields, nil)
}

// Remove removes an object without a provider.
func (c *Cloud) Remove(tb testing.TB, collection, id string) {
	tb.Helper()
	c.call(tb, http.MethodDelete, "/admin/objects/"+collection+"/"+id, nil, nil)
}

// Counts counts the operations since the cloud started, by all clients.
type Counts struct {
	CreateRequests int `json:"create_requests"`
	Creates        int `json:"creates"`
	Updates        int `json:"updates"`
	Deletes        int `json:"deletes"`
	Live           int `json:"live"`
}

// Audit returns the operations so far.
func (c *Cloud) Audit(tb testing.TB) Counts {
	tb.Helper()
	var out struct {
		Total Counts `json:"total"`
	}
	c.call(tb, http.MethodGet, "/admin/audit", nil, &out)
	return out.Total
}

func (c *Cloud) call(tb testing.TB, method, path string, in, out any) {
	tb.Helper()
	if status := c.try(tb, method, path, in, out); status/100 != 2 {
		tb.Fatalf("%s %s: status %d", method, path, status)
	}
}

func (c *Cloud) try(tb testing.TB, method, path string, in, out any) int {
	tb.Helper()
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			tb.Fatal(err)
		}
		body = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(tb.Context(), method, c.URL+path, body)
	if err != nil {
		tb.Fatal(err)
	}
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.Token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err == nil && out != nil && answer.StatusCode/100 == 2 {
		err = json.Unmarshal(b, out)
	}
	if err != nil {
		tb.Fatal(fmt.Errorf("%s %s: %w", method, path, err))
	}
	return answer.StatusCode
}

// Fault adds a fault, in the format of the cloud's package api.
func (c *Cloud) Fault(tb testing.TB, fault map[string]any) {
	tb.Helper()
	c.call(tb, http.MethodPost, "/admin/faults", fault, nil)
}
