package figure_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/test/bench/figure"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		add      func(*figure.Report)
		want     string
		exceeded []string
	}{
		"a list": {
			add: func(r *figure.Report) {
				r.Add(figure.Figure{Name: "floor", Value: 2, Unit: "ms"})
				r.Ratio(figure.Figure{Name: "look", Value: 3, Unit: "ms", Bound: 2.5}, "floor")
				r.Ratio(figure.Figure{Name: "plan", Value: 5, Unit: "ms", MaxRatio: 2}, "floor")
				r.Add(figure.Figure{Name: "writes", Value: 0, Unit: "writes", Bound: -1})
			},
			want: `| figure | value | bound | ratio |
|---|---|---|---|
| floor | 2 ms |  |  |
| look | 3 ms | 2.5 | 1.50 × floor |
| plan | 5 ms |  | 2.50 × floor, at most 2.00 |
| writes | 0 writes | 0 |  |
`,
			exceeded: []string{"look is 3 ms, more than 2.5", "plan is 2.50 × floor, more than 2.00"},
		},
		"columns": {
			add: func(r *figure.Report) {
				r.Add(figure.Figure{Name: "floor", Column: "A", Value: 2, Unit: "ms"})
				r.Ratio(figure.Figure{Name: "look", Column: "A", Value: 3, Unit: "ms", Bound: 4}, "floor")
				r.Add(figure.Figure{Name: "floor", Column: "B", Value: 1, Unit: "ms"})
				r.Ratio(figure.Figure{Name: "look", Column: "B", Value: 4, Unit: "ms", MaxRatio: 3.5}, "floor")
				r.Add(figure.Figure{Name: "alone", Column: "B", Value: 7, Unit: "MiB"})
			},
			want: `| figure | unit | A | B | (×) |
|---|---|---|---|---|
| floor | ms | 2 | 1 |  |
| look | ms | 3 (1.50×), at most 4 | 4 (4.00×, at most 3.50×) | floor |
| alone | MiB |  | 7 |  |
`,
			exceeded: []string{"B look is 4.00 × floor, more than 3.50"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const begin, end = "before\n<!-- part: made by make bench -->", "<!-- end of figures -->\nafter\n"
			page := filepath.Join(t.TempDir(), "page.md")
			if err := os.WriteFile(page, []byte(begin+"\nold\n"+end), 0o600); err != nil {
				t.Fatal(err)
			}
			r := &figure.Report{}
			test.add(r)
			if err := r.Write(page, "part"); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			got = regexp.MustCompile(`Measured on \d{4}-\d\d-\d\d\.`).ReplaceAll(got, []byte("Measured today."))
			if diff := cmp.Diff(begin+"\n\nMeasured today.\n\n"+test.want+"\n"+end, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.exceeded, r.Exceeded()); diff != "" {
				t.Errorf("exceeded: -want +got:\n%s", diff)
			}
			if err := r.Write(page, "other"); err == nil {
				t.Error("a part that the page does not have is written")
			}
		})
	}
}
