package crd

import (
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/text"
)

// description returns the description of a field. complete is set where objects have all fields
// that are required of them.
func (w writer) description(prefix string, f *model.Field, complete bool) string {
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
	if text := w.requirement(f, complete); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

const requirement = "Required unless "

// requirement says that a field is required where the schema does not: by a rule, or only the
// provider requires it.
func (w writer) requirement(f *model.Field, complete bool) string {
	referred := w.references && f.Reference != nil
	switch {
	case w.status || !f.Required, complete && !w.demanded:
		return ""
	case complete && referred:
		return requirement + f.Reference.Ref + " or " + f.Reference.Selector + " is given, or spec.references sets it."
	case complete, w.data:
		return requirement + "spec.references sets it."
	case referred:
		return requirement + f.Reference.Ref + ", " + f.Reference.Selector + " or initProvider has it, or the object is only observed."
	default:
		return requirement + "initProvider has it or the object is only observed."
	}
}

// WithoutRequirement returns the description of a field without the sentence that it is required.
func WithoutRequirement(description string) string {
	if strings.HasPrefix(description, requirement) {
		return ""
	}
	if i := strings.LastIndex(description, "\n"+requirement); i >= 0 {
		return description[:i]
	}
	return description
}

// plain returns a provider's text, which usually is Markdown, in a form that stays the same as a Go
// comment: without trailing blanks, repeated empty lines, and line starts that are special to
// controller-gen. Its meaning in Markdown does not change.
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

// printable removes characters that comments cannot contain.
func printable(r rune) rune {
	if r == '\uFEFF' || r < ' ' && r != '\t' || r == 0x7F {
		return -1
	}
	return r
}

// shorten shortens text to at most n bytes. It cuts after a sentence that ends in the second half,
// else after a word.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := text.Prefix(s, n)
	if i := strings.LastIndex(cut, ". "); i > n/2 {
		return cut[:i+1]
	}
	if i := strings.LastIndexAny(cut, " \n"); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " \n.,;:") + "…"
}
