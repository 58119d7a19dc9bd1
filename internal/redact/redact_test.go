package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/redact"
)

// wrapped returns a text in base64, in lines of a length.
func wrapped(text string, length int) string {
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	return encoded[:length] + "\n" + encoded[length:]
}

func TestReplace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		secrets []string
		value   cty.Value
		in      string
		want    string
	}{
		"no secret known": {in: "hunter2", want: "hunter2"},
		"plain": {
			secrets: []string{"hunter2"}, in: `the password "hunter2" is short`,
			want: `the password "(sensitive value)" is short`,
		},
		"longest first":              {secrets: []string{"hunter2", "hunter2-and-more"}, in: "hunter2-and-more", want: "(sensitive value)"},
		"JSON":                       {secrets: []string{"a\"b\nc"}, in: `{"x":"a\"b\nc"}`, want: `{"x":"(sensitive value)"}`},
		"JSON with escaped HTML":     {secrets: []string{`a"b<c`}, in: `{"x":"a\"b\u003cc"}`, want: `{"x":"(sensitive value)"}`},
		"JSON with plain HTML":       {secrets: []string{`a"b<c`}, in: `{"x":"a\"b<c"}`, want: `{"x":"(sensitive value)"}`},
		"Go's quoting":               {secrets: []string{"a\"b\x01c"}, in: `cannot parse "a\"b\x01c"`, want: `cannot parse "(sensitive value)"`},
		"Go's ASCII quoting":         {secrets: []string{"pässword"}, in: `bad: "p\u00e4ssword"`, want: `bad: "(sensitive value)"`},
		"URL query":                  {secrets: []string{"p ss/w&rd"}, in: "GET /?p=p+ss%2Fw%26rd", want: "GET /?p=(sensitive value)"},
		"URL path":                   {secrets: []string{"p ss/w&rd"}, in: "GET /p%20ss%2Fw&rd", want: "GET /(sensitive value)"},
		"URL without the line break": {secrets: []string{"p/ss w\n"}, in: "GET /p%2Fss%20w HTTP/1.1", want: "GET /(sensitive value) HTTP/1.1"},
		"URL component":              {secrets: []string{"p ss/w&rd"}, in: "GET /?p=p%20ss%2Fw%26rd", want: "GET /?p=(sensitive value)"},
		"URL in lower case": {
			secrets: []string{"p ss/w&rd"}, in: "GET /?p=p%20ss%2fw%26rd&q=p+ss%2fw%26rd",
			want: "GET /?p=(sensitive value)&q=(sensitive value)",
		},
		"URL with a password": {
			secrets: []string{"p:ss/w@rd"},
			in:      (&url.URL{Scheme: "https", User: url.UserPassword("u", "p:ss/w@rd"), Host: "h"}).String(),
			want:    "https://u:(sensitive value)@h",
		},
		"over lines": {
			secrets: []string{"hunter2-and-more"}, in: "no: hunter2-\nand-\r\n  more.", want: "no: (sensitive value).",
		},
		"over lines of a message": {
			secrets: []string{"hunter2-and-more"}, in: "│ no: hunter2-an\n│ d-more\n│ at all",
			want: "│ no: (sensitive value)\n│ at all",
		},
		"over lines of JSON": {
			secrets: []string{"hunter2-and-more"}, in: `{"x":"hunter2-an\nd-more"}`, want: `{"x":"(sensitive value)"}`,
		},
		"over lines between words": {
			secrets: []string{"correct horse battery"}, in: "not correct\nhorse\n  battery, no",
			want: "not (sensitive value), no",
		},
		"twice over lines": {
			secrets: []string{"hunter2-and-more"}, in: "hunter2\n-and-more hunter2-and-\nmore hunter2",
			want: "(sensitive value) (sensitive value) hunter2",
		},
		"another over lines": {secrets: []string{"hunter2-and-more"}, in: "hunter2\n-and-less\n", want: "hunter2\n-and-less\n"},
		"in base64 over other lines": {
			secrets: []string{"hunter2-and-more"}, in: "got aHVudGVyMi1h\nbmQtbW9yZQ==", want: "got (sensitive value)",
		},
		"a short one over lines": {secrets: []string{"abcd"}, in: "ab\ncd", want: "ab\ncd"},
		"base64":                 {secrets: []string{"hunter2-and-more"}, in: "got aHVudGVyMi1hbmQtbW9yZQ==", want: "got (sensitive value)"},
		"base64 without padding": {secrets: []string{"hunter2-and-more"}, in: "got aHVudGVyMi1hbmQtbW9yZQ", want: "got (sensitive value)"},
		"base64 for URLs":        {secrets: []string{"hunter2>>>>?and"}, in: "got aHVudGVyMj4-Pj4_YW5k", want: "got (sensitive value)"},
		"base64 of a user's": {
			secrets: []string{"hunter2-and-more"}, in: "Authorization: Basic dXNlcjpodW50ZXIyLWFuZC1tb3Jl",
			want: "Authorization: Basic dXNlcjp(sensitive value)",
		},
		"base64 within more": {
			secrets: []string{"hunter2-and-more"}, in: "got dXNlcm46aHVudGVyMi1hbmQtbW9yZTp4",
			want: "got dXNlcm46(sensitive value)Tp4",
		},
		"base64 of a short one": {secrets: []string{"abcd"}, in: "the word YWJjZA", want: "the word YWJjZA"},
		"base64 in lines": {
			secrets: []string{strings.Repeat("hunter2", 12)}, in: wrapped(strings.Repeat("hunter2", 12), 76),
			want: "(sensitive value)\n(sensitive value)",
		},
		"base64 in shorter lines": {
			secrets: []string{strings.Repeat("hunter2", 12)}, in: wrapped(strings.Repeat("hunter2", 12), 64),
			want: "(sensitive value)\n(sensitive value)",
		},
		"line": {
			secrets: []string{"-----BEGIN\nMIIBVgIBADANBg\n"}, in: "bad key: MIIBVgIBADANBg",
			want: "bad key: (sensitive value)",
		},
		"line in a URL":    {secrets: []string{"first=line\nsecond=line"}, in: "?k=second%3Dline", want: "?k=(sensitive value)"},
		"final line break": {secrets: []string{"hunter2\n"}, in: "no: hunter2.", want: "no: (sensitive value)."},
		"invalid UTF-8":    {secrets: []string{"hunter\xff2"}, in: "no: hunter\uFFFD2", want: "no: (sensitive value)"},
		"white space only": {secrets: []string{" \n", ""}, in: "a \n b", want: "a \n b"},
		"short": {
			secrets: []string{"abc"}, in: `the password "abc" is short`,
			want: `the password "(sensitive value)" is short`,
		},
		"short in a URL":          {secrets: []string{"abc"}, in: "https://user:abc@host/", want: "https://user:(sensitive value)@host/"},
		"short at the ends":       {secrets: []string{"abc"}, in: "abc=abc", want: "(sensitive value)=(sensitive value)"},
		"short within words":      {secrets: []string{"tat", "7"}, in: "status 17, tats, 7_", want: "status 17, tats, 7_"},
		"short beside a long one": {secrets: []string{"abc", "hunter2"}, in: "hunter2abc", want: "(sensitive value)(sensitive value)"},
		"short within numbers": {
			secrets: []string{"1", "23"}, in: "0.1, 1.5, 10.23.4 but 1, 23. .1",
			want: "0.1, 1.5, 10.23.4 but (sensitive value), (sensitive value). .(sensitive value)",
		},
		"short punctuation":         {secrets: []string{"$$"}, in: `a$$b "$$"`, want: `a$$b "(sensitive value)"`},
		"short, in the replacement": {secrets: []string{"hunter2", "e)"}, in: "hunter2", want: "(sensitive value)"},
		"short line":                {secrets: []string{"{\n}"}, in: "{ }", want: "{ }"},
		"inside a value": {
			value: cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"k": cty.StringVal("hunter2").Mark("m"), "n": cty.NumberIntVal(1)})}),
			in:    "k=hunter2", want: "k=(sensitive value)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r redact.Redactor
			for _, s := range test.secrets {
				r.Add([]byte(s))
			}
			if test.value != cty.NilVal {
				r.AddValue(test.value)
			}
			if diff := cmp.Diff(test.want, r.Replace(test.in)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestReplaceInLine(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ secret, in, want string }{
		"plain":            {secret: "hunter2-and-more", in: "no: hunter2-and-more.", want: "no: (sensitive value)."},
		"was over lines":   {secret: "hunter2-and-more", in: "no: hunter2 -and- more.", want: "no: (sensitive value)."},
		"with blanks":      {secret: "correct horse battery", in: "not correct hor se battery at all", want: "not (sensitive value) at all"},
		"short":            {secret: "abc", in: "a bc abc", want: "a bc (sensitive value)"},
		"too short for it": {secret: "abcd", in: "ab cd", want: "ab cd"},
		"nothing":          {secret: "hunter2-and-more", in: "no hunter2 and more", want: "no hunter2 and more"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r redact.Redactor
			r.AddStrings(test.secret)
			if diff := cmp.Diff(test.want, r.Replacer().ReplaceInLine(test.in)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestReplaceAfterAdd(t *testing.T) {
	t.Parallel()
	var r redact.Redactor
	r.AddStrings("hunter2")
	before := r.Replacer()
	r.AddStrings("another secret")
	if got := before.Replace("hunter2, another secret"); got != "(sensitive value), another secret" {
		t.Errorf("the earlier replacer returned %q", got)
	}
	if got := r.Replace("hunter2, another secret"); got != "(sensitive value), (sensitive value)" {
		t.Errorf("got %q", got)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	in := map[string]any{
		"hunter2": "is hunter2", "n": json.Number("1234"), "m": json.Number("5"), "b": true,
		"list": []any{"hunter2", nil, map[string]any{"x": json.Number("7")}},
	}
	var r redact.Redactor
	if diff := cmp.Diff(in, r.JSON(in)); diff != "" {
		t.Errorf("without secrets: -want, +got:\n%s", diff)
	}
	r.AddStrings("hunter2", "1234", "7")
	want := map[string]any{
		redact.Concealed: "is " + redact.Concealed, "n": redact.Concealed, "m": json.Number("5"), "b": true,
		"list": []any{redact.Concealed, nil, map[string]any{"x": redact.Concealed}},
	}
	if diff := cmp.Diff(want, r.JSON(in)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// FuzzReplace checks that no spelling of a secret survives in a text, between others, and that a
// short one does not survive where it stands alone.
func FuzzReplace(f *testing.F) {
	f.Add("hunter2", "hunter2-and-more", "the password ", " is short")
	f.Add("p\"ss/w&rd\nof two lines", "abc", "x", "y")
	f.Add("MIIBVg\nMIIBVgIBADANBg\n", "\xff\xfe<>", "key: ", "")
	f.Add("7", "aaaa", "aaa", "aa")
	f.Fuzz(func(t *testing.T, secret, other, before, after string) {
		var r redact.Redactor
		r.AddStrings(secret, other)
		for _, s := range []string{secret, other} {
			if strings.TrimSpace(s) == "" {
				continue
			}
			escaped, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			for how, spelled := range map[string]string{
				"plain": s, "trimmed": strings.TrimSpace(s), "JSON": string(escaped[1 : len(escaped)-1]),
				"query": url.QueryEscape(s), "path": url.PathEscape(s),
			} {
				text := before + spelled + after
				if len(spelled) <= 3 {
					text = before + ` "` + spelled + `" ` + after
				}
				// What is between replacements is from the text.
				for _, rest := range strings.Split(r.Replace(text), redact.Concealed) {
					if len(spelled) > 3 && strings.Contains(rest, spelled) || len(spelled) <= 3 && strings.Contains(rest, ` "`+spelled+`" `) {
						t.Errorf("%s: %q survives in %q", how, spelled, rest)
					}
				}
			}
		}
	})
}

func BenchmarkReplace(b *testing.B) {
	var r redact.Redactor
	r.AddStrings("hunter2", "a rather long secret", "abc")
	text := strings.Repeat("nothing in this line is secret; ", 20) + "hunter2"
	for b.Loop() {
		r.Replace(text)
	}
}
