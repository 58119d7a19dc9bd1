package ui

import (
	"context"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

// Resource is one object.
type Resource struct {
	Line
	Status status.Row `json:"status"`
	// Owner is what serves the kind.
	Owner      *explain.Key       `json:"owner,omitempty"`
	Conditions []metav1.Condition `json:"conditions"`
	// Drift are the fields that were changed outside of the resource.
	Drift []string `json:"drift,omitempty"`
	// Plan is the plan that waits for approval; nil if none does.
	Plan *Plan `json:"plan,omitempty"`
	// Timeline is the change record; nil if there is none.
	Timeline *Timeline `json:"timeline,omitempty"`
	// Explanation says why the object is not ready, as landbridge explain does.
	Explanation explain.Explanation `json:"explanation"`
	YAML        string              `json:"yaml"`
	Commands    []Command           `json:"commands"`
}

// DependenciesPath is the address of the view of what depends on what.
func (r Resource) DependenciesPath() string { return pathOf("dependencies", r.Key) }

// OwnerPath is the address of the owner's view.
func (r Resource) OwnerPath() string { return pathOf("resources", *r.Owner) }

// Command is a command for an object.
type Command struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// ResourceOf returns the view of the subject of a snapshot, whose object must be in it.
func ResourceOf(c Content, s *explain.Snapshot) Resource {
	u := s.Object()
	e := EntryOf(u, s.Dependencies(u), false)
	out := Resource{
		Line: e.Line(), Status: e.Row, Conditions: explain.Conditions(u), Drift: e.Drift,
		Explanation: explain.Explain(s), YAML: yamlOf(u), Commands: commandsOf(e),
	}
	out.Message = e.Message
	if owner := e.Owner(); owner.Name != "" {
		out.Owner = &owner
	}
	if e.Plan != nil {
		p := planOf(c.Users(), e)
		out.Plan = &p
	}
	return out
}

// lastApplied is the annotation of kubectl apply, which has the object a second time.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// yamlOf returns an object as YAML. Arguments of a provider configuration that look like
// credentials are left out.
func yamlOf(u *unstructured.Unstructured) string {
	u = u.DeepCopy()
	u.SetManagedFields(nil)
	if a := u.GetAnnotations(); a[lastApplied] != "" {
		delete(a, lastApplied)
		u.SetAnnotations(a)
	}
	head := ""
	for _, c := range explain.Conditions(u) {
		if c.Type == string(v1alpha1.TypePlainTextCredentials) && c.Status == metav1.ConditionTrue {
			delete(u.Object, "spec")
			head = "# spec is left out: there seem to be credentials in it.\n"
		}
	}
	out, err := yaml.Marshal(u.Object)
	if err != nil {
		return "# The object cannot be shown: " + err.Error() + "\n"
	}
	return head + string(out)
}

// commandsOf returns the commands for what can be done with an object.
func commandsOf(e *Entry) []Command {
	what := e.Key.Resource() + e.Key.In()
	out := []Command{
		{"Why it is as it is", "landbridge explain " + what},
		{"What depends on what", "landbridge graph " + what},
		{"As YAML", "kubectl get " + what + " -o yaml"},
		{"Change it", "kubectl edit " + what},
	}
	if e.Supporting {
		return out
	}
	out = append(out, Command{"What the log says of it", "landbridge logs " + what})
	if e.Plan != nil {
		out = append(out, Command{"Approve the plan that waits", "landbridge approve " + what + " --hash " + e.Plan.Hash})
	}
	if e.Drifted {
		out = append(out, Command{"Take the drift over into the spec", "landbridge adopt-drift " + what})
	}
	if e.Operation != nil {
		return append(out, Command{"Interrupt the operation", "landbridge interrupt " + what})
	}
	if e.Paused {
		return append(out, Command{"Have it reconciled again", "kubectl annotate " + what + " crossplane.io/paused-"})
	}
	return append(out,
		Command{"Try again now", "landbridge retry " + what},
		Command{"Have the object replaced", "landbridge taint " + what},
		Command{"Pause it", "kubectl annotate " + what + " crossplane.io/paused=true"})
}

// readSnapshot reads what the views of one object need. An object that the index does not have is
// not looked for: what may not be listed does not exist.
func (s *Server) readSnapshot(ctx context.Context, kind, namespace, name string) (Content, *explain.Snapshot, error) {
	c := s.index.Content()
	e := c.named(kind, namespace, name)
	if e == nil {
		return c, nil, kerrors.NewNotFound(schema.GroupResource{Resource: kind}, name)
	}
	gvk := schema.FromAPIVersionAndKind(e.APIVersion, e.Row.Kind)
	out, err := s.reader.Read(ctx, gvk, e.Key.Namespace, e.Key.Name)
	return c, out, err
}

// named returns the entry of an object as addresses name it; nil if there is none.
func (c Content) named(kind, namespace, name string) *Entry {
	if namespace == none {
		namespace = ""
	}
	for _, e := range c.Entries {
		if e.Key.Name == name && e.Key.Namespace == namespace && kindOf(e.Key) == kind {
			return e
		}
	}
	return nil
}
