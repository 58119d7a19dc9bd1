package redact

import (
	"regexp"
	"strings"
)

// maxSplit bounds the length of texts in which secrets over several lines are looked for, in bytes.
const maxSplit = 256 << 10

// breaks are line breaks, also as they are in JSON, with indentation and the frames of Terraform's messages around them.
var breaks = regexp.MustCompile(`[ \t]*(?:\r?\n|(?:\\r)?\\n)(?:[ \t]|│|\||>)*`)

// replaceSplit replaces the secrets that text breaks over lines, at any place or instead of a space.
func (p *Replacer) replaceSplit(text string) string {
	if p.long == nil || len(text) > maxSplit || !strings.Contains(text, "\n") && !strings.Contains(text, `\n`) {
		return text
	}
	for _, joint := range []string{"", " "} {
		text = p.replaceJoined(text, joint)
	}
	return text
}

// replaceJoined replaces the secrets in a text that stand there with line breaks in place of joint.
func (p *Replacer) replaceJoined(text, joint string) string {
	at := breaks.FindAllStringIndex(text, -1)
	if len(at) == 0 {
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
	from = append(from, len(text))
	whole := joined.String()
	if p.long.Replace(whole) == whole { // faster than what follows
		return text
	}
	var out strings.Builder
	done = 0
	for i := 0; i < len(whole); {
		s := p.longAt(whole[i:])
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

// longAt returns the longest secret that a text begins with and that is long enough to be recognised in pieces, or "".
func (p *Replacer) longAt(text string) string {
	for _, s := range p.splittable {
		if strings.HasPrefix(text, s) {
			return s
		}
	}
	return ""
}
