package upgrades_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/test/upgrades/planted"
)

// scratch is a directory of this test binary.
var scratch string

func TestMain(m *testing.M) {
	planted.Main()
	code := clustertest.Suite{
		Name: "upgrades", Parallel: 1,
		Begin: func(dir string) error { scratch = dir; return nil },
		Log:   func() string { return filepath.Join(scratch, "controller.log") },
	}.Run(m)
	fmt.Println(results.line())
	os.Exit(code)
}

// tally counts what was tried and found.
type tally struct {
	resources, planted, found, invented, written int
}

var results tally

// line returns the closing line.
func (r *tally) line() string {
	return fmt.Sprintf("upgrades: %d resources, %d planted, %d found, %d invented, %d written",
		r.resources, r.planted, r.found, r.invented, r.written)
}
