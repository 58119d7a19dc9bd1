package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
)

// File is a configuration in YAML, with the lines of its settings.
//
// +kubebuilder:object:generate=false
type File struct {
	Provider
	name string
	root *yaml.Node
}

// Read reads a configuration. Unknown and duplicate settings, and values of a wrong type, are
// errors that begin with the name of the file and the line.
func Read(name string, raw []byte) (*File, error) {
	f := &File{name: name, root: &yaml.Node{}}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(f.root); errors.Is(err, io.EOF) {
		return f, nil // nothing is configured
	} else if err != nil {
		return nil, f.syntax(err)
	}
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: the file must have one document, but has several", name)
	}
	var content any
	if err := f.root.Decode(&content); err != nil {
		return nil, f.syntax(err)
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	unknown, err := kjson.UnmarshalStrict(encoded, &f.Provider)
	if err != nil {
		return nil, f.wrongType(encoded, err)
	}
	var all []error
	for _, err := range unknown {
		var at kjson.FieldError
		if errors.As(err, &at) {
			path := f.split(at.FieldPath())
			err = f.Locate(&Error{path, errors.New("there is no such setting")})
		}
		all = append(all, err)
	}
	return f, errors.Join(all...)
}

// MustRead is like Read, for a configuration that is embedded into a program. It panics on errors.
func MustRead(name string, raw []byte) Provider {
	f, err := Read(name, raw)
	if err != nil {
		panic(err)
	}
	return f.Provider
}

// Locate returns an error of this configuration with its file and line in front.
func (f *File) Locate(err error) error {
	var e *Error
	if f.root == nil || !errors.As(err, &e) {
		return err // it was not read
	}
	if line := f.line(e.Path); line > 0 {
		return fmt.Errorf("%s:%d: %w", f.name, line, err)
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// line returns the line of the value at a path, or of its closest parent; 0 if the file is empty.
func (f *File) line(path []string) int {
	if len(f.root.Content) == 0 {
		return 0
	}
	at := resolved(f.root.Content[0])
	line := at.Line
	for _, step := range path {
		key, value := child(at, step)
		if value == nil {
			break
		}
		line, at = key.Line, resolved(value)
	}
	return line
}

// child returns the nodes of a key, or of an index, and of its value.
func child(n *yaml.Node, step string) (key, value *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i], n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
	}
	return nil, nil
}

func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// split splits a path whose keys may contain dots: resources.a_b.fields.rule.max_age.nme.
func (f *File) split(path string) []string {
	rest := strings.NewReplacer("[", ".", "]", "").Replace(path)
	at := resolved(f.root.Content[0])
	var out []string
	for rest != "" {
		step := rest
		for {
			if _, value := child(at, step); value != nil {
				at = resolved(value)
				break
			}
			i := strings.LastIndexByte(step, '.')
			if i < 0 {
				return append(out, rest)
			}
			step = step[:i]
		}
		out, rest = append(out, step), strings.TrimPrefix(rest[len(step):], ".")
	}
	return out
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)

// syntax returns an error of the YAML parser.
func (f *File) syntax(err error) error {
	lines := []string{err.Error()}
	var several *yaml.TypeError
	if errors.As(err, &several) {
		lines = several.Errors
	}
	var all []error
	for _, line := range lines {
		if m := yamlLine.FindStringSubmatch(line); m != nil {
			all = append(all, fmt.Errorf("%s:%s: %s", f.name, m[1], m[2]))
			continue
		}
		all = append(all, fmt.Errorf("%s: %s", f.name, line))
	}
	return errors.Join(all...)
}

// wrongType returns an error of the JSON decoder in terms of the YAML file.
func (f *File) wrongType(encoded []byte, err error) error {
	var e *json.UnmarshalTypeError
	if errors.As(err, &e) {
		path := pathAt(json.NewDecoder(bytes.NewReader(encoded)), e.Offset, nil)
		return f.Locate(&Error{path, fmt.Errorf("it must be %s, not %s", wanted(e.Type), given(e.Value))})
	}
	// Types that decode themselves, such as durations, quote the value, but do not tell where it
	// is.
	if n := quoted(f.root, err.Error()); n != nil {
		return fmt.Errorf("%s:%d: %w", f.name, n.Line, err)
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// pathAt returns the path of the innermost value that begins before an offset and ends at or after
// it; nil if there is none.
func pathAt(d *json.Decoder, offset int64, path []string) []string {
	t, err := d.Token()
	if err != nil {
		return nil
	}
	if delim, ok := t.(json.Delim); ok && d.InputOffset() < offset {
		for i := 0; d.More(); i++ {
			step := strconv.Itoa(i)
			if delim == '{' {
				key, _ := d.Token()
				step, _ = key.(string)
			}
			if found := pathAt(d, offset, append(path, step)); found != nil {
				return found
			}
		}
		if _, err := d.Token(); err != nil {
			return nil
		}
	}
	if d.InputOffset() >= offset {
		return append([]string{}, path...)
	}
	return nil
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	default:
		return "text"
	}
}

func given(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	default:
		return "a " + kind
	}
}

// quoted returns the first scalar that a text contains in quotes.
func quoted(n *yaml.Node, text string) *yaml.Node {
	if n.Kind == yaml.ScalarNode && n.Value != "" && strings.Contains(text, strconv.Quote(n.Value)) {
		return n
	}
	for _, c := range n.Content {
		if found := quoted(c, text); found != nil {
			return found
		}
	}
	return nil
}
