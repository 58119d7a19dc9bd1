package halt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PauseConfigMap is the name of the ConfigMap that has the Pauses. Whoever may write it may pause,
// and resume.
const PauseConfigMap = "landbridge-pause"

// pausesKey is the key of the ConfigMap whose value is a list of Pauses, in JSON.
const pausesKey = "pauses"

// Pause says that no operations begin. What runs is finished, and objects are looked at as before.
type Pause struct {
	// Provider is the name of a TerraformProvider or TerraformModule; empty for all.
	Provider string `json:"provider,omitempty"`
	// Account is an account that provider configurations are declared to be for, or a single
	// configuration, as Configuration.Names has them; empty for all.
	Account string `json:"account,omitempty"`
	// Reason is for people.
	Reason string      `json:"reason,omitempty"`
	Since  metav1.Time `json:"since"`
}

// Subject is what a resource belongs to.
type Subject struct {
	// Providers are the names of its TerraformProvider, or of its TerraformModule and the module's
	// TerraformProviders.
	Providers []string
	// Accounts are those of its provider configurations.
	Accounts []string
}

// ConfigurationName returns the name by which a Pause means a provider configuration. namespace is
// empty for a ClusterProviderConfig.
func ConfigurationName(kind, namespace, name string) string {
	if namespace == "" {
		return kind + "/" + name
	}
	return kind + "/" + namespace + "/" + name
}

// Same reports whether two are for the same operations.
func (p Pause) Same(o Pause) bool { return p.Provider == o.Provider && p.Account == o.Account }

// covers reports whether a pause is for operations of a subject.
func (p Pause) covers(s Subject) bool {
	return (p.Provider == "" || slices.Contains(s.Providers, p.Provider)) &&
		(p.Account == "" || slices.Contains(s.Accounts, p.Account))
}

// What returns which operations a pause is for.
func (p Pause) What() string {
	switch {
	case p.Provider == "" && p.Account == "":
		return "All operations"
	case p.Account == "":
		return fmt.Sprintf("Operations of %s", p.Provider)
	case p.Provider == "":
		return fmt.Sprintf("Operations in the account %s", p.Account)
	}
	return fmt.Sprintf("Operations of %s in the account %s", p.Provider, p.Account)
}

// Resume returns the command that ends a pause.
func (p Pause) Resume() string {
	out := "landbridge resume"
	if p.Provider != "" {
		out += " --provider " + p.Provider
	}
	if p.Account != "" {
		out += " --account " + p.Account
	}
	if p.Provider == "" && p.Account == "" {
		out += " --all"
	}
	return out
}

// String returns what is paused, since when, and why.
func (p Pause) String() string {
	out := fmt.Sprintf("%s have been paused since %s", p.What(), p.Since.UTC().Format(time.RFC3339))
	if p.Reason != "" {
		out += fmt.Sprintf(" (%s)", strings.TrimSuffix(p.Reason, "."))
	}
	return out
}

// Pauses returns those in a ConfigMap.
func Pauses(in *corev1.ConfigMap) ([]Pause, error) {
	return listIn[Pause](in, PauseConfigMap, pausesKey)
}

// SetPauses replaces those in a ConfigMap.
func SetPauses(in *corev1.ConfigMap, all []Pause) error {
	if len(all) == 0 {
		delete(in.Data, pausesKey)
		return nil
	}
	return setList(in, pausesKey, all)
}
