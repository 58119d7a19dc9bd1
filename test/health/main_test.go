package health_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// scratch is a directory of this test binary.
var scratch string

func TestMain(m *testing.M) {
	code := clustertest.Suite{
		Name: "health", Parallel: 8,
		Begin: func(dir string) error { scratch = dir; return nil },
		Log:   func() string { return filepath.Join(scratch, "controller.log") },
	}.Run(m)
	fmt.Println(results.line())
	os.Exit(code)
}
