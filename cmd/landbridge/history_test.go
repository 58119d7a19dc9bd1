package main

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/schema"
)

// history shows the last attempt of each action, as its status has it.
func TestHistoryOfActions(t *testing.T) {
	t.Parallel()
	server, c := newPlayground(t)
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Actions: map[string]*schema.Block{
		"cloud_backup": {Attributes: map[string]*schema.Attribute{"source": {Type: cty.String, Optional: true}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	kind := p.Actions["cloud_backup"]
	definition, err := crd.Resource(kind)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, status := range map[string]map[string]any{
		"pending": {"phase": "Pending"},
		"done": {
			"phase": "Succeeded", "attempts": int64(2), "startTime": begin.Format(time.RFC3339),
			"completionTime": begin.Add(3 * time.Second).Format(time.RFC3339),
			"plan":           map[string]any{"action": "Invoke", "hash": "0123", "changes": []any{map[string]any{"path": "source", "after": "db"}}},
			"lastApproval":   map[string]any{"hash": "0123", "action": "Invoke", "at": begin.Format(time.RFC3339), "by": "jane"},
		},
	} {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{"source": "db"}}}}
		u.SetGroupVersionKind(kind.GroupVersionKind())
		u.SetNamespace("default")
		u.SetName(name)
		waittest.Eventually(t, "the kind is served", func(context.Context) bool { return c.Create(t.Context(), u) == nil })
		u.Object["status"] = status
		if err := c.Status().Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"-A"}, {"backup"}, {"backup/done", "-n", "default"}, {"--by", "jane"}} {
		out, said, err := run(t, append([]string{"history", "-o", "json", "--kubeconfig", server.Kubeconfig}, args...)...)
		if err != nil {
			t.Fatal(args, err, said)
		}
		var got struct{ Resources []state.History }
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Resources) != 1 || len(got.Resources[0].Entries) != 1 {
			t.Fatalf("%v: %s", args, out)
		}
		r := got.Resources[0]
		uid := r.UID
		want := state.History{
			Group: "action.cloud.landbridge.io", Kind: "Backup", Namespace: "default", Name: "done", UID: uid,
			Log: history.Log{Entries: []history.Entry{{
				At: begin, Took: 3000, Action: history.Invoke, Outcome: history.Succeeded,
				Because: "spec.retryPolicy, attempt 2", By: "jane", UID: uid, Operation: string(uid) + "/2",
				Changes: []history.Change{{Path: "source", After: []byte(`"db"`)}},
			}}},
		}
		if diff := cmp.Diff(want, r); diff != "" || uid == "" {
			t.Errorf("%v (-want +got):\n%s", args, diff)
		}
	}
	if out, _, err := run(t, "history", "backup/pending", "-n", "default", "-o", "json", "--kubeconfig",
		server.Kubeconfig); err != nil || len(out) > 40 {
		t.Errorf("of an action that was not invoked: %v\n%s", err, out)
	}
}
