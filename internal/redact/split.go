package redact

import (
	"regexp"
	"slices"
	"strings"
)

// maxSplit bounds the length of texts in which secrets over several lines are looked for, in bytes.
const maxSplit = 256 << 10

// breaks are line breaks, also as they are in JSON, with indentation and the frames of Terraform's
// messages around them.
var breaks = regexp.MustCompile(`[ \t]*(?:\r?\n|(?:\\r)?\\n)(?:[ \t]|│|\||>)*`)

// replaceSplit replaces the secrets that text breaks over lines, at any place or instead of a
// space.
func (p *Replacer) replaceSplit(text string) string {
	if p.long == nil || len(text) > maxSplit || !strings.Contains(text, "\n") && !strings.Contains(text, `\n`) {
		return text
	}
	for _, joint := range []string{"", " "} {
		text = p.split().replace(text, breaks, joint)
	}
	return text
}

// blanks are line breaks in a text that was put into one line.
var blanks = regexp.MustCompile(`[ \t]+`)

// ReplaceInLine is Replace for a message that was put into one line: secrets are also found that it
// had broken over lines.
func (p *Replacer) ReplaceInLine(text string) string {
	text = p.Replace(text)
	if p.long == nil || len(text) > maxSplit {
		return text
	}
	return p.blankless().replace(text, blanks, "")
}

// finder finds secrets in pieces.
type finder struct {
	secrets []string // the longest first
	any     *strings.Replacer
}

// newFinder returns a finder of those secrets that are long enough to be recognised in pieces.
func newFinder(secrets []string) finder {
	long := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return len(s) < minLine || len(s) > maxSplit })
	slices.SortFunc(long, func(a, b string) int { return len(b) - len(a) })
	return finder{long, replacing(long)}
}

// replace replaces the secrets in a text that stand there with breaks in place of joint.
func (f finder) replace(text string, breaks *regexp.Regexp, joint string) string {
	at := breaks.FindAllStringIndex(text, -1)
	if len(at) == 0 || len(f.secrets) == 0 {
		return text
	}
	// from has the place in text of each byte of joined.
	var joined strings.Builder
	from := make([]int, 0, len(text)+1)
	add := func(begin, end int) {
		joined.WriteString(text[begin:end])
		for i := begin; i < end; i++ {
			from = append(from, i)
		}
	}
	done := 0
	for _, b := range at {
		add(done, b[0])
		for range joint {
			from = append(from, b[0])
		}
		joined.WriteString(joint)
		done = b[1]
	}
	add(done, len(text))
	whole := joined.String()
	if f.any.Replace(whole) == whole { // faster than what follows
		return text
	}
	var out strings.Builder
	done = 0
	for i := 0; i < len(whole); {
		s := f.at(whole[i:])
		if s == "" || from[i] < done {
			i++
			continue
		}
		out.WriteString(text[done:from[i]])
		out.WriteString(Concealed)
		i += len(s)
		done = from[i-1] + 1
	}
	out.WriteString(text[done:])
	return out.String()
}

// at returns the longest secret that a text begins with, or "".
func (f finder) at(text string) string {
	for _, s := range f.secrets {
		if strings.HasPrefix(text, s) {
			return s
		}
	}
	return ""
}
