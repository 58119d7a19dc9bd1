package downgrade_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

var formerFlag = flag.String("former", "", "commit or tag of the former release (default: that in the file former)")

// scratch is a directory of this test binary.
var scratch string

func TestMain(m *testing.M) {
	code := clustertest.Suite{
		Name: "downgrade", Parallel: 1,
		Begin: func(dir string) error { scratch = dir; return nil },
		Log:   func() string { return filepath.Join(scratch, "controller.log") },
	}.Run(m)
	fmt.Println(results.line())
	os.Exit(code)
}
