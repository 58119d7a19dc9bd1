package demo

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestWait(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the controller ended"))
	things := schema.GroupResource{Resource: "things"}
	tests := map[string]struct {
		ctx   context.Context
		limit time.Duration
		try   func(n int) error
		want  string // in the error; empty: none
	}{
		"at once":         {try: func(int) error { return nil }},
		"later":           {try: func(n int) error { return map[bool]error{true: errNotYet}[n < 3] }},
		"after a refusal": {try: func(n int) error { return map[bool]error{true: kerrors.NewTooManyRequestsError("busy")}[n < 3] }},
		"never":           {limit: 10 * time.Millisecond, try: func(int) error { return errNotYet }, want: "waited 10ms"},
		"never, with an error": {
			limit: 10 * time.Millisecond, try: func(int) error { return errors.New("the last one") },
			want: "waited 10ms: the last one",
		},
		"refused for good": {try: func(int) error { return lasting(kerrors.NewForbidden(things, "x", errors.New("no"))) }, want: "forbidden"},
		"refused for a while": {try: func(n int) error {
			return map[bool]error{true: lasting(kerrors.NewServerTimeout(things, "get", 1))}[n < 3]
		}},
		"the controller is gone": {ctx: ended, try: func(int) error { return errNotYet }, want: "the controller ended"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, limit, n := test.ctx, test.limit, 0
			if ctx == nil {
				ctx = t.Context()
			}
			if limit == 0 {
				limit = time.Minute
			}
			c := &cluster{note: t.Logf}
			err := c.wait(ctx, limit, "it holds", func(context.Context) error { n++; return test.try(n) })
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v does not say %q", err, test.want)
			case err != nil && strings.Contains(err.Error(), errNotYet.Error()):
				t.Errorf("error %v", err)
			}
		})
	}
}

// Conditions that are not True are the end of a sentence.
func TestConditionsText(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "Ready", "status": "True"},
		map[string]any{"type": "Synced", "status": "False", "reason": "ReconcileError", "message": "mkdir /x:\n  permission denied"},
	}}}}
	if got, want := conditionsText(u), "; Synced is False (ReconcileError: mkdir /x: permission denied)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := conditionsText(nil); got != "" {
		t.Errorf("of no object: %q", got)
	}
}

// A status of an earlier generation is not taken for the present one.
func TestObserved(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"generation": int64(2)},
		"status":   map[string]any{"observedGeneration": int64(1), "plan": map[string]any{"action": "Update"}},
	}}
	if observed(u) || planned("Update")(u) {
		t.Error("the status of generation 1 is taken for that of 2")
	}
	u.Object["status"].(map[string]any)["observedGeneration"] = int64(2)
	if !observed(u) || !planned("Update")(u) {
		t.Error("the status is not taken for the present one")
	}
}
