package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/text"
)

func TestShorten(t *testing.T) {
	for name, test := range map[string]struct {
		s    string
		n    int
		want string
	}{
		"empty":                {"", 0, ""},
		"short":                {"abc", 3, "abc"},
		"long":                 {"abcd", 3, "abc…"},
		"a character is whole": {"aäb", 2, "a…"},
		"nothing fits":         {"äb", 1, "…"},
		"foreign bytes":        {"a\xffbc", 3, "ab…"},
		"continuation bytes":   {"\x80\x80\x80", 2, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, text.Shorten(test.s, test.n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFit(t *testing.T) {
	for name, test := range map[string]struct {
		s    string
		n    int
		want string
	}{
		"empty":      {"", 0, ""},
		"short":      {"äbc", 3, "äbc"},
		"long":       {"äbcd", 3, "äb…"},
		"one column": {"ab", 1, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, text.Fit(test.s, test.n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A shortened text is the beginning of the text, no longer than its limit, and valid.
func TestLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "s"), rapid.IntRange(0, 40).Draw(t, "n")
		short := text.Shorten(s, n)
		begin := strings.TrimSuffix(short, "…")
		if short != s && (!strings.HasPrefix(s, begin) || len(begin) > n || n-len(begin) >= utf8.UTFMax || !utf8.ValidString(short)) {
			t.Errorf("Shorten(%q, %d) = %q", s, n, short)
		}
		if fit := text.Fit(s, n); fit != s && utf8.RuneCountInString(fit) != max(n, 1) {
			t.Errorf("Fit(%q, %d) = %q", s, n, fit)
		}
	})
}
