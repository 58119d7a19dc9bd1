package migrate

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Lines are the places of objects and their fields in files.
type Lines struct{ objects map[string]located }

type located struct {
	file string
	node *yaml.Node
}

// Add adds a file. One that is not valid YAML is not added: what reads its objects reports that.
func (l *Lines) Add(file string, content []byte) {
	for decoder := yaml.NewDecoder(bytes.NewReader(content)); ; {
		document := &yaml.Node{}
		if decoder.Decode(document) != nil {
			return
		}
		if len(document.Content) == 1 {
			l.object(file, document.Content[0])
		}
	}
}

// object adds an object, or those of a list.
func (l *Lines) object(file string, node *yaml.Node) {
	if items := child(node, "items"); items != nil && items.Kind == yaml.SequenceNode {
		for _, item := range items.Content {
			l.object(file, item)
		}
		return
	}
	text := func(names ...string) string {
		n := node
		for _, name := range names {
			if n = child(n, name); n == nil {
				return ""
			}
		}
		return n.Value
	}
	if l.objects == nil {
		l.objects = map[string]located{}
	}
	l.objects[objectKey(text("apiVersion"), text("kind"), text("metadata", "namespace"), text("metadata", "name"))] = located{file, node}
}

func objectKey(parts ...string) string { return strings.Join(parts, "\x00") }

// child returns the value of a key of a mapping; nil without it.
func child(node *yaml.Node, name string) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	return nil
}

var pathStep = regexp.MustCompile(`[^.\[\]]+|\[\d+\]`)

// Of returns the file and line of a field of an object, or of what of its path there is; empty if
// it is in no file.
func (l *Lines) Of(u *unstructured.Unstructured, path string) string {
	if l == nil {
		return ""
	}
	at, ok := l.objects[objectKey(u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName())]
	if !ok {
		return ""
	}
	node, line := at.node, at.node.Line
	for _, step := range pathStep.FindAllString(path, -1) {
		next := child(node, step)
		if i, err := strconv.Atoi(strings.Trim(step, "[]")); err == nil && next == nil &&
			node.Kind == yaml.SequenceNode && i < len(node.Content) {
			next = node.Content[i]
		}
		if next == nil {
			break
		}
		if node.Kind == yaml.MappingNode {
			line = keyLine(node, step)
		} else {
			line = next.Line
		}
		node = next
	}
	return fmt.Sprintf("%s:%d", at.file, line)
}

// keyLine returns the line of a key of a mapping.
func keyLine(node *yaml.Node, name string) int {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i].Line
		}
	}
	return node.Line
}
