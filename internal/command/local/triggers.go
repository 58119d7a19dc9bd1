package local

import (
	"context"
	"fmt"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// admitTriggers refuses elements of spec.actions whose actions a cluster could not invoke. Those of
// other providers are not known here.
func (t *resourceReader) admitTriggers() {
	if t.unadmitted {
		return
	}
	all, err := trigger.Of(t.out.Declared)
	if err != nil {
		t.refuse("spec.actions", "Invalid action", "%s.", err)
		return
	}
	for i := range all {
		of := &all[i]
		path := of.Path() + ".action"
		m := trigger.KindOf(t.provider, of.Action)
		switch {
		case m != nil:
			t.admitArguments(of, m)
		case of.Action.Group == model.Action.Group(t.provider.Group):
			t.refuse(path, "Unknown action", "The provider has no action %s. landbridge provider inspect lists those it has.", of.Action)
		default:
			t.messages = append(t.messages, Message{Severity: diagnostic.Warning, Source: t.out.Source,
				Address: t.out.Address(), Path: path, Summary: "Not checked",
				Detail: fmt.Sprintf("%s is not an action of this provider. The cluster checks its arguments when it is invoked.", of.Action)})
		}
	}
}

// admitArguments refuses the arguments of an action that the API server would refuse.
func (t *resourceReader) admitArguments(of *trigger.Trigger, m *model.Resource) {
	refused, err := of.Refused(context.Background(), m) // takes milliseconds
	if err != nil {
		t.refuse(of.Path(), "Kind not usable", "The kind %s cannot be a CustomResourceDefinition: %v.", m.Kind, err)
	}
	for _, x := range refused {
		out := refusal(t.out.Source, x)
		out.Address = t.out.Address()
		t.messages, t.failed = append(t.messages, out), true
	}
}
