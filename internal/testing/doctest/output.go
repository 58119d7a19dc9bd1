package doctest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// placeholder matches the placeholders of a page.
var placeholder = regexp.MustCompile(`<[a-z][a-z0-9-]*>`)

// literal holds texts in angle brackets that programs print.
var literal = []string{"<none>", "<unknown>", "<unset>", "<nil>", "<invalid>", "<pending>", "<error>"}

// bindings are the values of the placeholders of a page.
type bindings struct {
	values   map[string]string
	patterns map[string]string
}

// substitute replaces the placeholders of a text with their values.
func (b bindings) substitute(text string) (string, error) {
	var missing string
	text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if slices.Contains(literal, p) {
			return p
		}
		value, ok := b.values[p]
		if !ok && missing == "" {
			missing = p
		}
		return value
	})
	if missing != "" {
		return "", fmt.Errorf("%s is used before an output said what it is", missing)
	}
	return text, nil
}

// restore is the opposite of substitute, for values that are long enough not to match by accident.
func (b bindings) restore(line string) string {
	names := slices.SortedFunc(maps.Keys(b.values), func(x, y string) int { return len(b.values[y]) - len(b.values[x]) })
	for _, name := range names {
		if value := b.values[name]; len(value) >= 4 {
			line = strings.ReplaceAll(line, value, name)
		}
	}
	return line
}

var spaces = regexp.MustCompile(`(\S)[ \t]{2,}`)

// plain returns the lines of an output without what is not compared: trailing spaces, empty lines
// at the end, and the width of columns.
func plain(lines []string) []string {
	out := trimmed(lines)
	for i, l := range out {
		out[i] = spaces.ReplaceAllString(l, "$1  ")
	}
	return out
}

// trimmed returns the lines of an output without trailing spaces and empty lines at the end.
func trimmed(lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		out = append(out, strings.TrimRight(l, " \t\r"))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// incidental matches the lines that programs print only sometimes: log lines of client-go and what
// landbridge waits for, if something takes longer; what the go command downloads.
var incidental = regexp.MustCompile(`^[IWEF][0-9]{4} [0-9:.]+ |^Waiting for the running |^go: downloading `)

// withoutIncidental returns the lines without incidental ones, unless such lines are expected.
func withoutIncidental(want, got []string) []string {
	if slices.ContainsFunc(want, incidental.MatchString) {
		return got
	}
	return slices.DeleteFunc(got, incidental.MatchString)
}

// compare returns the difference between the expected and the actual output. If there is none, it
// returns "" and has set the values of new placeholders.
func (b bindings) compare(want, got []string) (string, error) {
	want, got = plain(want), plain(got)
	var pattern strings.Builder
	var names []string
	pattern.WriteString(`\A`)
	for _, l := range want {
		if strings.TrimSpace(l) == "..." {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		last := 0
		for _, at := range placeholder.FindAllStringIndex(l, -1) {
			name := l[at[0]:at[1]]
			if slices.Contains(literal, name) {
				continue
			}
			pattern.WriteString(regexp.QuoteMeta(l[last:at[0]]))
			last = at[1]
			if p, ok := b.patterns[name]; ok {
				fmt.Fprintf(&pattern, "(?:%s)", p)
			} else if value, ok := b.values[name]; ok {
				pattern.WriteString(regexp.QuoteMeta(value))
			} else {
				pattern.WriteString(`(\S+?)`)
				names = append(names, name)
			}
		}
		pattern.WriteString(regexp.QuoteMeta(l[last:]) + "\n")
	}
	pattern.WriteString(`\z`)
	expression, err := regexp.Compile(pattern.String())
	if err != nil {
		return "", fmt.Errorf("the patterns of placeholders: %w", err)
	}
	text := strings.Join(got, "\n")
	if len(got) > 0 {
		text += "\n"
	}
	found := expression.FindStringSubmatch(text)
	if found == nil {
		known := make([]string, 0, len(want))
		for _, l := range want {
			known = append(known, placeholder.ReplaceAllStringFunc(l, func(p string) string {
				if value, ok := b.values[p]; ok {
					return value
				}
				return p
			}))
		}
		return "-page, +printed:\n" + cmp.Diff(known, got), nil
	}
	fresh := map[string]string{}
	for i, name := range names {
		value := found[i+1]
		if before, ok := fresh[name]; ok && before != value {
			return fmt.Sprintf("%s stands for %q, and then for %q", name, before, value), nil
		}
		fresh[name] = value
	}
	maps.Copy(b.values, fresh)
	return "", nil
}
