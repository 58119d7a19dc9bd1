package local

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// document is one object of a manifest, as JSON.
type document struct {
	metav1.TypeMeta
	source string
	raw    []byte
}

// customResource is an object of one of the provider's resource types.
type customResource struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            map[string]any    `json:"spec"`
	Status          any               `json:"status"`
}

// configObject is a ProviderConfig or ClusterProviderConfig.
type configObject struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            map[string]any    `json:"spec"`
	Status          any               `json:"status"`
}

// Object is an object of a manifest.
type Object struct {
	*unstructured.Unstructured
	// Source is the file, and the place in it.
	Source string
}

// ReadObjects returns the objects in sources, of whatever kinds. Lists are expanded.
func ReadObjects(sources []Source) ([]Object, Messages) {
	var out []Object
	var messages Messages
	for _, s := range sources {
		docs, m := documents(s)
		messages = append(messages, m...)
		for _, d := range docs {
			u := &unstructured.Unstructured{}
			if err := kjson.UnmarshalCaseSensitivePreserveInts(d.raw, &u.Object); err != nil {
				messages = append(messages, errorf(d.source, "Not a Kubernetes object", "%s.", jsonProblem(err)))
				continue
			}
			out = append(out, Object{u, d.source})
		}
	}
	return out, messages
}

// documents returns the objects in a source. Lists are expanded.
func documents(s Source) ([]document, Messages) {
	var out []document
	var messages Messages
	for i, part := range split(s.Data) {
		source := fmt.Sprintf("%s, document %d", s.Name, i+1)
		if part.line > 1 {
			source += fmt.Sprintf(" (line %d)", part.line)
		}
		raw, err := toJSON(part.data)
		if err != nil {
			messages = append(messages, errorf(source, "Invalid YAML", "%s.", yamlProblem(err, part.line)))
			continue
		}
		if string(raw) == "null" {
			continue // nothing but comments
		}
		docs, m := objects(source, raw, 0)
		out = append(out, docs...)
		messages = append(messages, m...)
	}
	return out, messages
}

// maxNesting bounds lists within lists.
const maxNesting = 4

func objects(source string, raw []byte, depth int) ([]document, Messages) {
	d := document{source: source, raw: raw}
	var head struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
		Items *[]json.RawMessage `json:"items"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &head); err != nil {
		return nil, Messages{errorf(source, "Not a Kubernetes object", "%s.", jsonProblem(err))}
	}
	d.TypeMeta = head.TypeMeta
	switch {
	case d.APIVersion == "" || d.Kind == "":
		return nil, Messages{errorf(source, "Not a Kubernetes object", "apiVersion and kind must be set.")}
	case d.Kind == "List" && d.APIVersion == "v1" && head.Items != nil && depth < maxNesting:
		var out []document
		var messages Messages
		for i, item := range *head.Items {
			docs, m := objects(fmt.Sprintf("%s, items[%d]", source, i), item, depth+1)
			out = append(out, docs...)
			messages = append(messages, m...)
		}
		return out, messages
	}
	if head.Metadata.Name != "" {
		d.source += ", " + d.Kind + " " + head.Metadata.Name
	}
	return []document{d}, nil
}

// decode reads the whole object. Unknown and duplicate fields are errors.
func (d document) decode(into any) Messages {
	strict, err := kjson.UnmarshalStrict(d.raw, into)
	if err != nil {
		return Messages{errorf(d.source, "Invalid "+d.Kind, "%s.", jsonProblem(err))}
	}
	var out Messages
	for _, e := range strict {
		m := errorf(d.source, "Invalid "+d.Kind, "%s.", jsonProblem(e))
		var field kjson.FieldError
		if errors.As(e, &field) {
			m.Path = strings.TrimPrefix(field.FieldPath(), ".")
			m.Detail = "There is no such field."
			if !strings.HasPrefix(e.Error(), "unknown field") {
				m.Detail = "It is given more than once."
			}
		}
		out = append(out, m)
	}
	return out
}

// part is a document of a YAML stream, and where it begins.
type part struct {
	data []byte
	line int
}

// separator ends a document. What follows three dashes on the same line is content.
var separator = regexp.MustCompile(`(?m)^(?:---(?:[ \t].*)?|\.\.\.[ \t]*)\r?$`)

// split splits a YAML stream into its documents. Empty documents are left out.
func split(data []byte) []part {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var out []part
	line, start := 1, 0
	take := func(end int) {
		content := data[start:end]
		at := line
		line += bytes.Count(content, []byte("\n"))
		trimmed := bytes.TrimLeft(content, "\r\n")
		at += bytes.Count(content[:len(content)-len(trimmed)], []byte("\n"))
		if len(bytes.TrimSpace(trimmed)) > 0 {
			out = append(out, part{data: trimmed, line: at})
		}
	}
	for _, s := range separator.FindAllIndex(data, -1) {
		take(s[0])
		start = s[0] + 3
	}
	take(len(data))
	return out
}

func toJSON(data []byte) (out []byte, err error) {
	defer func() {
		// The YAML library has panicked on malformed input before.
		if r := recover(); r != nil {
			out, err = nil, errors.New("malformed")
		}
	}()
	return yaml.YAMLToJSONStrict(data)
}

var lineNumber = regexp.MustCompile(`\bline (\d+)`)

// yamlProblem returns the error of the YAML library with line numbers of the file; first is the
// number of the document's first line.
func yamlProblem(err error, first int) string {
	s := strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")), " ")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "yaml: "), "unmarshal errors: ")
	s = lineNumber.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.Atoi(strings.TrimPrefix(m, "line "))
		return fmt.Sprintf("line %d", n+first-1)
	})
	return strings.TrimSuffix(s, ".")
}

func jsonProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		value, _, _ := strings.Cut(wrong.Value, " ")
		return fmt.Sprintf("%s has the wrong type: a %s cannot be there", wrong.Field, value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// secretData returns the data of a Secret, as the API server stores it.
func secretData(s *corev1.Secret) map[string][]byte {
	out := make(map[string][]byte, len(s.Data)+len(s.StringData))
	for k, v := range s.Data {
		out[k] = v
	}
	for k, v := range s.StringData {
		out[k] = []byte(v)
	}
	return out
}
