package text

import (
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// Prefix returns s if it has at most n bytes, else its first n bytes, or fewer, so that no
// character is split.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten returns s if it has at most n bytes, else its Prefix and an ellipsis. The result of a
// longer text is valid UTF-8.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(Prefix(s, n), "") + ellipsis
}

// Fit returns s if it has at most n characters, else n characters, the last of which is an
// ellipsis.
func Fit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + ellipsis
}
