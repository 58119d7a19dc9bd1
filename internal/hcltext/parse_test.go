package hcltext_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/landbridge-io/landbridge/internal/hcltext"
)

func config(text string) hcl.Diagnostics {
	_, diags := hcltext.ParseConfig([]byte(text), "main.tf")
	return diags
}

func template(text string) hcl.Diagnostics {
	_, diags := hcltext.ParseTemplate([]byte(text), "a.tftpl")
	return diags
}

func json(text string) hcl.Diagnostics {
	_, diags := hcltext.ParseJSON([]byte(text), "main.tf.json")
	return diags
}

// With a million of their levels, these texts overflow the stack of the parser.
func TestDeepTextsAreErrors(t *testing.T) {
	t.Parallel()
	const many = 5000
	for name, test := range map[string]struct {
		parse func(string) hcl.Diagnostics
		text  string
	}{
		"tuples":                           {config, "x = " + strings.Repeat("[", many)},
		"parentheses":                      {config, "x = " + strings.Repeat("(", many)},
		"objects":                          {config, "x = " + strings.Repeat("{a=", many)},
		"indices":                          {config, "x = a" + strings.Repeat("[a", many)},
		"calls":                            {config, "x = " + strings.Repeat("list(", many)},
		"not":                              {config, "x = " + strings.Repeat("!", many)},
		"minus":                            {config, "x = " + strings.Repeat("-", many)},
		"minus, in lines":                  {config, "x = (" + strings.Repeat("-\n", many)},
		"conditions":                       {config, "x = a" + strings.Repeat("?a:a", many)},
		"blocks":                           {config, strings.Repeat("a {\n", many)},
		"texts":                            {config, "x = " + strings.Repeat(`"${`, many)},
		"after closing brackets in a text": {config, "x = \"" + strings.Repeat("]", many) + "\"\ny = " + strings.Repeat("[", many)},
		"in a heredoc":                     {config, "x = <<EOT\n" + strings.Repeat("${[", many) + "\nEOT\n"},
		"directives":                       {template, strings.Repeat("%{if a}", many)},
		"loops":                            {template, strings.Repeat("%{for a in b}", many)},
		"templates":                        {template, strings.Repeat(`${"`, many)},
		"arrays in JSON":                   {json, strings.Repeat("[", many)},
		"objects in JSON":                  {json, strings.Repeat(`{"a":`, many)},
		"a template in JSON":               {json, `{"a": "` + strings.Repeat("${[", many) + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := test.parse(test.text)
			if !diags.HasErrors() || diags[0].Summary != "Nested too deeply" {
				t.Errorf("got %.300v", diags)
			}
		})
	}
}

func TestLargeTextsAreErrors(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(" ", hcltext.MaxSize+1)
	for name, parse := range map[string]func(string) hcl.Diagnostics{"configuration": config, "template": template, "JSON": json} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := parse(text); !diags.HasErrors() || diags[0].Summary != "File too large" {
				t.Errorf("got %v", diags)
			}
		})
	}
}

func TestWideTextsAreParsed(t *testing.T) {
	t.Parallel()
	const many = 3000
	for name, test := range map[string]struct {
		parse func(string) hcl.Diagnostics
		text  string
	}{
		"negative numbers": {config, "x = [" + strings.Repeat("-1, !a,\n", many) + "]"},
		"conditions": {
			config, "locals {\n" + strings.Repeat("x = a ? \"${-b}\" : [c]\n", 1) +
				strings.Repeat("block {\n y = -1\n}\n", many) + "}\n",
		},
		"directives": {template, strings.Repeat("%{if a}x%{else}y%{endif}", many)},
		"JSON":       {json, `{"a": [` + strings.Repeat(`{"b": "${c}"},`, many) + `{}]}`},
		"deep":       {config, "x = " + strings.Repeat("[", 500) + strings.Repeat("]", 500)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := test.parse(test.text); diags.HasErrors() {
				t.Errorf("got %.300v", diags)
			}
		})
	}
}

func TestInvalidJSON(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"cut off": `{"a":`, "single quotes": `{'a': 1}`, "a comment": "{\n// a\n}", "empty": " "} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diags := json(text); !diags.HasErrors() {
				t.Error("no error")
			}
		})
	}
}

// No text makes the parsers panic or overflow the stack.
func FuzzParse(f *testing.F) {
	f.Add("x = [-1, \"${a ? b : c}\"]\n")
	f.Add("%{if a}${b}%{endif}")
	f.Add(`{"a": "${b}"}`)
	f.Fuzz(func(_ *testing.T, text string) {
		config(text)
		template(text)
		json(text)
	})
}
