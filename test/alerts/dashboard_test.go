package alerts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// exposed has the series of a controller that serves one kind, with the labels that scraping adds.
const exposed = "testdata/exposed.txt"

// panel is a panel of the dashboard.
type panel struct {
	Title   string
	Targets []struct{ Expr string }
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(files, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct{ Panels []panel }
	if err := json.Unmarshal(raw, &dashboard); err != nil {
		t.Fatal(err)
	}
	if len(dashboard.Panels) == 0 {
		t.Fatal("the dashboard has no panel")
	}
	known, err := os.ReadFile(exposed)
	if err != nil {
		t.Fatal(err)
	}
	var series strings.Builder
	series.WriteString("load 1m\n")
	for line := range strings.Lines(string(known)) {
		series.WriteString(strings.TrimSpace(line) + " 0+1x60\n")
	}
	storage := promqltest.LoadedStorage(t, series.String())
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			t.Run(p.Title+"/"+target.Expr, func(t *testing.T) {
				query, err := newEngine(t).NewInstantQuery(t.Context(), storage, nil, target.Expr, time.Unix(0, 0).Add(time.Hour))
				if err != nil {
					t.Fatal(err)
				}
				defer query.Close()
				vector, err := query.Exec(t.Context()).Vector()
				if err != nil || len(vector) == 0 {
					t.Errorf("the expression finds nothing: %v, %v", vector, err)
				}
				// A label by which series are told apart must be one that they have.
				for _, s := range vector {
					unlabelled(t, target.Expr, s)
				}
			})
		}
	}
}

func unlabelled(t *testing.T, expr string, s promql.Sample) {
	t.Helper()
	parsed, err := expression.ParseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	parser.Inspect(parsed, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok && !a.Without {
			for _, name := range a.Grouping {
				if name != model.BucketLabel && s.Metric.Get(name) == "" {
					t.Errorf("no series has the label %s", name)
				}
			}
		}
		return nil
	})
}
