package kinds

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// maxRefusal bounds what is said of one field of spec.actions, in bytes.
const maxRefusal = 1 << 10

// refusedTriggers returns why actions of a resource could not be invoked: what the API server would
// refuse of their objects. The schema of a resource's kind does not have their arguments.
func (r *Registry) refusedTriggers(ctx context.Context, u *unstructured.Unstructured) (out []string) {
	all, err := trigger.Of(u)
	if err != nil {
		return nil // the plan tells
	}
	for i := range all {
		t := &all[i]
		m := r.actionOf(t)
		if m == nil {
			out = append(out, t.NotServed().Error())
			continue
		}
		refused, err := t.Refused(ctx, m)
		if err != nil {
			out = append(out, fmt.Sprintf("%s: the arguments cannot be checked: %s", t.Path(), err))
		}
		for _, of := range refused {
			out = append(out, managed.Shortened(of.Path+": "+of.Text, maxRefusal))
		}
	}
	return out
}

// actionOf returns the kind of the action of a trigger; nil if it is not served.
func (r *Registry) actionOf(t *trigger.Trigger) *model.Resource {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, of := range r.unmanaged {
		if m := of.Model; m.Mode == model.Action && m.Group == t.Action.Group && m.Plural == t.Action.Resource {
			return m
		}
	}
	return nil
}
