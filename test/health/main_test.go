package health_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// scratch is a directory of this test binary.
var scratch string

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // for logs outside of the controller
	klog.SetLogger(logr.Discard())
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "landbridge-health-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	flag.Parse()
	// Situations mostly wait.
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if code != 0 {
		fmt.Fprintln(os.Stderr, "the controller's log is", clustertest.KeepLog("health", filepath.Join(scratch, "controller.log")))
	}
	fmt.Println(results.line())
	return code
}
