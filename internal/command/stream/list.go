package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// List writes an object whose first member is a list.
type List struct {
	Out io.Writer
	// Name is that of the member.
	Name string
	// YAML selects YAML instead of JSON.
	YAML bool
	n    int
}

// Write adds elements, in one write.
func (l *List) Write(elements ...any) error {
	var b bytes.Buffer
	for _, e := range elements {
		if err := l.add(&b, e); err != nil {
			return err
		}
		l.n++
	}
	_, err := l.Out.Write(b.Bytes())
	return err
}

func (l *List) add(b *bytes.Buffer, element any) error {
	if l.YAML {
		if l.n == 0 {
			fmt.Fprintf(b, "%s:\n", l.Name)
		}
		raw, err := yaml.Marshal([]any{element})
		b.Write(raw)
		return err
	}
	if l.n == 0 {
		fmt.Fprintf(b, "{\n  %q: [\n    ", l.Name)
	} else {
		b.WriteString(",\n    ")
	}
	err := writeJSON(b, "    ", element)
	b.Truncate(b.Len() - 1) // the line's end
	return err
}

// Close ends the list, and adds the members of another object; nil for none.
func (l *List) Close(others any) error {
	if others == nil {
		others = struct{}{}
	}
	var b bytes.Buffer
	var err error
	if l.YAML {
		err = l.endYAML(&b, others)
	} else {
		err = l.endJSON(&b, others)
	}
	if err == nil {
		_, err = l.Out.Write(b.Bytes())
	}
	return err
}

func (l *List) endYAML(b *bytes.Buffer, others any) error {
	if l.n == 0 {
		fmt.Fprintf(b, "%s: []\n", l.Name)
	}
	raw, err := yaml.Marshal(others)
	if string(raw) != "{}\n" {
		b.Write(raw)
	}
	return err
}

func (l *List) endJSON(b *bytes.Buffer, others any) error {
	if l.n == 0 {
		fmt.Fprintf(b, "{\n  %q: []", l.Name)
	} else {
		b.WriteString("\n  ]")
	}
	var raw bytes.Buffer
	err := writeJSON(&raw, "", others)
	if members, ok := bytes.CutPrefix(raw.Bytes(), []byte("{\n")); ok {
		b.WriteString(",\n")
		b.Write(members)
	} else {
		b.WriteString("\n}\n")
	}
	return err
}

func writeJSON(out io.Writer, prefix string, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	return e.Encode(v)
}
