package trigger

import (
	"context"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/expression"
)

// OnFailure is what a failed or unknown invocation means for the resource.
type OnFailure string

// The values of onFailure; the first is the default.
const (
	// Halt keeps the operation from beginning, or the resource from being ready.
	Halt OnFailure = "Halt"
	// Taint has the object replaced.
	Taint OnFailure = "Taint"
	// Continue goes on.
	Continue OnFailure = "Continue"
)

// Trigger is an element of spec.actions.
type Trigger struct {
	// Name identifies it among those of the resource.
	Name string
	// Action is the resource of the action's kind.
	Action    schema.GroupResource
	Events    []Event
	OnFailure OnFailure
	// ForProvider and ProviderConfigRef are of the action's spec; nil if they are absent.
	ForProvider, ProviderConfigRef map[string]any

	spelled   string             // condition
	condition *expression.Change // nil: always
	values    []value
}

// value is a field of the action's spec that is made of the resource.
type value struct {
	to string
	of *expression.Change
}

// spelled is a Trigger as in spec.actions.
type spelled struct {
	Name              string         `json:"name"`
	Action            string         `json:"action"`
	Events            []string       `json:"events"`
	Condition         string         `json:"condition"`
	OnFailure         string         `json:"onFailure"`
	ForProvider       map[string]any `json:"forProvider"`
	ProviderConfigRef map[string]any `json:"providerConfigRef"`
	Values            []struct {
		To    string `json:"to"`
		Value string `json:"value"`
	} `json:"values"`
}

// Of returns the triggers of a resource. The error names the field.
func Of(u *unstructured.Unstructured) ([]Trigger, error) {
	list, ok, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "actions")
	if !ok {
		return nil, nil
	}
	var all struct {
		Actions []spelled `json:"actions"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"actions": list}, &all); err != nil {
		return nil, fmt.Errorf("spec.actions: %w", err)
	}
	out := make([]Trigger, 0, len(all.Actions))
	for _, s := range all.Actions {
		t, err := s.trigger()
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (s spelled) trigger() (Trigger, error) {
	out := Trigger{
		Name: s.Name, Action: schema.ParseGroupResource(s.Action), OnFailure: OnFailure(s.OnFailure),
		ForProvider: s.ForProvider, ProviderConfigRef: s.ProviderConfigRef,
	}
	if out.OnFailure == "" {
		out.OnFailure = Halt
	}
	for _, e := range s.Events {
		out.Events = append(out.Events, Event(e))
	}
	if out.spelled = s.Condition; s.Condition != "" {
		var err error
		if out.condition, err = expression.NewChange(s.Condition); err != nil {
			return out, fmt.Errorf("%s.condition: %w", out.Path(), err)
		}
		if !out.condition.Boolean() {
			return out, fmt.Errorf("%s.condition: the result must be true or false", out.Path())
		}
	}
	for _, v := range s.Values {
		of, err := expression.NewChange(v.Value)
		if err != nil {
			return out, fmt.Errorf("%s.values[%s].value: %w", out.Path(), v.To, err)
		}
		out.values = append(out.values, value{v.To, of})
	}
	return out, nil
}

// Path is where a trigger is in the resource.
func (t *Trigger) Path() string { return fmt.Sprintf("spec.actions[%s]", t.Name) }

// applies reports whether the condition of a trigger is true.
func (t *Trigger) applies(ctx context.Context, self, old any) (bool, error) {
	if t.condition == nil {
		return true, nil
	}
	v, err := t.condition.Of(ctx, self, old)
	if err != nil {
		return false, fmt.Errorf("%s.condition: %w", t.Path(), err)
	}
	is, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("%s.condition: the result must be true or false", t.Path())
	}
	return is, nil
}

// Spec returns the spec of the object that is invoked. configuration is the provider configuration
// of the resource.
func (t *Trigger) Spec(ctx context.Context, self, old any, configuration map[string]any) (map[string]any, error) {
	out := t.given(configuration)
	for _, v := range t.values {
		x, err := v.of.Of(ctx, self, old)
		if err == nil && x != nil {
			err = fieldpath.Pave(out).SetValue(v.to, x)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.values[%s]: %w", t.Path(), v.to, err)
		}
	}
	return out, nil
}

// given returns what is known of the spec of the object beforehand.
func (t *Trigger) given(configuration map[string]any) map[string]any {
	if t.ProviderConfigRef != nil {
		configuration = t.ProviderConfigRef
	}
	out := map[string]any{"forProvider": map[string]any{}}
	if t.ForProvider != nil {
		out["forProvider"] = runtime.DeepCopyJSONValue(t.ForProvider)
	}
	if configuration != nil {
		out["providerConfigRef"] = runtime.DeepCopyJSONValue(configuration)
	}
	return out
}

// Find returns the trigger with a name; nil if there is none.
func Find(all []Trigger, name string) *Trigger {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}
