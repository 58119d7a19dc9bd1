package clustertest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// WaitFor reads u until holds returns true.
func (c *Cluster) WaitFor(tb testing.TB, u *unstructured.Unstructured, what string, holds func() bool) {
	tb.Helper()
	var err error
	held := false
	defer func() {
		if !held {
			u.SetManagedFields(nil)
			content, _ := json.MarshalIndent(u.Object, "", "  ")
			tb.Logf("as it was last (error %v):\n%s", err, content)
		}
	}()
	waittest.Eventually(tb, u.GetKind()+" "+u.GetName()+" is "+what, func(ctx context.Context) bool {
		err = c.Get(ctx, client.ObjectKeyFromObject(u), u)
		held = err == nil && holds()
		return held
	})
}

// WaitReady waits until the resource is as its spec says and no operation is pending.
func (c *Cluster) WaitReady(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	c.WaitFor(tb, u, "ready", func() bool {
		return objecttest.IsTrue(u, "Ready", "Synced") && objecttest.Current(u) &&
			objecttest.Text(u, "status", "operation") == "" && objecttest.Text(u, "status", "plan") == ""
	})
}

// WaitFalse waits until a condition of the object is False with the reason and a message that
// contains all of the parts, and returns the message.
func (c *Cluster) WaitFalse(tb testing.TB, u *unstructured.Unstructured, condition, reason string, parts ...string) (message string) {
	tb.Helper()
	c.WaitFor(tb, u, condition+"=False, "+reason+" "+strings.Join(parts, ", "), func() bool {
		status, why, said := objecttest.Condition(u, condition)
		message = said
		return status == "False" && why == reason && ContainsAll(said, parts...)
	})
	return message
}

// WaitGone waits until the object no longer exists.
func (c *Cluster) WaitGone(tb testing.TB, u *unstructured.Unstructured) {
	tb.Helper()
	waittest.Eventually(tb, u.GetKind()+" "+u.GetName()+" is gone", func(ctx context.Context) bool {
		err := c.Get(ctx, client.ObjectKeyFromObject(u), u)
		return kerrors.IsNotFound(err) || meta.IsNoMatchError(err)
	})
}

// ContainsAll reports whether the text contains all of the parts.
func ContainsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
