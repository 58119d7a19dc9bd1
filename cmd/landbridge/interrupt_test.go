package main

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/schema"
)

// TestInterruptCommand interrupts an operation, and another one without waiting for its provider.
// The test writes what the controller would.
func TestInterruptCommand(t *testing.T) {
	t.Parallel()
	server := playgroundtest.New(t, playgroundtest.Options{})
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	p, err := model.NewProvider("cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	kind := p.Resources["cloud_thing"]
	definition, err := crd.Resource(kind)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), definition); err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{}}}}
	u.SetGroupVersionKind(kind.GroupVersionKind())
	u.SetNamespace("default")
	u.SetName("web")
	waittest.Eventually(t, "the kind is served", func(context.Context) bool { return c.Create(t.Context(), u) == nil })
	writes := func(status map[string]any) {
		t.Helper()
		waittest.Eventually(t, "the status is written", func(context.Context) bool {
			if c.Get(t.Context(), client.ObjectKeyFromObject(u), u) != nil {
				return false
			}
			u.Object["status"] = status
			return c.Status().Update(t.Context(), u) == nil
		})
	}
	running := func(interrupted bool) map[string]any {
		return map[string]any{"state": "Empty", "operation": map[string]any{
			"kind": "Create", "startedAt": time.Now().UTC().Format(time.RFC3339), "interrupted": interrupted,
		}}
	}
	// asked runs the command until the annotation is there, lets the controller handle it, and
	// returns what was printed.
	asked := func(handled func(token string) map[string]any, args ...string) string {
		t.Helper()
		before := u.GetAnnotations()["landbridge.io/interrupt"]
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		told := make(chan string, 1)
		go func() {
			out, said, err := run(t, append([]string{"interrupt", "Thing", "web", "--kubeconfig", server.Kubeconfig}, args...)...)
			if err != nil {
				out += said + err.Error()
			}
			told <- out
		}()
		token := before
		for token == before {
			select {
			case out := <-told:
				return out
			case <-ctx.Done():
				t.Fatal("the annotation does not change")
			case <-time.After(20 * time.Millisecond):
			}
			if c.Get(ctx, client.ObjectKeyFromObject(u), u) == nil {
				token = u.GetAnnotations()["landbridge.io/interrupt"]
			}
		}
		writes(handled(token))
		return <-told
	}
	ended := func(token string) map[string]any {
		return map[string]any{"state": "Tainted", "lastHandled": map[string]any{"interrupt": token}, "conditions": []any{map[string]any{
			"type": "Synced", "status": "False", "reason": "Interrupted", "message": "The last operation was interrupted by request.",
			"lastTransitionTime": metav1.Now().UTC().Format(time.RFC3339),
		}}}
	}
	for _, step := range []struct {
		status map[string]any
		args   []string
		want   string
	}{
		{map[string]any{"state": "Full"}, nil, "no operation in progress, so nothing is changed"},
		{running(false), []string{"--abandon"}, "Interrupt it without --abandon first"},
		{running(false), nil, "thing.cloud.landbridge.io/web: interrupted. Its state is Tainted. The last operation was interrupted by request."},
		{running(true), nil, "its Create was interrupted already, and has not ended yet"},
		{running(true), []string{"--abandon"}, "thing.cloud.landbridge.io/web: interrupted. Its state is Tainted."},
		{running(false), []string{"--wait=false"}, "thing.cloud.landbridge.io/web: asked to interrupt"},
	} {
		writes(step.status)
		if got := asked(ended, step.args...); !strings.Contains(got, step.want) {
			t.Errorf("interrupt %v prints:\n%s\nwant %s", step.args, got, step.want)
		}
	}
}
