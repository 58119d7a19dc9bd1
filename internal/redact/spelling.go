package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/url"
	"regexp"
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
				component(form),
				lowerHex(url.QueryEscape(form)),
				lowerHex(url.PathEscape(form)),
				lowerHex(component(form)),
				url.User(form).String(),
				inJSON(form, true),
				inJSON(form, false),
				unquoted(strconv.Quote(form)),
				unquoted(strconv.QuoteToASCII(form)),
			} {
				if !yield(s) {
					return
				}
			}
			for _, s := range inBase64(form) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// component returns a text as a part of a URL, with all that is escaped in any part.
func component(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// escape is an escaped byte in a URL.
var escape = regexp.MustCompile("%[0-9A-F]{2}")

// lowerHex returns a part of a URL with escapes in lower case.
func lowerHex(part string) string { return escape.ReplaceAllStringFunc(part, strings.ToLower) }

// minEncoded is the length from which on the encoding of a secret is a secret by itself, in bytes
// of the secret. Of those above maxEncoded, which would take much memory, only the lines are found.
const minEncoded, maxEncoded = 6, 16 << 10

// inBase64 returns what a text looks like in base64: alone, also in lines, and within a longer
// text, such as a user and a password, where its first and last characters depend on what is beside
// it.
func inBase64(text string) []string {
	if len(text) < minEncoded || len(text) > maxEncoded {
		return nil
	}
	var out []string
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		alone := e.EncodeToString([]byte(text))
		out = append(out, alone, e.WithPadding(base64.StdPadding).EncodeToString([]byte(text)))
		for _, length := range []int{64, 76} {
			for lines := alone; len(alone) > length && len(lines) >= minLine; lines = lines[min(length, len(lines)):] {
				line := lines[:min(length, len(lines))]
				out = append(out, line, line+strings.Repeat("=", -len(line)&3))
			}
		}
		for before := range 3 {
			// The characters that have bits of neighbours are left out.
			encoded := e.EncodeToString([]byte(strings.Repeat("x", before) + text))
			first, last := (8*before+5)/6, 8*(before+len(text))/6
			if part := encoded[first:last]; len(part) >= minLine {
				out = append(out, part)
			}
		}
	}
	return out
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
