package model

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// claim claims the first name that is free, else the last one with a number at the end.
func claim(taken map[string]bool, names ...string) string {
	for _, n := range names {
		if n != "" && !taken[n] {
			taken[n] = true
			return n
		}
	}
	last := names[len(names)-1]
	for i := 2; ; i++ {
		if n := last + strconv.Itoa(i); !taken[n] {
			taken[n] = true
			return n
		}
	}
}

// camelCase returns the JSON name of a field: max_age_days becomes maxAgeDays. Letters after the
// first of a word keep their case.
func camelCase(name string) string {
	var b strings.Builder
	for i, w := range words(name) {
		if i == 0 {
			r, n := utf8.DecodeRuneInString(w)
			if strings.ToUpper(w) == w {
				b.WriteString(strings.ToLower(w))
				continue
			}
			b.WriteRune(unicode.ToLower(r))
			b.WriteString(w[n:])
			continue
		}
		b.WriteString(title(w))
	}
	return b.String()
}

// FieldName returns the name that a field has in custom resources unless that is taken.
func FieldName(name string) string { return camelCase(name) }

// pascalCase returns the name of a kind: ssh_key becomes SSHKey.
func pascalCase(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		b.WriteString(pascalWord(w))
	}
	return b.String()
}

// pascalWord returns a word of a kind: with a capital, or as an initialism, in which case digits or
// the s of a plural may follow it.
func pascalWord(w string) string {
	lower := strings.ToLower(w)
	letters := strings.TrimRight(lower, "0123456789")
	if written, ok := initialisms[lower]; ok {
		return written
	}
	if written, ok := initialisms[letters]; ok {
		return written + lower[len(letters):]
	}
	if one, ok := strings.CutSuffix(lower, "s"); ok && initialisms[one] != "" {
		return initialisms[one] + "s"
	}
	return title(w)
}

// GoName returns the exported Go identifier of an attribute or block, made as kinds are: cidr_block
// becomes CIDRBlock. Two names of one object may have the same.
func GoName(name string) string { return kindName(name) }

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func title(w string) string {
	r, n := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(r)) + w[n:]
}

// plural returns the plural of a kind, in lower case. It uses a few fixed rules instead of a
// dictionary, because the names of CRDs depend on it and must never change. Words that look like
// plurals stay as they are.
func plural(kind string) string {
	s := strings.ToLower(kind)
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(x string) bool { return strings.HasSuffix(s, x) })
	}
	switch {
	case ends("ss", "us", "is", "x", "z", "ch", "sh"):
		return s + "es"
	case ends("s"):
		return s
	case ends("ay", "ey", "iy", "oy", "uy"):
		return s + "s"
	case ends("y"):
		return s[:len(s)-1] + "ies"
	default:
		return s + "s"
	}
}
