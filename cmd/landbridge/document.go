package main

import (
	"encoding/json"
	"io"

	"sigs.k8s.io/yaml"
)

// writeDocument writes a value as JSON if the format is json, and else as YAML.
func writeDocument(w io.Writer, format string, v any) error {
	if format == "json" {
		return writeJSON(w, v)
	}
	raw, err := yaml.Marshal(v)
	if err == nil {
		_, err = w.Write(raw)
	}
	return err
}

// writeJSON writes a value as JSON of several lines, in which characters of HTML are not escaped.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
