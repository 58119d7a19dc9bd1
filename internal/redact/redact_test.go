package redact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/redact"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		secrets []string
		value   cty.Value
		in      string
		want    string
	}{
		"nothing known":                {in: "hunter2", want: "hunter2"},
		"a secret":                     {secrets: []string{"hunter2"}, in: `the password "hunter2" is short`, want: `the password "(sensitive value)" is short`},
		"short ones would be anywhere": {secrets: []string{"abc"}, in: "abc", want: "abc"},
		"the longest first":            {secrets: []string{"hunter2", "hunter2-and-more"}, in: "hunter2-and-more", want: "(sensitive value)"},
		"as JSON has it":               {secrets: []string{"a\"b\nc"}, in: `{"x":"a\"b\nc"}`, want: `{"x":"(sensitive value)"}`},
		"each line":                    {secrets: []string{"-----BEGIN\nMIIBVgIBADANBg\n"}, in: "bad key: MIIBVgIBADANBg", want: "bad key: (sensitive value)"},
		"with a line break at its end": {secrets: []string{"hunter2\n"}, in: "no: hunter2.", want: "no: (sensitive value)."},
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
			if diff := cmp.Diff(test.want, r.Replacer().Replace(test.in)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
