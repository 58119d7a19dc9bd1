package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/command/stream"
)

// Rows that are written one after the other are the same JSON as all at once.
func TestRowList(t *testing.T) {
	t.Parallel()
	row := func(name string) status.Row { return status.Row{Kind: "Thing", Name: name, Message: "a < b"} }
	for name, pages := range map[string][][]status.Row{
		"nothing":       nil,
		"an empty page": {{}},
		"a row":         {{row("a")}},
		"pages":         {{row("a"), row("b")}, {}, {row("c")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got, want bytes.Buffer
			list, all := &rowList{List: stream.List{Out: &got, Name: "resources"}}, []status.Row{}
			for _, p := range pages {
				all = append(all, p...)
				if err := list.Write(p); err != nil {
					t.Fatal(err)
				}
			}
			if err := list.Close(); err != nil {
				t.Fatal(err)
			}
			if err := writeJSON(&want, map[string]any{"resources": all}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
