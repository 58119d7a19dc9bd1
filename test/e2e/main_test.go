package e2e_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// scratch is the directory of this test binary. Controllers and providers write there and may
// outlive a test.
var scratch string

// everyone holds what shared returns.
var everyone struct {
	sync.Once
	cluster *cluster
	stop    func() error
	err     error
}

func TestMain(m *testing.M) {
	os.Exit(clustertest.Suite{
		Name: "e2e", Parallel: max(8, runtime.GOMAXPROCS(0)),
		Begin: func(dir string) error {
			scratch = dir
			// For provider releases that tests build, and for files of tests, which providers may
			// write.
			return errors.Join(os.Mkdir(filepath.Join(dir, "mirror"), 0o755), os.Mkdir(filepath.Join(dir, "files"), 0o755))
		},
		End: func() error {
			if everyone.stop == nil {
				return nil
			}
			return everyone.stop()
		},
	}.Run(m))
}
