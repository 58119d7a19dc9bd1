package objecttest

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// New returns an object. namespace may be empty.
func New(apiVersion, kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// At returns the value at a path, or nil.
func At(u *unstructured.Unstructured, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	return value
}

// Text returns the value at a path as text, or "".
func Text(u *unstructured.Unstructured, path ...string) string {
	if value := At(u, path...); value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

// Condition returns a condition's status, reason and message. The message is the whole one. They
// are empty if there is no such condition.
func Condition(u *unstructured.Unstructured, kind string) (status, reason, message string) {
	all, _ := At(u, "status", "conditions").([]any)
	for _, c := range all {
		if c, ok := c.(map[string]any); ok && c["type"] == kind {
			message, _ = c["message"].(string)
			return fmt.Sprint(c["status"]), fmt.Sprint(c["reason"]), crd.WholeMessage(u, kind, message)
		}
	}
	return "", "", ""
}

// IsTrue reports whether all of the conditions are True.
func IsTrue(u *unstructured.Unstructured, kinds ...string) bool {
	for _, kind := range kinds {
		if status, _, _ := Condition(u, kind); status != "True" {
			return false
		}
	}
	return true
}

// Current reports whether the status belongs to the current spec.
func Current(u *unstructured.Unstructured) bool {
	return At(u, "status", "observedGeneration") == u.GetGeneration()
}

// Allowed returns how long the running operation may take.
func Allowed(t *testing.T, u *unstructured.Unstructured) time.Duration {
	t.Helper()
	started, err := time.Parse(time.RFC3339, Text(u, "status", "operation", "startedAt"))
	if err != nil {
		t.Fatal(err)
	}
	deadline, err := time.Parse(time.RFC3339, Text(u, "status", "operation", "deadline"))
	if err != nil {
		t.Fatal(err)
	}
	return deadline.Sub(started)
}
