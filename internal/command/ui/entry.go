package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unique"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

// Entry is what the index keeps of an object.
type Entry struct {
	status.Row
	Key explain.Key
	// Labels are those that selectors of references may match.
	Labels map[string]string
	// Uses is what the object needs.
	Uses []explain.Dependency
	// Plan is the plan that waits for approval; nil if none does.
	Plan *status.Proposal
	// Provider is what is known of a TerraformProvider; nil for other objects.
	Provider *Provider
	// id is the identity of the remote object of an entry in an index, which has no Row.Identity.
	id string
	// text is what is searched, in lower case: a name and a value per line.
	text string
}

// Limits of the text of an object that is searched.
const (
	maxValues   = 64
	maxValueLen = 128
)

// EntryOf returns the entry of an object, given what it needs. Values are searched unless values is
// false.
func EntryOf(u *unstructured.Unstructured, uses []explain.Dependency, values bool) *Entry {
	e := &Entry{Row: status.RowOf(u), Key: explain.KeyOf(u), Labels: u.GetLabels(), Uses: uses}
	if p, err := status.ProposalOf(u); err == nil {
		e.Plan = &p
	}
	if e.Key.Group == v1alpha1.Group && e.Key.Kind == "TerraformProvider" {
		e.Provider = providerOf(u)
	}
	e.text = textOf(e, u, values && !e.Supporting)
	return e
}

// ID is the identity of the remote object, else its external name.
func (e *Entry) ID() string {
	if e.id != "" {
		return e.id
	}
	return e.Row.ID()
}

// compact makes an entry smaller for the index: what is the same in many objects is kept once.
func (e *Entry) compact() {
	e.id, e.Identity = e.ID(), nil
	e.Row.Name, e.Uses = e.Key.Name, slices.Clip(slices.Clone(e.Uses))
	share := func(all ...*string) {
		for _, s := range all {
			*s = unique.Make(*s).Value()
		}
	}
	share(&e.APIVersion, &e.Row.Kind, &e.Row.Namespace, &e.Row.State, &e.Ready, &e.Synced, &e.Reason,
		&e.Key.Group, &e.Key.Kind, &e.Key.Namespace, &e.ProviderConfig.Kind, &e.ProviderConfig.Name)
	for i := range e.Uses {
		d := &e.Uses[i]
		share(&d.Group, &d.Kind, &d.Namespace, &d.Name, &d.Field)
	}
}

// Owner is what serves the kind of the object; empty if that is not known.
func (e *Entry) Owner() explain.Key {
	for _, d := range e.Uses {
		if d.Owns() {
			return d.Key
		}
	}
	return explain.Key{}
}

// textOf returns what is searched of an object. Arguments of provider configurations are left out:
// they may be credentials.
func textOf(e *Entry, u *unstructured.Unstructured, values bool) string {
	lines := []string{"name=" + e.Key.Name, "kind=" + e.Key.Kind + "." + e.Key.Group}
	if e.Key.Namespace != "" {
		lines = append(lines, "namespace="+e.Key.Namespace)
	}
	if id := e.ID(); id != "" {
		lines = append(lines, "identity="+id)
	}
	if e.ExternalName != "" {
		lines = append(lines, "external name="+e.ExternalName)
	}
	if values {
		found := map[string]bool{}
		for _, path := range [][]string{{"spec", "forProvider"}, {"status", "atProvider"}} {
			value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
			collect(value, "", found)
		}
		all := make([]string, 0, len(found))
		for line := range found {
			all = append(all, line)
		}
		slices.Sort(all)
		lines = append(lines, all[:min(len(all), maxValues)]...)
	}
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "\n", " ")
	}
	return strings.ToLower(strings.Join(lines, "\n"))
}

// collect adds a line for each value below a value, up to a limit. What refers to a Secret is left
// out.
func collect(value any, path string, to map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, x := range v {
			if !strings.HasSuffix(name, "SecretRef") {
				collect(x, strings.TrimPrefix(path+"."+name, "."), to)
			}
		}
	case []any:
		for _, x := range v {
			collect(x, path, to)
		}
	case nil, bool:
	default:
		text := fmt.Sprint(v)
		if text != "" && len(text) <= maxValueLen && len(to) < 4*maxValues {
			to[path+"="+text] = true
		}
	}
}

// Line is an object in a list of a view.
type Line struct {
	explain.Key
	Health status.Health `json:"health"`
	State  string        `json:"state,omitempty"`
	Reason string        `json:"reason,omitempty"`
	// ID is the identity of the remote object, else its external name.
	ID string `json:"id,omitempty"`
	// Message is the first sentence of what is wrong.
	Message string    `json:"message,omitempty"`
	Created time.Time `json:"created,omitzero"`
}

// Line returns the object for a list.
func (e *Entry) Line() Line {
	out := Line{Key: e.Key, Health: e.Health, State: e.Row.State, Reason: e.Reason, ID: e.ID(), Created: e.Created}
	if e.Message != "" {
		out.Message = explain.FirstSentence(e.Message)
	}
	return out
}

// Path is the address of the object's view.
func (l Line) Path() string { return pathOf("resources", l.Key) }

// none stands for the namespace of objects without one. It is no name of a namespace.
const none = "_"

// pathOf returns the address of a view of an object.
func pathOf(view string, k explain.Key) string {
	namespace := k.Namespace
	if namespace == "" {
		namespace = none
	}
	return "/" + view + "/" + kindOf(k) + "/" + namespace + "/" + k.Name
}

// kindOf returns the kind as in addresses, such as password.random.landbridge.io.
func kindOf(k explain.Key) string { return strings.ToLower(k.Kind) + "." + k.Group }
