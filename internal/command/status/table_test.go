package status_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// now is the time at which the rows of testdata are looked at.
var now = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

func rows(t *testing.T) []status.Row {
	t.Helper()
	content, err := os.ReadFile("testdata/resources.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out []status.Row
	for _, document := range strings.Split(string(content), "---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatal(err)
		}
		if u.Object != nil {
			out = append(out, status.RowOf(u))
		}
	}
	return out
}

func TestTable(t *testing.T) {
	golden.Check(t, "table.txt", []byte(status.Table(rows(t), now, status.Style{Namespaced: true})))
	golden.Check(t, "wide.txt", []byte(status.Table(rows(t), now, status.Style{Namespaced: true, Wide: true, Columns: 60})))
	golden.Check(t, "colored.txt", []byte(strings.ReplaceAll(status.Table(rows(t), now, status.Style{Color: true}), "\x1b", "ESC")))
	for _, columns := range []int{50, 60, 80, 100} {
		narrow := status.Table(rows(t), now, status.Style{Namespaced: true, Columns: columns})
		golden.Check(t, fmt.Sprintf("columns-%d.txt", columns), []byte(narrow))
		for line := range strings.Lines(narrow) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("a line has %d characters: %q", n, line)
			}
		}
	}
}

// Colours change nothing but colours.
func TestColors(t *testing.T) {
	for _, columns := range []int{0, 70} {
		colored := regexp.MustCompile("\x1b\\[[0-9]+m").
			ReplaceAllString(status.Table(rows(t), now, status.Style{Color: true, Columns: columns}), "")
		if diff := cmp.Diff(status.Table(rows(t), now, status.Style{Columns: columns}), colored); diff != "" {
			t.Errorf("%d columns: -plain, +colored:\n%s", columns, diff)
		}
	}
}

func TestLines(t *testing.T) {
	var all strings.Builder
	for _, r := range rows(t) {
		all.WriteString(status.Change{Row: r}.Line(now) + "\n")
	}
	all.WriteString(status.Change{Row: rows(t)[0], Gone: true}.Line(now) + "\n")
	golden.Check(t, "lines.txt", []byte(all.String()))
}

// A screen is never higher than the terminal, so that its first line, the summary, stays. It shows
// first what wants to be looked at.
func TestScreen(t *testing.T) {
	all := rows(t)
	for lines := range 60 {
		for _, columns := range []int{0, 60, 100} {
			got := status.Screen(all, now, status.Style{Columns: columns, Namespaced: true}, lines)
			n := strings.Count(got, "\n") + 1
			if lines > 8 && n > lines {
				t.Errorf("%d lines for a terminal of %d lines and %d columns", n, lines, columns)
			}
			if lines == 10 && !strings.Contains(got, "Downloading") {
				t.Errorf("the provider in trouble is not shown:\n%s", got)
			}
			if lines == 10 && !strings.Contains(got, "... and") {
				t.Errorf("it is not said that there are more:\n%s", got)
			}
		}
	}
	if got := status.Screen(all, now, status.Style{}, 0); strings.Contains(got, "... and") {
		t.Errorf("without a height not all is shown:\n%s", got)
	}
}

func TestSummary(t *testing.T) {
	const want = "12 resources, 2 ready, 5 being changed, 1 waiting, 1 paused, 1 not looked at yet, 2 retrying; " +
		"providers, modules and configurations in trouble: 1"
	if got := status.Summary(rows(t)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := status.Summary(nil), "0 resources"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestElapsed(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", -time.Second: "0s", 1500 * time.Millisecond: "1s", 61 * time.Second: "1m1s",
		time.Hour + 90*time.Second: "1h01m", 30 * time.Hour: "30h00m",
	} {
		if got := status.Elapsed(now.Add(-d), now); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
	if got := status.Elapsed(time.Time{}, now); got != "?" {
		t.Errorf("no time: got %q", got)
	}
}

// Rows appear before the last one has arrived, under one heading.
func TestStreamedTable(t *testing.T) {
	var out strings.Builder
	table := status.NewTable(&out, []status.Kind{{Kind: "Thing"}}, now, status.Style{})
	const n = 1200
	for i := range n {
		r := status.Row{APIVersion: "/v1alpha1", Kind: "Thing", Health: status.Ready, Name: fmt.Sprintf("thing-%04d", i)}
		if err := table.Write([]status.Row{r}); err != nil {
			t.Fatal(err)
		}
		if i == n/2 && !strings.Contains(out.String(), "thing-0000") {
			t.Error("half of the rows are written, and the first one is not shown")
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != n+1 || !strings.HasPrefix(lines[0], "NAME ") || strings.Count(out.String(), "NAME") != 1 {
		t.Errorf("%d lines, the first is %q", len(lines), lines[0])
	}
	for i, line := range lines[1:] {
		if want := fmt.Sprintf("thing/thing-%04d   -", i); !strings.HasPrefix(line, want) {
			t.Fatalf("line %d is %q", i, line)
		}
	}
}
