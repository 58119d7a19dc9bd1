package tfjson

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// ASCII returns JSON in which all characters outside ASCII are escaped, because the parser of the
// JSON syntax takes a quote and a combining character after it, or a letter that combines with a
// quote, for one character.
func ASCII(raw []byte) []byte {
	var out []byte
	for _, r := range string(raw) {
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
	}
	return out
}
