package hcloudtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/hcloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGX0XTjKbSpBzLmxEmAIyAJ8JI0dRBv8TFVW9Ov9S1Xj somebody"

// call makes one request and returns its status and, decoded, its answer.
func call(t *testing.T, s *hcloudtest.Server, method, path, body string) (int, map[string]any) {
	t.Helper()
	return callAs(t, s, s.Token, method, path, body)
}

func callAs(t *testing.T, s *hcloudtest.Server, token, method, path, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Endpoint+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if len(content) > 0 {
		if err := json.Unmarshal(content, &answer); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, content)
		}
	}
	return resp.StatusCode, answer
}

// at returns what is at a path of keys and indices in an answer.
func at(answer any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := answer.(map[string]any)
			answer = m[step]
		case int:
			l, _ := answer.([]any)
			if step >= len(l) {
				return nil
			}
			answer = l[step]
		}
	}
	return answer
}

func TestVolumeIsCreatedByAnAction(t *testing.T) {
	s := hcloudtest.New(t, hcloudtest.Options{ActionDuration: 100 * time.Millisecond})
	status, answer := call(t, s, "POST", "/volumes", `{"name":"data","size":10,"location":"fsn1","labels":{"team":"a"}}`)
	if status != http.StatusCreated {
		t.Fatalf("status %d: %v", status, answer)
	}
	if got := []any{
		at(answer, "volume", "status"), at(answer, "action", "status"), at(answer, "action", "command"),
		at(answer, "volume", "location", "name"),
	}; !cmp.Equal(got, []any{"creating", "running", "create_volume", "fsn1"}) {
		t.Errorf("just created: %v", got)
	}
	volume := fmt.Sprintf("/volumes/%v", at(answer, "volume", "id"))
	if status, answer := call(t, s, "DELETE", volume, ""); status != http.StatusLocked || at(answer, "error", "code") != "locked" {
		t.Errorf("deleting it while the action runs: %d %v", status, answer)
	}

	action := fmt.Sprintf("/actions?id=%v", at(answer, "action", "id"))
	polls := -1
	waittest.Eventually(t, "the action has ended", func(context.Context) bool {
		polls++
		_, answer = call(t, s, "GET", action, "")
		return at(answer, "actions", 0, "status") == "success"
	})
	if at(answer, "actions", 0, "progress") != 100.0 || at(answer, "actions", 0, "finished") == nil {
		t.Errorf("an action that ended: %v", answer)
	}
	if polls == 0 {
		t.Error("the action had ended before it was polled")
	}
	if _, answer := call(t, s, "GET", volume, ""); at(answer, "volume", "status") != "available" {
		t.Errorf("after the action: %v", answer)
	}
	if status, _ := call(t, s, "DELETE", volume, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d", status)
	}
	if status, answer := call(t, s, "GET", volume, ""); status != http.StatusNotFound || at(answer, "error", "code") != "not_found" {
		t.Errorf("after the delete: %d %v", status, answer)
	}
	if n := len(s.Volumes()); n != 0 {
		t.Errorf("%d volumes left", n)
	}
}

func TestRefusals(t *testing.T) {
	s := hcloudtest.New(t, hcloudtest.Options{})
	if status, answer := call(t, s, "POST", "/volumes", `{"name":"taken","size":20,"location":"fsn1"}`); status != http.StatusCreated {
		t.Fatalf("%d %v", status, answer)
	}
	id := s.Volumes()[0].ID
	if status, _ := call(t, s, "POST", fmt.Sprintf("/volumes/%d/actions/change_protection", id),
		`{"delete":true}`); status != http.StatusCreated {
		t.Fatal(status)
	}
	tests := map[string]struct {
		token, method, path, body string
		status                    int
		code                      string
	}{
		"wrong token":      {token: "x", method: "GET", path: "/volumes", status: 401, code: "unauthorized"},
		"no such endpoint": {method: "GET", path: "/servers", status: 404, code: "not_found"},
		"no such location": {
			method: "POST", path: "/volumes", body: `{"name":"a","size":10,"location":"moon1"}`, status: 422,
			code: "invalid_input",
		},
		"too small": {
			method: "POST", path: "/volumes", body: `{"name":"a","size":9,"location":"fsn1"}`, status: 422,
			code: "invalid_input",
		},
		"name taken": {
			method: "POST", path: "/volumes", body: `{"name":"taken","size":10,"location":"fsn1"}`, status: 409,
			code: "uniqueness_error",
		},
		"not JSON": {method: "POST", path: "/volumes", body: `{`, status: 400, code: "json_error"},
		"shrinking": {
			method: "POST", path: fmt.Sprintf("/volumes/%d/actions/resize", id), body: `{"size":10}`, status: 422,
			code: "invalid_input",
		},
		"protected": {method: "DELETE", path: fmt.Sprintf("/volumes/%d", id), status: 403, code: "protected"},
		"not a key": {
			method: "POST", path: "/ssh_keys", body: `{"name":"a","public_key":"rubbish"}`, status: 422,
			code: "invalid_input",
		},
		"actions without ids": {method: "GET", path: "/actions", status: 422, code: "invalid_input"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.token == "" {
				test.token = s.Token
			}
			status, answer := callAs(t, s, test.token, test.method, test.path, test.body)
			if status != test.status || at(answer, "error", "code") != test.code {
				t.Errorf("got %d %v, want %d %s", status, answer, test.status, test.code)
			}
		})
	}
	if volumes := s.Volumes(); len(volumes) != 1 || volumes[0].Size != 20 {
		t.Errorf("something was changed: %+v", volumes)
	}
}

func TestFaultsHappenOnce(t *testing.T) {
	s := hcloudtest.New(t, hcloudtest.Options{})
	s.FailAction("create_volume", hcloudtest.APIError{Code: "action_failed", Message: "out of disks"})
	s.FailRequest("GET", "/ssh_keys", 503, hcloudtest.APIError{Code: "unavailable", Message: "later"})

	for i, want := range []string{"error", "success"} {
		_, answer := call(t, s, "POST", "/volumes", fmt.Sprintf(`{"name":"v%d","size":10,"location":"hel1"}`, i))
		if got := at(answer, "action", "status"); got != want {
			t.Errorf("create %d: action %v, want %s", i, got, want)
		}
	}
	for i, want := range []int{503, 200} {
		if got, _ := call(t, s, "GET", "/ssh_keys", ""); got != want {
			t.Errorf("list %d: %d, want %d", i, got, want)
		}
	}
	var got []string
	for _, r := range s.Requests() {
		got = append(got, fmt.Sprint(r.Method, " ", r.Path, " ", r.Status))
	}
	want := []string{"POST /volumes 201", "POST /volumes 201", "GET /ssh_keys 503", "GET /ssh_keys 200"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests: -want, +got:\n%s", diff)
	}
}

func TestSSHKeys(t *testing.T) {
	s := hcloudtest.New(t, hcloudtest.Options{})
	_, answer := call(t, s, "POST", "/ssh_keys", `{"name":"mine","public_key":"`+publicKey+`"}`)
	path := fmt.Sprintf("/ssh_keys/%v", at(answer, "ssh_key", "id"))
	if got := fmt.Sprint(at(answer, "ssh_key", "fingerprint")); strings.Count(got, ":") != 15 {
		t.Errorf("fingerprint %q", got)
	}
	if _, answer := call(t, s, "PUT", path, `{"name":"ours","labels":{"a":"b"}}`); at(answer, "ssh_key",
		"name") != "ours" || at(answer, "ssh_key", "labels", "a") != "b" {
		t.Errorf("update: %v", answer)
	}
	if _, answer := call(t, s, "GET", "/ssh_keys?name=ours", ""); at(answer, "ssh_keys", 0, "public_key") != publicKey {
		t.Errorf("by name: %v", answer)
	}
	if _, answer := call(t, s, "GET", "/ssh_keys?name=mine", ""); at(answer, "ssh_keys", 0) != nil {
		t.Errorf("by the old name: %v", answer)
	}
	if status, _ := call(t, s, "DELETE", path, ""); status != http.StatusNoContent {
		t.Errorf("delete: %d", status)
	}
	if len(s.SSHKeys()) != 0 {
		t.Error("it is still there")
	}
}
