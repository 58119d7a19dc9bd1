package stream_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/stream"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	table := stream.Table{Out: &b, Columns: 16}
	for _, lines := range [][][]string{
		{{"A", "B", "C"}, {"größe", "-", ""}},
		{{"x", "longer", "cut here, as it is long"}},
		{{"x", "y", "z"}},
	} {
		if err := table.Write(lines); err != nil {
			t.Fatal(err)
		}
	}
	want := "A       B   C\ngröße   -\nx       longer …\nx       y      …\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// Columns shrink one after the other, and whole lines stay as they are.
func TestShrink(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	table := stream.Table{Out: &b, Columns: 24, Shrink: []stream.Shrink{{Column: 2, Least: 3}, {Column: 0, Least: 6, Tail: true}}}
	if err := table.Write([][]string{
		{"NAME", "READY", "ID"}, {"password/db", "True", "0123456789"}, {"  a line that is as long as it is"},
		{"a/b", "False", "1"},
	}); err != nil {
		t.Fatal(err)
	}
	want := "NAME         READY   ID\n…ssword/db   True    01…\n  a line that is as long as it is\na/b          False   1\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// What is written piece by piece is what would be written in one piece.
func TestList(t *testing.T) {
	t.Parallel()
	type element struct {
		Name string         `json:"name"`
		More map[string]any `json:"more"`
	}
	type others struct {
		Zone  []string `json:"zone,omitempty"`
		Error string   `json:"error,omitempty"`
	}
	type document struct {
		List []element `json:"list"`
		others
	}
	one, two := element{Name: "<a>: &b\n"}, element{Name: "- x", More: map[string]any{"a": []any{"b", 1.5}}}
	for name, d := range map[string]document{
		"nothing":            {List: []element{}},
		"only other members": {List: []element{}, others: others{Zone: []string{"<a>"}}},
		"one":                {List: []element{one}},
		"several":            {List: []element{one, two, one}, others: others{Zone: []string{"a", "b"}, Error: "e"}},
	} {
		for format, inYAML := range map[string]bool{"JSON": false, "YAML": true} {
			t.Run(name+" "+format, func(t *testing.T) {
				t.Parallel()
				var got bytes.Buffer
				l := stream.List{Out: &got, Name: "list", YAML: inYAML}
				for _, e := range d.List {
					if err := l.Write(e); err != nil {
						t.Fatal(err)
					}
				}
				if err := l.Close(d.others); err != nil {
					t.Fatal(err)
				}
				if inYAML {
					var back document
					if err := yaml.UnmarshalStrict(got.Bytes(), &back); err != nil {
						t.Fatalf("%v:\n%s", err, &got)
					}
					if diff := cmp.Diff(d, back, cmp.AllowUnexported(document{})); diff != "" {
						t.Errorf("-want, +got:\n%s", diff)
					}
					return
				}
				var want bytes.Buffer
				e := json.NewEncoder(&want)
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				if err := e.Encode(d); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.String(), got.String()); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			})
		}
	}
	t.Run("nothing else", func(t *testing.T) {
		t.Parallel()
		var b bytes.Buffer
		if err := (&stream.List{Out: &b, Name: "list"}).Close(nil); err != nil || b.String() != "{\n  \"list\": []\n}\n" {
			t.Errorf("%v: %s", err, &b)
		}
	})
}
