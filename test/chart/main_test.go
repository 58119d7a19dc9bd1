package chart_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	helm "helm.sh/helm/v3/pkg/chart"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
	"github.com/landbridge-io/landbridge/tools/release/chart"
)

// summary prints the closing line of `make chart-test`.
var summary = flag.Bool("summary", false, "print how many renderings there were")

// rendered and applied count renderings, and failed those that something is wrong with.
var rendered, applied, failed atomic.Int64

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if code != 0 && failed.Load() == 0 {
		failed.Add(1) // of another test
	}
	if *summary {
		fmt.Printf("chart: %d renderings, %d applied, %d failed\n", rendered.Load(), applied.Load(), failed.Load())
	}
	os.Exit(code)
}

// root returns the repository's directory.
func root(tb testing.TB) string {
	tb.Helper()
	root, err := testbin.Root()
	if err != nil {
		tb.Fatal(err)
	}
	return root
}

// load returns the chart.
func load(tb testing.TB) *helm.Chart {
	tb.Helper()
	c, err := chart.Load(filepath.Join(root(tb), "deploy", "chart"), "", "")
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// render returns the chart with values.
func render(tb testing.TB, values map[string]any) *chart.Rendered {
	tb.Helper()
	r, err := chart.Render(load(tb), chart.Namespace, values)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}
