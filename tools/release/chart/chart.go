package chart

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	helm "helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Namespace is where Landbridge is installed, unless the user chooses another one.
const Namespace = "landbridge-system"

// notes is the name of the template that is no manifest.
const notes = "NOTES.txt"

// Load reads the chart in a directory. With a version, the chart and the program get it.
func Load(dir, version, appVersion string) (*helm.Chart, error) {
	c, err := loader.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	if version != "" {
		c.Metadata.Version, c.Metadata.AppVersion = version, appVersion
	}
	return c, nil
}

// Rendered is what the chart is with certain values.
type Rendered struct {
	// Manifests are the documents, by their template.
	Manifests []Manifest
	// Notes are for the person who installs it.
	Notes string
}

// Manifest is one document.
type Manifest struct {
	// Template is the name of the file that it was made from, such as deployment.yaml.
	Template string
	Text     string
	Object   *unstructured.Unstructured
}

// Render returns the chart with values, which may be nil, for a release named landbridge in a
// namespace.
func Render(c *helm.Chart, namespace string, values map[string]any) (*Rendered, error) {
	all, err := chartutil.ToRenderValues(c, values,
		chartutil.ReleaseOptions{Name: "landbridge", Namespace: namespace, Revision: 1, IsInstall: true}, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	out := &Rendered{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Base(name) == notes {
			out.Notes = files[name]
			continue
		}
		for text := range strings.SplitSeq("\n"+files[name], "\n---\n") {
			text = strings.TrimSpace(text)
			m := Manifest{Template: path.Base(name), Text: text, Object: &unstructured.Unstructured{}}
			if err := yaml.UnmarshalStrict([]byte(text), &m.Object.Object); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, text)
			}
			if m.Object.Object != nil { // else there are only comments
				out.Manifests = append(out.Manifests, m)
			}
		}
	}
	return out, nil
}

// CRDs returns the definitions that are installed before everything else.
func CRDs(c *helm.Chart) ([]Manifest, error) {
	var out []Manifest
	for _, f := range c.CRDObjects() {
		m := Manifest{Template: path.Base(f.Filename), Text: strings.TrimSpace(string(f.File.Data)), Object: &unstructured.Unstructured{}}
		if err := yaml.UnmarshalStrict(f.File.Data, &m.Object.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// head is the beginning of the plain manifests.
const head = `# Landbridge, rendered from deploy/chart by "make manifests". Install it with
#
#   kubectl apply --server-side -f install.yaml
#
# To stop the controller, delete the Deployment alone. Do not delete this file's objects: the namespace has the stored states of
# remote objects.
apiVersion: v1
kind: Namespace
metadata:
  name: ` + Namespace + `
  labels:
    pod-security.kubernetes.io/enforce: restricted
`

// Plain returns the chart with its default values as one file, with the namespace and the
// definitions.
func Plain(c *helm.Chart) ([]byte, error) {
	definitions, err := CRDs(c)
	if err != nil {
		return nil, err
	}
	rendered, err := Render(c, Namespace, nil)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBufferString(head)
	// What runs comes after what it needs.
	workloads, others := []Manifest{}, definitions
	for _, m := range rendered.Manifests {
		if m.Object.GetKind() == "Deployment" {
			workloads = append(workloads, m)
		} else {
			others = append(others, m)
		}
	}
	for _, m := range append(others, workloads...) {
		fmt.Fprintln(out, "---")
		for line := range strings.Lines(m.Text + "\n") {
			// Helm's labels mean nothing here.
			if name := strings.TrimSpace(line); !strings.HasPrefix(name, "helm.sh/chart:") &&
				name != "app.kubernetes.io/managed-by: Helm" && name != "---" {
				out.WriteString(line)
			}
		}
	}
	return out.Bytes(), nil
}
