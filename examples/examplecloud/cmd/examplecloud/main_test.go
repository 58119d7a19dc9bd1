package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "examplecloud")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", err, out)
	}
	return binary
}

// As a child process: the address comes as JSON, faults and audit work over HTTP,
// and it ends when its standard input closes.
func TestChildProcess(t *testing.T) {
	binary := build(t)
	cmd := exec.Command(binary, "--addr", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "cloud.db"), "--until-stdin-closes")
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
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended already, unless the test failed
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var ready struct{ Address string }
	if err := json.Unmarshal([]byte(line), &ready); err != nil {
		t.Fatalf("%q: %s", line, err)
	}

	send := func(method, path, body string, header http.Header, into any) int {
		t.Helper()
		request, err := http.NewRequest(method, ready.Address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range header {
			request.Header[name] = values
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err == nil && into != nil {
			err = json.Unmarshal(answer, into)
		}
		if err != nil {
			t.Fatalf("%s %s: %s\n%s", method, path, err, answer)
		}
		return response.StatusCode
	}
	const body = `{"name":"a","region":"us-east-1"}`
	var fault api.Fault
	if got := send("POST", "/admin/faults", `{"on":"create","collection":"things","status":503,"count":1}`, nil,
		&fault); got != 201 || fault.ID == "" {
		t.Errorf("status %d, fault %+v", got, fault)
	}
	if got := send("POST", "/v1/things", body, nil, nil); got != 503 {
		t.Errorf("status %d, want the fault's", got)
	}
	header := http.Header{}
	header.Set(api.FaultHeader, `{"task_outcome":"hang"}`)
	var task api.Task
	if got := send("POST", "/v1/things", body, header, &task); got != 202 || task.Status != api.TaskRunning {
		t.Errorf("status %d, task %+v", got, task)
	}
	if got := send("POST", "/admin/tasks/"+task.ID, `{"outcome":"succeed"}`, nil, &task); got != 200 || task.Status != api.TaskSucceeded {
		t.Errorf("status %d, task %+v", got, task)
	}
	var thing api.Thing
	if got := send("PATCH", "/admin/objects/things/"+task.ObjectID, `{"region":"us-west-2"}`, nil,
		&thing); got != 200 || thing.Region != "us-west-2" {
		t.Errorf("status %d, thing %+v", got, thing)
	}
	for _, bad := range []string{
		`{"on":"create"}`, `{"on":"never","drop":true}`, `{"drop":true,"unheard":1}`,
		`{"collection":"nothing","drop":true}`, `{"delay":5}`,
	} {
		if got := send("POST", "/admin/faults", bad, nil, nil); got != 422 {
			t.Errorf("fault %s: status %d", bad, got)
		}
	}
	var audit api.Audit
	send("POST", "/admin/audit", fmt.Sprintf(`{"things":[%q]}`, task.ObjectID), nil, &audit)
	if got := audit.Collections["things"]; got.Creates != 1 || got.Live != 1 || got.Orphans != 0 || audit.Total.Live != 1 {
		t.Errorf("audit: %+v", got)
	}
	var events []api.Event
	send("GET", "/admin/events", "", nil, &events)
	var whats []string
	for _, event := range events {
		whats = append(whats, event.What)
	}
	if got := strings.Join(whats, " "); got != "create_requests creates by_hand" {
		t.Errorf("events: %s", got)
	}

	address := strings.TrimPrefix(ready.Address, "http://")
	for object, says := range map[string]string{`{"name":"made","region":"us-east-1"}`: "t-", `{"name":"made"}`: "region", `made`: "JSON"} {
		out, err := exec.Command(binary, "--addr", address, "make", "things", object).CombinedOutput()
		if (err == nil) != (says == "t-") || !strings.Contains(string(out), says) {
			t.Errorf("make %s: %v, %s", object, err, out)
		}
	}

	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it goes on after its standard input has closed")
	}

	help, err := exec.Command(binary, "--help").CombinedOutput()
	if err != nil || !bytes.Contains(help, []byte("--until-stdin-closes")) {
		t.Errorf("--help: %v\n%s", err, help)
	}
}
