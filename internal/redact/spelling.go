package redact

import (
	"bytes"
	"encoding/json"
	"iter"
	"net/url"
	"strconv"
	"strings"
)

// minLine is the length from which on a line of a secret is a secret by itself, in bytes. Shorter
// ones, such as the braces of a JSON document, would be found everywhere.
const minLine = 8

// spellings returns the texts by which a secret can be recognised. White space alone is no secret.
func spellings(secret string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if strings.TrimSpace(secret) == "" {
			return
		}
		forms := []string{secret, strings.TrimSpace(secret)}
		if lines := strings.Split(secret, "\n"); len(lines) > 1 {
			for _, line := range lines {
				if line = strings.TrimSpace(line); len(line) >= minLine {
					forms = append(forms, line)
				}
			}
		}
		for _, form := range forms {
			for _, s := range []string{
				form,
				string([]rune(form)), // with what a text has in the place of invalid UTF-8
				url.QueryEscape(form),
				url.PathEscape(form),
				inJSON(form, true),
				inJSON(form, false),
				unquoted(strconv.Quote(form)),
				unquoted(strconv.QuoteToASCII(form)),
			} {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// inJSON returns a text as it is in a JSON string. Encoders differ on <, > and &.
func inJSON(text string, escapeHTML bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(text) // strings can be encoded
	return unquoted(strings.TrimSuffix(b.String(), "\n"))
}

func unquoted(s string) string { return s[1 : len(s)-1] }
