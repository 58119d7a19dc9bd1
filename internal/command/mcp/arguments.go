package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	goversion "github.com/hashicorp/go-version"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

// An agent may have read instructions of an attacker, so its arguments are checked before they
// reach a command. Flags are given as --name=value and end with --, so no argument becomes one.

var (
	kindText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)
	typeText = regexp.MustCompile(`^[A-Za-z0-9_*][A-Za-z0-9_*-]*$`)
	hashText = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:_-]*$`)
)

// object names an object.
type object struct {
	Kind      string `json:"kind"                jsonschema:"kind, its plural or a short name, with its group if several kinds have the name, such as password.random.landbridge.io"`
	Name      string `json:"name"                jsonschema:"name of the object"`
	Namespace string `json:"namespace,omitempty" jsonschema:"namespace of the object; by default that of the kubeconfig's context"`
}

func (o object) check() error {
	if err := isKind(o.Kind); err != nil {
		return err
	}
	if o.Name == "" {
		return fmt.Errorf("name is missing")
	}
	if err := isName("name", o.Name); err != nil {
		return err
	}
	return isNamespace(o.Namespace)
}

func isKind(s string) error {
	if !kindText.MatchString(s) {
		return fmt.Errorf("kind is %q, where a kind such as password.random.landbridge.io is expected", s)
	}
	return nil
}

func isName(field, s string) error {
	if problems := validation.IsDNS1123Subdomain(s); s != "" && len(problems) > 0 {
		return fmt.Errorf("%s is %q, which is no name of an object: %s", field, s, strings.Join(problems, "; "))
	}
	return nil
}

func isNamespace(s string) error {
	if problems := validation.IsDNS1123Label(s); s != "" && len(problems) > 0 {
		return fmt.Errorf("namespace is %q, which is no name of a namespace: %s", s, strings.Join(problems, "; "))
	}
	return nil
}

func isTime(field, s string) error {
	if _, err := time.Parse(time.RFC3339, s); s != "" && err != nil {
		return fmt.Errorf("%s is %q, where a time such as 2026-03-01T12:00:00Z is expected", field, s)
	}
	return nil
}

func isDuration(field, s string) error {
	if _, err := time.ParseDuration(s); s != "" && err != nil {
		return fmt.Errorf("%s is %q, where a duration such as 24h is expected", field, s)
	}
	return nil
}

// isVersion refuses paths: a version may also be the path of a program, which would be run.
func isVersion(field, s string) error {
	if s == "" {
		return nil
	}
	if _, err := goversion.NewSemver(s); err != nil {
		return fmt.Errorf("%s is %q, where a version such as 2.0.0 is expected", field, s)
	}
	return nil
}

// onlyResources refuses manifests of anything but resources that providers or modules serve. A
// provider configuration of an agent could send credentials anywhere, and a TerraformProvider could
// run any program.
func onlyResources(kinds []status.Kind, manifest string) error {
	if len(manifest) > maxData {
		return fmt.Errorf("manifest has %d bytes, and may have %d", len(manifest), maxData)
	}
	objects, messages := local.ReadObjects([]local.Source{{Name: "manifest", Data: []byte(manifest)}})
	if messages.HasErrors() {
		return fmt.Errorf("manifest cannot be read: %s", messages.String())
	}
	if len(objects) == 0 {
		return fmt.Errorf("manifest is empty")
	}
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		if !slices.ContainsFunc(kinds, func(k status.Kind) bool { return k.Group == gvk.Group && k.Kind == gvk.Kind }) {
			return fmt.Errorf("manifest has an object of kind %q of group %q, and may have only resources of "+
				"providers and modules. landbridge diff plans others", gvk.Kind, gvk.Group)
		}
	}
	return nil
}

// arguments are those of a command.
type arguments struct{ flags, names []string }

// flag adds a flag unless its value is empty.
func (a *arguments) flag(name, value string) {
	if value != "" {
		a.flags = append(a.flags, "--"+name+"="+value)
	}
}

// all returns the arguments of a command, such as upgrade plan.
func (a *arguments) all(command ...string) []string {
	out := append(command, a.flags...)
	return append(append(out, "--"), a.names...)
}
