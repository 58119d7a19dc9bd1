package world_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

var (
	only     = flag.String("only", "", "behaviours to try, separated by commas; all by default")
	onlyWays = flag.String("ways", "", "ways to try, separated by commas; all by default")
)

// scratch is a directory of this test binary.
var scratch string

func TestMain(m *testing.M) {
	code := clustertest.Suite{
		Name: "world", Parallel: 12,
		Begin: func(dir string) error { scratch = dir; return nil },
		Log:   func() string { return filepath.Join(scratch, "controller.log") },
	}.Run(m)
	fmt.Println(results.line())
	if results.wrong() {
		code = 1
	}
	os.Exit(code)
}
