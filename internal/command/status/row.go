package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Row is the status of a managed resource, or of what it needs: a provider, a module or a provider
// configuration.
type Row struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// State is Empty, Partial, Tainted or Full; "" until the first reconcile.
	State string `json:"state,omitempty"`
	// Ready and Synced are the conditions' statuses: True, False, or empty if absent.
	Ready  string `json:"ready,omitempty"`
	Synced string `json:"synced,omitempty"`
	// Reason of the condition that the message is from.
	Reason    string     `json:"reason,omitempty"`
	Operation *Operation `json:"operation,omitempty"`
	// Identity is that of the remote object, by attribute; ExternalName is its external name.
	Identity     map[string]any `json:"identity,omitempty"`
	ExternalName string         `json:"externalName,omitempty"`
	// ProviderConfig is the provider configuration that the resource uses.
	ProviderConfig ProviderConfig `json:"providerConfig,omitzero"`
	// Deposed are the keys of objects that were replaced and are still to be destroyed.
	Deposed []string `json:"deposed,omitempty"`
	// Deleting is set when the resource is being deleted, Paused when it is not reconciled.
	Deleting bool `json:"deleting,omitempty"`
	Paused   bool `json:"paused,omitempty"`
	// Drifted is set while the remote object differs from spec because of changes outside of the
	// resource, and Drift are the fields that were changed; none if the object was destroyed.
	Drifted bool `json:"drifted,omitempty"`
	// NeverSettles is set while its provider changes the object again and again.
	NeverSettles bool     `json:"neverSettles,omitempty"`
	Drift        []string `json:"drift,omitempty"`
	// Health is how it is doing, in one word.
	Health Health `json:"health"`
	// Supporting is set for what resources need: a provider, a module, a provider configuration or
	// a policy.
	Supporting bool `json:"-"`
	// Created is when the object was created.
	Created time.Time `json:"created,omitzero"`
	// Message is the message of the most important problem; empty if there is none.
	Message string `json:"message,omitempty"`
}

// Operation is the change that is being carried out.
type Operation struct {
	Kind      string    `json:"kind"`
	StartedAt time.Time `json:"startedAt"`
	// Deadline is zero while the operation waits for its turn.
	Deadline time.Time `json:"deadline,omitzero"`
	Deposed  string    `json:"deposed,omitempty"`
	// Progress is the provider's last log entry about it.
	Progress string `json:"progress,omitempty"`
	// Interrupted is set when it was interrupted and has not ended yet.
	Interrupted bool `json:"interrupted,omitempty"`
}

// ProviderConfig names a provider configuration.
type ProviderConfig struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// ParseProviderConfig reads NAME or KIND/NAME. Without a kind, both kinds of provider
// configurations are meant.
func ParseProviderConfig(text string) (ProviderConfig, error) {
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		kind, name = "", text
	}
	for _, known := range []string{"", model.ProviderConfigKind, model.ClusterProviderConfigKind} {
		if strings.EqualFold(kind, known) && name != "" && ok == (known != "") {
			return ProviderConfig{known, name}, nil
		}
	}
	return ProviderConfig{}, fmt.Errorf("%q is no provider configuration: give NAME, %s/NAME or %s/NAME", text,
		model.ProviderConfigKind, model.ClusterProviderConfigKind)
}

// Means reports whether the configuration is the other one, if it has a kind, or one of its name.
func (p ProviderConfig) Means(other ProviderConfig) bool {
	return p.Name == other.Name && (p.Kind == "" || p.Kind == other.Kind)
}

// Trouble reports whether the resource has a problem.
func (r Row) Trouble() bool { return r.Ready != "True" || r.Synced != "True" || len(r.Deposed) > 0 }

// Key identifies and orders rows: what resources need comes first.
func (r Row) Key() string {
	order := "1 "
	if r.Supporting {
		order = "0 "
	}
	return order + r.kind() + " " + r.Namespace + "/" + r.Name
}

// kind returns the kind with its group, such as password.random.landbridge.io.
func (r Row) kind() string {
	group, _, _ := strings.Cut(r.APIVersion, "/")
	return strings.ToLower(r.Kind) + "." + group
}

// Title returns the resource's kind and name for people.
func (r Row) Title() string { return r.kind() + "/" + r.Name }

// ID returns the remote object's identity, else its external name.
func (r Row) ID() string {
	switch len(r.Identity) {
	case 0:
		return r.ExternalName
	case 1:
		for _, v := range r.Identity {
			return fmt.Sprint(v)
		}
	}
	parts := make([]string, 0, len(r.Identity))
	for _, name := range slices.Sorted(maps.Keys(r.Identity)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, r.Identity[name]))
	}
	return strings.Join(parts, ",")
}

// RowOf reads a row from a resource.
func RowOf(u *unstructured.Unstructured) Row {
	text := func(path ...string) string {
		s, _, _ := unstructured.NestedString(u.Object, append([]string{"status"}, path...)...)
		return s
	}
	r := Row{
		APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(),
		State: text("state"), ExternalName: u.GetAnnotations()["crossplane.io/external-name"],
		Deleting: u.GetDeletionTimestamp() != nil, Created: u.GetCreationTimestamp().UTC(),
	}
	gvk := u.GroupVersionKind()
	r.Supporting = gvk.Group == v1alpha1.Group || r.Kind == model.ProviderConfigKind || r.Kind == model.ClusterProviderConfigKind
	r.ProviderConfig.Kind, _, _ = unstructured.NestedString(u.Object, "spec", "providerConfigRef", "kind")
	r.ProviderConfig.Name, _, _ = unstructured.NestedString(u.Object, "spec", "providerConfigRef", "name")
	r.Identity, _, _ = unstructured.NestedMap(u.Object, "status", "identity")
	if kind := text("operation", "kind"); kind != "" {
		r.Operation = &Operation{Kind: kind, Deposed: text("operation", "deposed"), Progress: text("operation", "progress")}
		r.Operation.Interrupted, _, _ = unstructured.NestedBool(u.Object, "status", "operation", "interrupted")
		// Invalid times stay zero.
		r.Operation.StartedAt, _ = time.Parse(time.RFC3339, text("operation", "startedAt"))
		r.Operation.Deadline, _ = time.Parse(time.RFC3339, text("operation", "deadline"))
	}
	deposed, _, _ := unstructured.NestedSlice(u.Object, "status", "deposed")
	for _, d := range deposed {
		m, _ := d.(map[string]any)
		key, _ := m["key"].(string)
		r.Deposed = append(r.Deposed, key)
	}
	conditions := conditionsOf(u)
	r.Ready, r.Synced = conditions["Ready"].status, conditions["Synced"].status
	r.Paused = conditions["Synced"].reason == "ReconcilePaused"
	r.Drifted = conditions["Drifted"].status == "True"
	r.NeverSettles = conditions["NeverSettles"].status == "True"
	changes, _, _ := unstructured.NestedSlice(u.Object, "status", "drift", "changes")
	for _, c := range changes {
		m, _ := c.(map[string]any)
		path, _ := m["path"].(string)
		r.Drift = append(r.Drift, path)
	}
	r.Reason, r.Message = r.trouble(conditions)
	r.Health = r.healthOf(u, conditions)
	return r
}

type condition struct{ status, reason, message string }

func conditionsOf(u *unstructured.Unstructured) map[string]condition {
	out := map[string]condition{}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range list {
		m, _ := c.(map[string]any)
		text := func(name string) string { s, _ := m[name].(string); return s }
		out[text("type")] = condition{status: text("status"), reason: text("reason"), message: crd.WholeMessage(u, text("type"), text("message"))}
	}
	return out
}

// trouble returns the message of the most important problem, and its reason.
func (r Row) trouble(conditions map[string]condition) (reason, message string) {
	if c := conditions["NeverSettles"]; r.NeverSettles &&
		(conditions["Synced"].status == "True" || conditions["Synced"].reason == "NeverSettles") {
		return "NeverSettles", c.message
	}
	for _, kind := range []string{"Synced", "LastAsyncOperation", "Ready"} {
		if kind == "LastAsyncOperation" && conditions["Synced"].status == "True" && conditions["Ready"].status == "True" {
			continue // an earlier operation failed, and the object is as wanted all the same
		}
		if c := conditions[kind]; c.status == "False" && c.message != "" {
			return c.reason, c.message
		}
	}
	switch synced, ready := conditions["Synced"], conditions["Ready"]; {
	case len(conditions) == 0:
		return "", "The controller has not looked at it yet."
	case r.Paused:
		return synced.reason, "It is paused."
	case len(r.Deposed) > 0:
		return "", fmt.Sprintf("Replaced objects are still to be destroyed: %d.", len(r.Deposed))
	case synced.status == "False":
		return synced.reason, ""
	case ready.status == "False":
		return ready.reason, ""
	case r.Drifted:
		return conditions["Drifted"].reason, conditions["Drifted"].message
	}
	return "", ""
}
