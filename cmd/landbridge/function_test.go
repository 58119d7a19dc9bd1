package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

func TestFunction(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "time")
	tests := map[string]struct {
		args []string
		want []string // in the output
		err  string
	}{
		"list": {
			args: []string{"list", binary}, want: []string{
				"FUNCTION", "rfc3339_parse(timestamp string) object", "Parse an RFC3339 timestamp string",
			},
		},
		"list as JSON": {
			args: []string{"list", binary, "-o", "json"},
			want: []string{`"name": "rfc3339_parse"`, `"signature": "duration_parse(duration string) object"`},
		},
		"show": {
			args: []string{"show", binary + "::rfc3339_parse"},
			want: []string{"rfc3339_parse(timestamp string) object", "PARAMETER", "timestamp  string  no"},
		},
		"call": {
			args: []string{"call", binary + "::rfc3339_parse", `"2026-07-04T10:00:00Z"`}, want: []string{
				`"year": 2026`, `"month_name": "July"`,
			},
		},
		"call in YAML": {
			args: []string{"call", binary + "::rfc3339_parse", `"2026-07-04T10:00:00Z"`, "-o", "yaml"},
			want: []string{"year: 2026\n"},
		},
		"call with CEL": {args: []string{"call", binary + "::rfc3339_parse", `"2026-07-04" + "T10:00:00Z"`}, want: []string{`"day": 4`}},
		"as Terraform":  {args: []string{"call", "provider::" + binary + "::unix_timestamp_parse", "0"}, want: []string{`"year": 1970`}},

		"a wrong argument": {
			args: []string{"call", binary + "::rfc3339_parse", `"today"`},
			err:  "Argument 1 (timestamp): Error parsing RFC3339 timestamp",
		},
		"an argument too many": {args: []string{"call", binary + "::rfc3339_parse", `"a"`, `"b"`}, err: "it takes 1 arguments, not 2"},
		"an argument too few":  {args: []string{"call", binary + "::rfc3339_parse"}, err: "it takes 1 arguments, not 0"},
		"an argument of a type": {
			args: []string{"call", binary + "::rfc3339_parse", `{"a":1}`},
			err:  "argument 1 (timestamp): it must be of the type string",
		},
		"null": {args: []string{"call", binary + "::rfc3339_parse", "null"}, err: "argument 1 (timestamp): it must not be null"},
		"a word": {
			args: []string{"call", binary + "::rfc3339_parse", "today"},
			err:  "argument 1 is neither JSON nor an expression in CEL",
		},
		"another function": {
			args: []string{"show", binary + "::rfc3339"},
			err:  "the provider has no function rfc3339: landbridge function list",
		},
		"no function":          {args: []string{"show", binary}, err: "names no function: write PROVIDER::NAME"},
		"no provider":          {args: []string{"call", "::x"}, err: "names no function: write PROVIDER::NAME"},
		"another format":       {args: []string{"list", binary, "-o", "xml"}, err: `unknown output "xml"`},
		"a provider with none": {args: []string{"list", providertest.Binary(t, "random")}, want: []string{"The provider has no functions."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, append([]string{"function"}, test.args...)...)
			switch {
			case test.err == "" && err != nil:
				t.Fatal(err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v, want %q", err, test.err)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in:\n%s", want, out)
				}
			}
		})
	}
	t.Run("inspect", func(t *testing.T) {
		t.Parallel()
		out, _, err := run(t, "provider", "inspect", binary, "-o", "json")
		if err != nil {
			t.Fatal(err)
		}
		var got inspection
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Signatures) == 0 || len(got.Signatures) != len(got.Functions) {
			t.Errorf("functions %v, signatures %v", got.Functions, got.Signatures)
		}
	})
}
