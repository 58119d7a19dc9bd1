package ui

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/landbridge-io/landbridge/internal/command/explain"
)

// pageSize is the number of objects in a view.
const pageSize = 200

// Filter selects objects. Empty fields select all.
type Filter struct {
	Namespace string `json:"namespace,omitempty"`
	Provider  string `json:"provider,omitempty"`
	Kind      string `json:"kind,omitempty"`
	State     string `json:"state,omitempty"`
	// Page counts from 1.
	Page int `json:"page"`
}

// filterOf reads a filter from the query of an address.
func filterOf(q url.Values) Filter {
	page, _ := strconv.Atoi(q.Get("page")) // 0 is the first one, too
	return Filter{q.Get("namespace"), q.Get("provider"), q.Get("kind"), q.Get("state"), max(page, 1)}
}

// fields are the fields that select, in the order of the view.
var fields = []string{"namespace", "provider", "kind", "state"}

func (f *Filter) field(name string) *string {
	return map[string]*string{"namespace": &f.Namespace, "provider": &f.Provider, "kind": &f.Kind, "state": &f.State}[name]
}

// Path is the address of the view with the filter.
func (f Filter) Path() string {
	q := url.Values{}
	for _, name := range fields {
		if v := *f.field(name); v != "" {
			q.Set(name, v)
		}
	}
	if f.Page > 1 {
		q.Set("page", strconv.Itoa(f.Page))
	}
	if len(q) == 0 {
		return "/estate"
	}
	return "/estate?" + q.Encode()
}

// Estate are the objects that a filter selects.
type Estate struct {
	Filter Filter `json:"filter"`
	// Total is the number of all objects, and Count that of those that are selected.
	Total  int     `json:"total"`
	Count  int     `json:"count"`
	Facets []Facet `json:"facets"`
	// Objects are those of the page.
	Objects []Line `json:"objects"`
	Pages   int    `json:"pages"`
}

// Facet counts the selected objects by the values of a field, whatever the filter says of that
// field.
type Facet struct {
	Field  string  `json:"field"`
	Values []Value `json:"values"`
}

// Value is a value of a field, and how many objects have it.
type Value struct {
	Value    string `json:"value"`
	Count    int    `json:"count"`
	Selected bool   `json:"selected,omitempty"`
	// Path is the address of the view that selects the value, or if it is selected, no value.
	Path string `json:"-"`
}

// Previous and Next are the addresses of the pages before and after; "" if there is none.
func (e Estate) Previous() string { return e.at(e.Filter.Page - 1) }

// Next is the address of the page after this one; "" if there is none.
func (e Estate) Next() string { return e.at(e.Filter.Page + 1) }

func (e Estate) at(page int) string {
	if page < 1 || page > e.Pages {
		return ""
	}
	f := e.Filter
	f.Page = page
	return f.Path()
}

// EstateOf returns the objects that a filter selects.
func EstateOf(c Content, f Filter) Estate {
	out := Estate{Filter: f, Total: len(c.Entries), Objects: []Line{}}
	counts := map[string]map[string]int{}
	for _, name := range fields {
		counts[name] = map[string]int{}
	}
	for _, e := range c.Entries {
		misses, missed := 0, ""
		values := valuesOf(e)
		for i, name := range fields {
			if want := *f.field(name); want != "" && want != values[i] {
				misses, missed = misses+1, name
			}
		}
		for i, name := range fields {
			if misses == 0 || misses == 1 && missed == name {
				counts[name][values[i]]++
			}
		}
		if misses > 0 {
			continue
		}
		if out.Count/pageSize == f.Page-1 {
			out.Objects = append(out.Objects, e.Line())
		}
		out.Count++
	}
	out.Pages = max(1, (out.Count+pageSize-1)/pageSize)
	for _, name := range fields {
		out.Facets = append(out.Facets, facetOf(f, name, counts[name]))
	}
	return out
}

// valuesOf returns the values of fields of an object.
func valuesOf(e *Entry) [4]string {
	return [4]string{cmp.Or(e.Key.Namespace, none), providerName(e), kindOf(e.Key), string(e.Health)}
}

// providerName returns the name of what serves the kind of an object, else its group.
func providerName(e *Entry) string {
	if owner := e.Owner(); owner != (explain.Key{}) {
		return owner.Name
	}
	return e.Key.Group
}

func facetOf(f Filter, name string, counts map[string]int) Facet {
	out := Facet{Field: name, Values: []Value{}}
	selected := *f.field(name)
	for value, n := range counts {
		to := f
		to.Page = 1
		*to.field(name) = value
		if value == selected {
			*to.field(name) = ""
		}
		out.Values = append(out.Values, Value{value, n, value == selected, to.Path()})
	}
	slices.SortFunc(out.Values, func(a, b Value) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return out
}
