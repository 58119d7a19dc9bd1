package clustertest

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Suite is how the tests of a package run, of which many share a cluster. All fields but Name and
// Parallel are optional.
type Suite struct {
	// Name is that of the directory and of the kept log.
	Name string
	// Parallel is how many tests run at once. They mostly wait, so it may be more than there are
	// processors.
	Parallel int
	// Begin is called before the tests, with a directory that is removed after them.
	Begin func(dir string) error
	// End stops what the tests share.
	End func() error
	// Log returns the path of a log that is kept if a test fails; empty if there is none.
	Log func() string
}

// Run runs the tests, and returns the exit code. Logs outside of controllers are discarded.
func (s Suite) Run(m *testing.M) (code int) {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	dir, err := os.MkdirTemp("", "landbridge-"+s.Name+"-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	if s.Begin != nil {
		if err := s.Begin(dir); err != nil {
			return failed(err)
		}
	}
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(s.Parallel)); err != nil {
		return failed(err)
	}
	code = m.Run()
	if s.End != nil {
		if err := s.End(); err != nil {
			code = failed(fmt.Errorf("the controller ended with %w", err))
		}
	}
	if code != 0 && s.Log != nil {
		if log := s.Log(); log != "" {
			fmt.Fprintln(os.Stderr, "the controller's log is", KeepLog(s.Name, log))
		}
	}
	return code
}

func failed(err error) (code int) {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
