package behaviour_test

import (
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
	if kubeconfig := os.Getenv(runController); kubeconfig != "" {
		ctrl.SetLogger(logr.Discard()) // for logs outside of the controllers
		klog.SetLogger(logr.Discard())
		if err := controlUntilKilled(kubeconfig); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(clustertest.Suite{
		Name: "behaviour", Parallel: 16, // with more of them, events arrive too late or not at all
		Begin: func(dir string) error { scratch = dir; return nil },
		End: func() error {
			if everyone.environment == nil {
				return nil
			}
			return everyone.environment.stop()
		},
		Log: func() string {
			if everyone.environment == nil {
				return ""
			}
			return everyone.environment.Log
		},
	}.Run(m))
}

// each runs a test for each column in parallel, with one subtest per behaviour. cmd/behaviours
// relies on their names.
func each(t *testing.T, test func(t *testing.T, c behaviour.Column)) {
	for _, form := range provider.Forms {
		t.Run(string(form), func(t *testing.T) {
			t.Parallel()
			for _, way := range behaviour.Ways(form) {
				t.Run(string(way), func(t *testing.T) {
					t.Parallel()
					test(t, behaviour.Column{Form: form, Way: way})
				})
			}
		})
	}
}
