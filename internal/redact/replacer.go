package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxShort is the length up to which a secret is only replaced where it stands alone, in bytes.
const maxShort = 3

// Replacer replaces the secrets that a Redactor knew when the Replacer was made. It is safe for
// concurrent use.
type Replacer struct {
	long  *strings.Replacer // nil without long secrets
	short []string
	// split finds secrets over several lines, and blankless without the blanks in them.
	split, blankless func() finder
}

func newReplacer(known map[string]struct{}) *Replacer {
	var long []string
	out := &Replacer{}
	for s := range known {
		if len(s) <= maxShort {
			out.short = append(out.short, s)
		} else {
			long = append(long, s)
		}
	}
	// The longest first: a secret may be part of another.
	byLength := func(a, b string) int { return len(b) - len(a) }
	slices.SortFunc(out.short, byLength)
	slices.SortFunc(long, byLength)
	if len(long) > 0 {
		out.long = replacing(long)
		out.split = sync.OnceValue(func() finder { return newFinder(long) })
		out.blankless = sync.OnceValue(func() finder {
			without := make([]string, len(long))
			for i, s := range long {
				without[i] = blanks.ReplaceAllString(s, "")
			}
			return newFinder(without)
		})
	}
	return out
}

// replacing returns a replacer for secrets, the longest of which come first.
func replacing(secrets []string) *strings.Replacer {
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range secrets {
		pairs = append(pairs, s, Concealed)
	}
	return strings.NewReplacer(pairs...)
}

func (p *Replacer) empty() bool { return p.long == nil && len(p.short) == 0 }

// Replace returns a text without the secrets.
func (p *Replacer) Replace(text string) string {
	if len(p.short) == 0 {
		return p.replaceLong(text)
	}
	// The placeholders of long secrets are not searched for short ones.
	parts := strings.Split(p.replaceLong(text), Concealed)
	for i, part := range parts {
		parts[i] = p.replaceShort(part)
	}
	return strings.Join(parts, Concealed)
}

func (p *Replacer) replaceLong(text string) string {
	if p.long == nil {
		return text
	}
	return p.replaceSplit(p.long.Replace(text))
}

// replaceShort replaces the short secrets that stand alone.
func (p *Replacer) replaceShort(text string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if s := p.shortAt(text[done:], i-done); s != "" {
			out.WriteString(text[done:i])
			out.WriteString(Concealed)
			i += len(s)
			done = i
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// shortAt returns the short secret at a place in a text, if it stands alone there.
func (p *Replacer) shortAt(text string, at int) string {
	before, rest := text[:at], text[at:]
	last, _ := utf8.DecodeLastRuneInString(before)
	if at > 0 && isWord(last) {
		return ""
	}
	for _, s := range p.short {
		if !strings.HasPrefix(rest, s) {
			continue
		}
		after := rest[len(s):]
		first, _ := utf8.DecodeRuneInString(after)
		if (after == "" || !isWord(first)) && !inNumber(before, s, after) {
			return s
		}
	}
	return ""
}

// inNumber reports whether a digit at the end of before, or at the beginning of after, continues a
// number with the secret between them.
func inNumber(before, secret, after string) bool {
	n := len(before)
	return n > 1 && isDigit(before[n-2]) && before[n-1] == '.' && isDigit(secret[0]) ||
		len(after) > 1 && isDigit(secret[len(secret)-1]) && after[0] == '.' && isDigit(after[1])
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
