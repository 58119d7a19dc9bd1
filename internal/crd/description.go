package crd

import (
	"strings"
	"unicode/utf8"

	"github.com/landbridge-io/landbridge/internal/model"
)

func (w writer) description(prefix string, f *model.Field) string {
	if w.descriptions == 0 {
		return prefix
	}
	parts := []string{}
	if prefix != "" {
		parts = append(parts, prefix)
	}
	if text := shorten(plain(f.Description), w.descriptions); text != "" {
		parts = append(parts, text)
	}
	switch message := shorten(plain(f.DeprecationMessage), w.descriptions); {
	case f.Deprecated && message != "":
		parts = append(parts, "Deprecated: "+message)
	case f.Deprecated:
		parts = append(parts, "Deprecated.")
	}
	return strings.Join(parts, "\n")
}

// plain is text of a provider, which is Markdown as a rule, in a form that survives being the
// comment of a Go type: no blanks at the ends of lines, one empty line at a time, and at the start
// of a line nothing that controller-gen takes for itself. In Markdown it means the same.
func plain(text string) string {
	var out []string
	for line := range strings.SplitSeq(strings.ToValidUTF8(text, "\uFFFD"), "\n") {
		line = strings.TrimRight(strings.Map(printable, line), " \t")
		switch bare := strings.TrimLeft(line, " \t"); {
		case line == "" && (len(out) == 0 || out[len(out)-1] == ""):
			continue
		case strings.HasPrefix(bare, "+ "):
			line = strings.Replace(line, "+", "-", 1)
		case strings.HasPrefix(bare, "+"):
			line = strings.Replace(line, "+", `\+`, 1)
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "TODO"):
			line = " " + line
		}
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// printable drops what no comment can hold.
func printable(r rune) rune {
	if r == '\uFEFF' || r < ' ' && r != '\t' || r == 0x7F {
		return -1
	}
	return r
}

// shorten cuts text to at most n bytes, at the end of a sentence if there is one in the second
// half, else of a word.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for !utf8.RuneStart(text[n]) {
		n--
	}
	cut := text[:n]
	if i := strings.LastIndex(cut, ". "); i > n/2 {
		return cut[:i+1]
	}
	if i := strings.LastIndexAny(cut, " \n"); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " \n.,;:") + "…"
}
