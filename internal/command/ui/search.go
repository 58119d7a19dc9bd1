package ui

import (
	"slices"
	"strings"
)

// maxFound bounds the objects that a search shows, and maxQuery what is searched.
const (
	maxFound = 100
	maxQuery = 200
)

// Search is what was found.
type Search struct {
	Query string `json:"query"`
	// Count is the number of objects that were found, and Found are the best, at most 100.
	Count int     `json:"count"`
	Found []Found `json:"found"`
	// Partial is set if values of some objects were not searched, since there are too many.
	Partial bool `json:"partial,omitempty"`
}

// Found is an object that was found.
type Found struct {
	Line
	// Where it was found, such as identity, with the text there.
	Where string `json:"where"`
	Text  string `json:"text"`
	rank  int
}

// More is the number of objects that are not shown.
func (s Search) More() int { return s.Count - len(s.Found) }

// SearchIn returns the objects one of whose texts contains a query, in upper or lower case. Those
// that are called so, or have the identity, come first.
func SearchIn(c Content, query string) Search {
	query = strings.TrimSpace(query)
	if runes := []rune(query); len(runes) > maxQuery {
		query = string(runes[:maxQuery])
	}
	out := Search{Query: query, Found: []Found{}, Partial: c.Full}
	wanted := strings.ToLower(strings.ReplaceAll(query, "\n", " "))
	if wanted == "" {
		return out
	}
	var best [worst + 1][]hit
	for _, e := range c.Entries {
		if h, ok := find(e, wanted); ok {
			if out.Count++; len(best[h.rank]) < maxFound {
				best[h.rank] = append(best[h.rank], h)
			}
		}
	}
	all := slices.Concat(best[:]...)
	for _, h := range all[:min(len(all), maxFound)] {
		where, text, _ := strings.Cut(h.line, "=")
		out.Found = append(out.Found, Found{Line: h.entry.Line(), Where: where, Text: text, rank: h.rank})
	}
	return out
}

// hit is an entry that was found. The lower the rank, the better.
type hit struct {
	entry *Entry
	line  string
	rank  int
}

// find returns the best line of an entry that contains a text in lower case.
func find(e *Entry, wanted string) (best hit, ok bool) {
	for rest := e.text; ; {
		i := strings.Index(rest, wanted)
		if i < 0 {
			return best, ok
		}
		start := strings.LastIndexByte(rest[:i], '\n') + 1
		end := len(rest)
		if j := strings.IndexByte(rest[i:], '\n'); j >= 0 {
			end = i + j
		}
		line := rest[start:end]
		if rank := rankOf(line, wanted); rank >= 0 && (!ok || rank < best.rank) {
			best, ok = hit{e, line, rank}, true
		}
		if end == len(rest) || ok && best.rank == 0 {
			return best, ok
		}
		rest = rest[end+1:]
	}
}

// worst is the highest rank.
const worst = 2

// rankOf returns how well a line matches; -1 if only its name does.
func rankOf(line, wanted string) int {
	_, value, _ := strings.Cut(line, "=")
	switch i := strings.Index(value, wanted); {
	case i < 0:
		return -1
	case value == wanted:
		return 0
	case i == 0:
		return 1
	default:
		return worst
	}
}
