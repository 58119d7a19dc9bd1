package status

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Invocation is how far an action is.
type Invocation struct {
	Row
	Phase invocation.Phase
	// Over is set when nothing more is invoked.
	Over bool
	// progress are the provider's messages, and started is when the attempt began that they are
	// about.
	progress []string
	started  string
}

func invocationOf(u *unstructured.Unstructured) Invocation {
	out := Invocation{Row: RowOf(u)}
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	out.Phase = invocation.Phase(phase)
	conditions := conditionsOf(u)
	out.Over = conditions["Complete"].status == "True" || conditions["Failed"].status == "True"
	out.started, _, _ = unstructured.NestedString(u.Object, "status", "startTime")
	all, _, _ := unstructured.NestedSlice(u.Object, "status", "progress")
	for _, x := range all {
		m, _ := x.(map[string]any)
		out.progress = append(out.progress, fmt.Sprintf("%v  %v", m["time"], m["message"]))
	}
	return out
}

// since returns the messages that an earlier look did not have. Only the last ones are known.
func (i Invocation) since(before Invocation) []string {
	if i.started != before.started {
		return i.progress
	}
	for n := min(len(before.progress), len(i.progress)); n > 0; n-- {
		if slices.Equal(before.progress[len(before.progress)-n:], i.progress[:n]) {
			return i.progress[n:]
		}
	}
	return i.progress
}

// Create creates an action, which has it invoked, and returns it as it was created.
func (c *Client) Create(ctx context.Context, k Kind, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.resources(k, u.GetNamespace()).Create(ctx, u, metav1.CreateOptions{FieldManager: "landbridge"})
}

// ActionKind returns the kind of an action.
func (c *Client) ActionKind(u *unstructured.Unstructured) (Kind, error) {
	all, err := c.AllKinds()
	if err != nil {
		return Kind{}, err
	}
	for _, k := range all {
		if k.Mode == model.Action && k.Group == u.GroupVersionKind().Group && k.Kind == u.GetKind() {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("%s of %s is no action that the cluster serves: kubectl api-resources "+
		"--categories=%s lists them", u.GetKind(), u.GroupVersionKind().Group, model.Action.Category())
}

// AwaitInvocation waits until the invocation of an action is over. tell gets a line for each
// change: phases, messages of the provider, and why it is not invoked.
func (c *Client) AwaitInvocation(ctx context.Context, k Kind, u *unstructured.Unstructured, tell func(line string)) (Invocation, error) {
	last := invocationOf(u)
	gone, said := false, ""
	err := c.follow(ctx, k, u.GetNamespace(), u.GetName(), func(e watch.EventType, u *unstructured.Unstructured) (bool, error) {
		if gone = e == watch.Deleted; gone {
			return true, nil
		}
		now := invocationOf(u)
		for _, line := range now.since(last) {
			tell(line)
		}
		if says := strings.TrimSpace(string(now.Phase) + "  " + now.says()); now.Phase != "" && says != said {
			said = says
			tell(says)
		}
		last = now
		return now.Over, nil
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return last, fmt.Errorf("%s is not over yet: %s", last.Title(), why(last.Row))
	case err == nil && gone && !last.Over:
		return last, fmt.Errorf("%s was deleted before it was over", last.Title())
	}
	return last, err
}
