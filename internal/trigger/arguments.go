package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/crd/validation"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Actions returns the kinds of actions that spec.actions of a resource names.
func Actions(u *unstructured.Unstructured) (out []schema.GroupResource) {
	list, _, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "actions")
	all, _ := list.([]any)
	for _, x := range all {
		of, _ := x.(map[string]any)
		if name, _ := of["action"].(string); name != "" {
			out = append(out, schema.ParseGroupResource(name))
		}
	}
	return out
}

// KindOf returns the kind of an action of a provider; nil if the provider has none of this name.
func KindOf(p *model.Provider, action schema.GroupResource) *model.Resource {
	for _, m := range p.Actions {
		if m.Group == action.Group && m.Plural == action.Resource {
			return m
		}
	}
	return nil
}

// NotServed returns the error that the cluster does not serve the kind of a trigger's action.
func (t *Trigger) NotServed() error {
	return fmt.Errorf("%s.action: no kind is served as %s: activate the action by spec.activateActions of its "+
		"TerraformProvider", t.Path(), t.Action)
}

// Refused returns what the API server would refuse of the object that a trigger has invoked, with
// the paths of the resource. What spec.actions[].values sets is known only when it is invoked, so
// only its place is checked.
func (t *Trigger) Refused(ctx context.Context, m *model.Resource) ([]validation.Refusal, error) {
	definition, err := crd.Resource(m)
	if err != nil {
		return nil, err
	}
	kind, err := validation.NewKind(definition, m.Version)
	if err != nil {
		return nil, err
	}
	version, name := m.GroupVersionKind().ToAPIVersionAndKind()
	raw, err := json.Marshal(map[string]any{"apiVersion": version, "kind": name,
		"metadata": map[string]any{"name": t.Name}, "spec": t.given(nil)})
	if err != nil {
		return nil, err
	}
	var out []validation.Refusal
	for _, v := range t.values {
		if err := kind.CheckPath("spec." + v.to); err != nil {
			out = append(out, validation.Refusal{Path: fmt.Sprintf("%s.values[%s].to", t.Path(), v.to), Text: err.Error()})
		}
	}
	_, refused := kind.Create(ctx, raw)
	for _, of := range refused {
		if subject := subjectOf(of); !slices.ContainsFunc(t.values,
			func(v value) bool { return within(subject, "spec."+v.to) || within("spec."+v.to, subject) }) {
			out = append(out, validation.Refusal{Path: t.spell(subject), Text: t.spell(of.Text)})
		}
	}
	return out, nil
}

// spell returns a text about the object that is invoked with the paths of the resource.
func (t *Trigger) spell(text string) string {
	for _, field := range []string{"forProvider", "providerConfigRef"} {
		text = strings.ReplaceAll(text, "spec."+field, t.Path()+"."+field)
	}
	return text
}

// subjectOf returns the path of the field that a refusal is about. Rules are of an object, and name
// the field in it.
func subjectOf(r validation.Refusal) string {
	i := strings.Index(r.Text, r.Path+".")
	if r.Path == "" || i < 0 {
		return r.Path
	}
	subject := r.Text[i:]
	if end := strings.IndexAny(subject, " ,;:()"); end >= 0 {
		subject = subject[:end]
	}
	return subject
}

// within reports whether a path is another one, or below it.
func within(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
