package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// excerptLines is the most lines of a log that an error has.
const excerptLines = 5

// withLog adds to an error what belongs to it in the controller's log: the last lines about an
// object, or else the last errors, or else the last lines. object is a name, and may be empty.
func withLog(err error, path, object string) error {
	content, readErr := os.ReadFile(path)
	if readErr != nil {
		return err
	}
	lines := excerpt(content, object)
	if len(lines) == 0 {
		return fmt.Errorf("%w\nThe controller's log is %s", err, path)
	}
	return fmt.Errorf("%w\n\nFrom the controller's log, %s:\n  %s", err, path, strings.Join(lines, "\n  "))
}

// excerpt returns a few lines of a log, without stack traces.
func excerpt(content []byte, object string) []string {
	var ofObject, errors, all []string
	for raw := range bytes.Lines(content) {
		line, level, ok := readable(raw)
		if !ok {
			continue
		}
		all = append(all, line)
		if object != "" && (bytes.Contains(raw, []byte(`"`+object+`"`)) || bytes.Contains(raw, []byte("/"+object+`"`))) {
			ofObject = append(ofObject, line)
		}
		if level == "error" {
			errors = append(errors, line)
		}
	}
	for _, lines := range [][]string{ofObject, errors, all} {
		if len(lines) > 0 {
			return lines[max(0, len(lines)-excerptLines):]
		}
	}
	return nil
}

// readable returns a line of the controller's log for people, and its level: what is no JSON is
// returned as it is. ok is false for an empty line.
func readable(raw []byte) (line, level string, ok bool) {
	raw = bytes.TrimSpace(raw)
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return string(raw), "", len(raw) > 0
	}
	take := func(name string) string {
		v, found := fields[name]
		delete(fields, name)
		if !found {
			return ""
		}
		return fmt.Sprint(v)
	}
	var out string
	if at, err := time.Parse(time.RFC3339, take("ts")); err == nil {
		out = at.Format(time.TimeOnly) + " "
	}
	level = take("level")
	out += cmp.Or(level, "info") + " " + take("msg")
	if e := take("error"); e != "" {
		out += ": " + e
	}
	for _, name := range []string{"stacktrace", "logger", "reconcileID", "controllerGroup", "controllerKind", "controller"} {
		delete(fields, name)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		if _, text := value.(string); !text {
			b, err := json.Marshal(value)
			if err != nil {
				continue
			}
			value = string(b)
		}
		out += fmt.Sprintf(" %s=%s", name, value)
	}
	return strings.Join(strings.Fields(out), " "), level, true
}
