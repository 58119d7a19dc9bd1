package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// scratch is the directory of this test binary. Controllers and providers write there and may outlive
// a test.
var scratch string

// everyone holds what shared returns.
var everyone struct {
	sync.Once
	cluster *cluster
	stop    func() error
	err     error
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // for logs outside of the controllers
	klog.SetLogger(logr.Discard())
	var err error
	if scratch, err = os.MkdirTemp("", "landbridge-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// For provider releases that tests build, and for files of tests, which providers may write.
	for _, name := range []string{"mirror", "files"} {
		if err := os.Mkdir(filepath.Join(scratch, name), 0o755); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	// Tests mostly wait, so more of them run in parallel than there are processors.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if everyone.stop != nil {
		if err := everyone.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "the shared controller ended with", err)
			code = 1
		}
	}
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}
