package behaviour_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// scratch is a directory of this test binary.
var scratch string

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard()) // for logs outside of the controllers
	klog.SetLogger(logr.Discard())
	if kubeconfig := os.Getenv(runController); kubeconfig != "" {
		if err := controlUntilKilled(kubeconfig); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "landbridge-behaviour-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	flag.Parse()
	// Tests mostly wait. With more of them, events arrive too late or not at all.
	if err := flag.Set("test.parallel", "16"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if e := everyone.environment; e != nil {
		if err := e.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "the controller ended with", err)
			code = 1
		}
		if code != 0 {
			fmt.Fprintln(os.Stderr, "the controller's log is", clustertest.KeepLog("behaviour", e.Log))
		}
	}
	return code
}

// each runs a test for each column in parallel, with one subtest per behaviour. cmd/behaviours relies on
// their names.
func each(t *testing.T, test func(t *testing.T, c behaviour.Column)) {
	for _, form := range provider.Forms {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			for _, way := range behaviour.Ways {
				t.Run(string(way), func(t *testing.T) {
					t.Parallel()
					test(t, behaviour.Column{Form: form, Way: way})
				})
			}
		})
	}
}
