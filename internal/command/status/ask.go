package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Request is a request to the controller for one resource.
type Request struct {
	// Verb is the name of the command, and of the field of status.lastHandled.
	Verb string
	// Annotation makes the request.
	Annotation string
	// possible returns an error if the request makes no sense for a resource.
	possible func(Row) error
}

// The requests.
var (
	Taint = Request{Verb: "taint", Annotation: v1alpha1.AnnotationTaint, possible: func(r Row) error {
		switch r.State {
		case "Tainted":
			return errors.New("it is tainted already")
		case "Empty", "":
			return errors.New("there is no remote object that could be replaced")
		}
		return nil
	}}
	Untaint = Request{Verb: "untaint", Annotation: v1alpha1.AnnotationUntaint, possible: func(r Row) error {
		if r.State != "Tainted" {
			return fmt.Errorf("it is not tainted: its state is %s", firstOf(r.State, "not known yet"))
		}
		return nil
	}}
	Retry   = Request{Verb: "retry", Annotation: v1alpha1.AnnotationRetry, possible: func(Row) error { return nil }}
	Reapply = Request{Verb: "reapply", Annotation: v1alpha1.AnnotationReapply, possible: func(r Row) error {
		if r.State == "Tainted" {
			return errors.New("it is tainted, and will be replaced")
		}
		return nil
	}}
	// Interrupt lets the provider answer. Abandon does not wait for it.
	Interrupt = Request{Verb: "interrupt", Annotation: v1alpha1.AnnotationInterrupt, possible: func(r Row) error {
		switch {
		case r.Operation == nil:
			return errors.New("its status has no operation in progress, so nothing is changed")
		case r.Operation.Interrupted:
			return fmt.Errorf("its %s was interrupted already, and has not ended yet. Wait, or give --abandon to "+
				"cancel it without the provider's answer", r.Operation.Kind)
		}
		return nil
	}}
	Abandon = Request{Verb: "interrupt", Annotation: v1alpha1.AnnotationInterrupt, possible: func(r Row) error {
		if r.Operation == nil || !r.Operation.Interrupted {
			return errors.New("its status has no operation in progress that was interrupted before. Interrupt it without --abandon first")
		}
		return nil
	}}
)

func firstOf(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// Asked is a request that was made for a resource.
type Asked struct {
	Request
	Kind            Kind
	Namespace, Name string
	// Token is the value of the annotation.
	Token string
}

// Ask makes a request for a resource.
func (c *Client) Ask(ctx context.Context, k Kind, namespace, name string, what Request) (Asked, error) {
	out := Asked{Request: what, Kind: k, Namespace: namespace, Name: name, Token: time.Now().UTC().Format(time.RFC3339Nano)}
	r, err := c.Get(ctx, k, namespace, name)
	if err != nil {
		return out, err
	}
	if err := what.possible(r); err != nil {
		return out, fmt.Errorf("cannot %s %s: %w", what.Verb, r.Title(), err)
	}
	return out, c.annotate(ctx, k, namespace, name, map[string]*string{what.Annotation: &out.Token})
}

// annotate sets annotations of a resource, and removes those without a value.
func (c *Client) annotate(ctx context.Context, k Kind, namespace, name string, annotations map[string]*string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	_, err = c.resources(k, namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: "landbridge-cli"})
	return err
}

// follow calls a function with a resource, and with each change of it, until the function is done
// or fails.
func (c *Client) follow(
	ctx context.Context, k Kind, namespace, name string,
	changed func(watch.EventType, *unstructured.Unstructured) (done bool, err error),
) error {
	one := fields.OneTermEqualSelector("metadata.name", name).String()
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = one
			return c.resources(k, namespace).List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = one
			return c.resources(k, namespace).Watch(ctx, o)
		},
	}
	_, err := watchtools.UntilWithSync(ctx, lw, &unstructured.Unstructured{}, nil, func(e watch.Event) (bool, error) {
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			return false, nil
		}
		return changed(e.Type, u)
	})
	return err
}

// Wait waits until the controller has handled a request, and returns the resource's row then.
// progress gets the rows before. If ctx ends first, the last row is returned with an error.
func (c *Client) Wait(ctx context.Context, asked Asked, progress func(Row)) (Row, error) {
	var last Row
	gone := false
	err := c.follow(ctx, asked.Kind, asked.Namespace, asked.Name, func(e watch.EventType, u *unstructured.Unstructured) (bool, error) {
		last = RowOf(u)
		if gone = e == watch.Deleted; gone {
			return true, nil
		}
		handled, _, _ := unstructured.NestedString(u.Object, "status", "lastHandled", asked.Verb)
		if handled == asked.Token {
			return true, nil
		}
		progress(last)
		return false, nil
	})
	switch {
	case gone:
		return last, fmt.Errorf("%s was deleted meanwhile", last.Title())
	case err != nil && ctx.Err() != nil:
		return last, fmt.Errorf("%s has not been handled yet: %s; the controller will handle it as soon as possible", asked.Annotation, why(last))
	}
	return last, err
}

// why returns the reason why the controller does not act.
func why(r Row) string {
	switch {
	case r.Paused:
		return "the resource is paused"
	case r.Operation != nil && r.Operation.Interrupted:
		return "the provider has not answered yet, or other operations of its process have to end first"
	case r.Operation != nil:
		return fmt.Sprintf("%s has been going on for %s", r.Operation.Kind, Elapsed(r.Operation.StartedAt, time.Now()))
	case r.Synced == "False" && r.Message != "":
		return r.Message
	default:
		return "is the controller running?"
	}
}

// Elapsed formats a duration in seconds, or in minutes from an hour on, as kubectl formats ages.
func Elapsed(since, now time.Time) string {
	d := max(now.Sub(since), 0)
	switch {
	case since.IsZero():
		return "?"
	case d < time.Hour:
		return d.Truncate(time.Second).String()
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}
