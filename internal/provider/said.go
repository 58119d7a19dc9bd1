package provider

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/redact"
)

// Said is what a request contained. An error that quotes it says nothing about the provider
// configuration: whoever writes a resource chooses the words. The zero value is a request without
// values.
type Said struct {
	texts []string
	// names are those of map elements and attributes. They are not struck out, since schemas have
	// names such as rate_limit.
	names []string
}

// Add adds the texts and numbers of values, and the names in them.
func (s *Said) Add(values ...cty.Value) {
	for _, v := range values {
		if v == cty.NilVal {
			continue
		}
		v, _ = v.UnmarkDeep()
		_ = cty.Walk(v, func(_ cty.Path, x cty.Value) (bool, error) {
			if !x.IsKnown() || x.IsNull() {
				return false, nil
			}
			switch t := x.Type(); {
			case t == cty.String:
				s.AddText(x.AsString())
			case t == cty.Number:
				s.AddText(x.AsBigFloat().Text('f', -1))
			case t.IsObjectType(), t.IsMapType():
				for it := x.ElementIterator(); it.Next(); {
					name, _ := it.Element()
					s.names = append(s.names, name.AsString())
				}
			}
			return true, nil
		})
	}
}

// AddText adds texts.
func (s *Said) AddText(texts ...string) { s.texts = append(s.texts, texts...) }

// AddDynamic adds the values of a request of the plugin protocol.
func (s *Said) AddDynamic(values ...*tfprotov6.DynamicValue) {
	for _, d := range values {
		if d == nil || len(d.MsgPack) == 0 {
			continue
		}
		t, err := ctymsgpack.ImpliedType(d.MsgPack)
		if err == nil {
			var v cty.Value
			if v, err = ctymsgpack.Unmarshal(d.MsgPack, t); err == nil {
				s.Add(v)
			}
		}
		if err != nil {
			s.AddText(string(d.MsgPack)) // the texts are in it as they are
		}
	}
}

// AddIdentity adds the values of identities.
func (s *Said) AddIdentity(identities ...*tfprotov6.ResourceIdentityData) {
	for _, i := range identities {
		if i != nil {
			s.AddDynamic(i.IdentityData)
		}
	}
}

// find returns the first match of a pattern in the text of an error that is not a quotation of the
// request.
func (s Said) find(pattern *regexp.Regexp, text string) string {
	first := pattern.FindString(text)
	if first == "" || len(s.texts)+len(s.names) == 0 {
		return first
	}
	q := s.quotations()
	for _, match := range pattern.FindAllString(q.struck(text), -1) {
		if !q.has(match) {
			return match
		}
	}
	return ""
}

// quotations recognises what was said.
type quotations struct {
	redactor redact.Redactor
	// texts and names are in the form of plain.
	texts, names []string
}

func (s Said) quotations() *quotations {
	out := &quotations{}
	for _, text := range s.texts {
		for _, form := range decoded(text, 2) {
			out.redactor.AddStrings(form)
			out.texts = append(out.texts, plain(form))
		}
	}
	for _, name := range s.names {
		out.names = append(out.names, plain(name))
	}
	return out
}

// struck returns a text without the values of the request.
func (q *quotations) struck(text string) string { return q.redactor.Replace(text) }

// number is a number in a text, such as 429.
var number = regexp.MustCompile(`\d{3,}`)

// has reports whether the words of a match are from the request. Providers quote parts of values,
// too, such as one of the numbers of an id beside a word of their own.
func (q *quotations) has(match string) bool {
	words := plain(match)
	for _, text := range append(q.texts, q.names...) {
		if strings.Contains(text, words) {
			return true
		}
	}
	for _, n := range number.FindAllString(match, -1) {
		for _, text := range q.texts {
			if strings.Contains(text, n) {
				return true
			}
		}
	}
	return false
}

// plain returns the letters and digits of a text, in lower case.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// decoded returns a text and what a provider may decode it to, in so many steps.
func decoded(text string, steps int) []string {
	out := []string{text}
	if steps == 0 || len(text) > 64<<10 {
		return out
	}
	add := func(s string, err error) {
		if err == nil && s != "" && s != text {
			out = append(out, decoded(s, steps-1)...)
		}
	}
	add(url.PathUnescape(text))
	add(url.QueryUnescape(text))
	add(html.UnescapeString(text), nil)
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if b, err := e.DecodeString(text); err == nil {
			add(string(b), nil)
		}
	}
	var document any
	if json.Unmarshal([]byte(text), &document) == nil {
		for _, s := range textsIn(document) {
			add(s, nil)
		}
	} else if json.Unmarshal([]byte(`"`+text+`"`), &document) == nil {
		add(document.(string), nil) // a text with escapes
	}
	return out
}

// textsIn returns the texts and names in a decoded JSON document.
func textsIn(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, x := range v {
			out = append(out, textsIn(x)...)
		}
	case map[string]any:
		for name, x := range v {
			out = append(append(out, name), textsIn(x)...)
		}
	}
	return out
}
