package history

import (
	"fmt"
	"strings"
	"time"
)

// Cut and sensitive values in texts.
const (
	sensitiveText = "(sensitive value)"
	cutText       = "(long value)"
)

// Text returns a change in one line, such as "~ size: 1 → 2".
func (c Change) Text() string {
	was, is := shown(c.Before, c.BeforeSensitive, c.BeforeCut), shown(c.After, c.AfterSensitive, c.AfterCut)
	switch {
	case was == "":
		return fmt.Sprintf("+ %s: %s", c.Path, is)
	case is == "":
		return fmt.Sprintf("- %s: %s", c.Path, was)
	}
	return fmt.Sprintf("~ %s: %s → %s", c.Path, was, is)
}

// Text returns a value for people.
func (v Value) Text() string { return shown(v.After, v.AfterSensitive, v.AfterCut) }

func shown(value []byte, sensitive, tooLong bool) string {
	switch {
	case sensitive:
		return sensitiveText
	case tooLong:
		return cutText
	}
	return string(value)
}

// What returns the action for people.
func (e Entry) What() string {
	out := string(e.Action)
	if e.Replacement {
		out += " (replacement)"
	}
	if e.Deposed != "" {
		out += " (deposed object " + e.Deposed + ")"
	}
	return out
}

// Wish returns by whose wish it was carried out, with who has changed the spec and who has approved
// it.
func (e Entry) Wish() string {
	if by := e.Author.String(); by != "" {
		return e.Because + ", changed by " + by
	}
	return e.Because
}

// Duration returns how long it took; empty if that is not known.
func (e Entry) Duration() string {
	if e.Took == 0 {
		return ""
	}
	return (time.Duration(e.Took) * time.Millisecond).Round(time.Millisecond).String()
}

// Lines returns the changes and the message, a line for each.
func (e Entry) Lines() []string {
	var out []string
	for _, c := range e.Changes {
		out = append(out, c.Text())
	}
	if e.MoreChanges > 0 {
		out = append(out, fmt.Sprintf("… and %d more changes, which are not kept", e.MoreChanges))
	}
	if e.Message != "" {
		out = append(out, strings.TrimSpace(e.Message))
	}
	return out
}
