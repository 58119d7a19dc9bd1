package ui

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/landbridge-io/landbridge/internal/discovery"
)

// Import is what exists of a resource type, and who manages it.
type Import struct {
	// Types are the resource types that are served.
	Types []Served `json:"types"`
	// Type is the one that was listed; empty if none was.
	Type string `json:"type,omitempty"`
	// Objects are those that exist, at most 500, and Count is their number.
	Objects []ImportObject `json:"objects"`
	Count   int            `json:"count"`
	// NotListable is set if the provider cannot list the type, and Incomplete if there may be more
	// objects.
	NotListable bool `json:"notListable,omitempty"`
	Incomplete  bool `json:"incomplete,omitempty"`
	// Problem says why the objects are not known.
	Problem string `json:"problem,omitempty"`
	// Command lists the same.
	Command string `json:"command,omitempty"`
	// Namespace is that of new resources, and Configuration the provider configuration, as
	// KIND/NAME.
	Namespace     string `json:"namespace,omitempty"`
	Configuration string `json:"configuration"`
}

// Served is a resource type that is served as a kind.
type Served struct {
	Provider string `json:"provider"`
	Type     string `json:"type"`
	Kind     string `json:"kind"`
}

// ImportObject is a remote object.
type ImportObject struct {
	discovery.DocumentObject
}

// maxObjects bounds the objects in one view.
const maxObjects = 500

// More is the number of objects that are not in the view.
func (i Import) More() int { return i.Count - len(i.Objects) }

// Still reports that the view does not follow the cluster: each look runs a command.
func (i Import) Still() bool { return i.Type != "" }

// ID is the identity as one text.
func (o ImportObject) ID() string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(o.Identity)) {
		out = append(out, fmt.Sprintf("%s=%v", name, o.Identity[name]))
	}
	return strings.Join(out, ", ")
}

// Managers are those that manage the object or describe it, as texts.
func (o ImportObject) Managers() []string {
	var out []string
	for _, m := range o.ManagedBy {
		text := strings.TrimSpace(m.Kind + " " + strings.TrimPrefix(m.Namespace+"/"+m.Name, "/"))
		if m.Address != "" {
			text = m.Address
		}
		if m.Declared {
			text += " (declared)"
		}
		out = append(out, text)
	}
	return out
}

// Value is the object as a form sends it.
func (o ImportObject) Value() string {
	o.ManagedBy = []discovery.DocumentOwner{}
	out, err := json.Marshal(o.DocumentObject)
	if err != nil {
		return "" // it was made of JSON
	}
	return string(out)
}

// typePattern matches names of resource types, and argumentPattern other arguments.
var (
	typePattern     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,200}$`)
	argumentPattern = regexp.MustCompile(`^[A-Za-z0-9./-]{0,300}$`)
)

// defaultConfiguration is the provider configuration of commands, unless another one is given.
const defaultConfiguration = "ClusterProviderConfig/default"

// importArguments returns the flags of landbridge discover and import for a namespace and a
// provider configuration. Defaults are left out.
func (s *Server) importArguments(namespace, configuration string) ([]string, error) {
	if !argumentPattern.MatchString(namespace) || !argumentPattern.MatchString(configuration) {
		return nil, errors.New("the namespace or the provider configuration is no name. Give the latter as KIND/NAME")
	}
	var out []string
	for _, f := range [][3]string{
		{"namespace", namespace, ""}, {"provider-config", configuration, defaultConfiguration}, {"system-namespace", s.system, defaultSystem},
	} {
		if f[1] != "" && f[1] != f[2] {
			out = append(out, "--"+f[0]+"="+f[1])
		}
	}
	return out, nil
}

// imports is the view of what can be imported.
func (s *Server) imports(r *http.Request) (string, any, error) {
	q := r.URL.Query()
	out := Import{
		Types: s.index.Content().Types, Type: q.Get("type"), Objects: []ImportObject{},
		Namespace: cmp.Or(q.Get("namespace"), s.namespace), Configuration: cmp.Or(q.Get("configuration"), defaultConfiguration),
	}
	if out.Type == "" {
		return "Import", out, nil
	}
	flags, err := s.importArguments(out.Namespace, out.Configuration)
	if !typePattern.MatchString(out.Type) {
		err = errors.New("this is no name of a resource type. Choose one of the list")
	}
	var printed output
	if err == nil {
		args := append([]string{"discover", out.Type}, flags...)
		out.Command = s.commandLine(args...)
		printed, err = s.run(r.Context(), "", append(args, "-o", "json")...)
	}
	if err == nil {
		err = out.read(printed.stdout)
	}
	switch {
	case err != nil:
		out.Problem = err.Error()
	case printed.stderr != "":
		out.Problem = printed.stderr
	}
	return "Import of " + out.Type, out, nil
}

// read reads the document of landbridge discover.
func (i *Import) read(text string) error {
	var d discovery.Document
	if err := decode(text, &d); err != nil {
		return fmt.Errorf("the objects cannot be read: %w", err)
	}
	i.Count, i.NotListable, i.Incomplete = len(d.Objects), slices.Contains(d.NotListable, i.Type), slices.Contains(d.Incomplete, i.Type)
	for _, o := range d.Objects[:min(len(d.Objects), maxObjects)] {
		i.Objects = append(i.Objects, ImportObject{o})
	}
	return nil
}

// decode decodes JSON, with numbers as they are: identities may be larger than floats are exact.
func decode(text string, to any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

// manifests are the manifests that adopt objects.
type manifests struct {
	// Selected is the number of objects, Unchanged that of those for which the provider has planned
	// that nothing changes, and Observed that of those that are only observed.
	Selected  int
	Unchanged int
	Observed  int
	Text      string
	// Notes are what the command has reported.
	Notes string
	// Problem says why there are no manifests.
	Problem   string
	Type      string
	Namespace string
	// Configuration is the provider configuration, as KIND/NAME.
	Configuration string
	// Objects are those of the form, to send it again.
	Objects []string
	// Document is what the command reads, and Command makes the same of it.
	Document, Command string
}

// Still reports that the view does not follow the cluster.
func (manifests) Still() bool { return true }

// manifests makes manifests of the objects that a form names. Nothing is written.
func (s *Server) manifests(w http.ResponseWriter, r *http.Request) {
	m := manifests{
		Type: r.PostForm.Get("type"), Namespace: r.PostForm.Get("namespace"),
		Configuration: r.PostForm.Get("configuration"), Objects: r.PostForm["object"],
	}
	if err := s.makeManifests(r, &m); err != nil {
		m.Problem = err.Error()
	}
	if m.Problem == "" && r.PostForm.Has("download") {
		w.Header().Set("Content-Type", "application/yaml")
		w.Header().Set("Content-Disposition", `attachment; filename="import.yaml"`)
		_, _ = w.Write([]byte(m.Text)) // the browser is gone
		return
	}
	s.write(w, r, page{View: "manifests", Title: "Manifests", Model: m}, nil)
}

func (s *Server) makeManifests(r *http.Request, m *manifests) error {
	var d discovery.Document
	for _, text := range m.Objects {
		var o discovery.DocumentObject
		if err := decode(text, &o); err != nil {
			return errors.New("the form names no object. Load the page again")
		}
		d.Objects = append(d.Objects, o)
	}
	if m.Selected = len(d.Objects); m.Selected == 0 {
		return errors.New("no object is selected")
	}
	document, err := json.Marshal(d)
	if err != nil {
		return err
	}
	m.Document = string(document)
	flags, err := s.importArguments(m.Namespace, m.Configuration)
	if err != nil {
		return err
	}
	args := append([]string{"import", "--objects", "-"}, flags...)
	m.Command = "echo " + quote(m.Document) + " | " + s.commandLine(args...)
	printed, err := s.run(r.Context(), m.Document, args...)
	if err != nil {
		return err
	}
	m.Text, m.Notes = printed.stdout, printed.stderr
	return m.count()
}

// count counts the resources in the manifests.
func (m *manifests) count() error {
	d := yaml.NewYAMLOrJSONDecoder(strings.NewReader(m.Text), 4096)
	for {
		var one struct {
			Kind string `json:"kind"`
			Spec struct {
				ManagementPolicies []string `json:"managementPolicies"`
			} `json:"spec"`
		}
		err := d.Decode(&one)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the manifests cannot be read: %w", err)
		case one.Kind == "" || one.Kind == "Secret":
		case slices.Contains(one.Spec.ManagementPolicies, "Observe"):
			m.Observed++
		default:
			m.Unchanged++
		}
	}
}
