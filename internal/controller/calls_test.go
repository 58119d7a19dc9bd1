package controller_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// series returns the number of the series.
func series(t *testing.T, of *controller.Calls) (n int) {
	t.Helper()
	out := make(chan prometheus.Metric)
	go func() {
		of.Seconds().Collect(out)
		close(out)
	}()
	for range out {
		n++
	}
	return n
}

// Users make provider configurations, and choose their names, so the number of series has a bound.
func TestCallsOfManyConfigurations(t *testing.T) {
	t.Parallel()
	calls, at := controller.NewCalls(), time.Now()
	count := func(from, n int) {
		for i := from; i < from+n; i++ {
			calls.Count(pool.Call{Configuration: fmt.Sprint("c-", i), Method: "ReadResource"}, at)
		}
	}
	count(0, 3000)
	if n := series(t, calls); n != 1001 {
		t.Errorf("%d series of 3,000 configurations that are used at once, want 1,000 and one of the others", n)
	}
	at = at.Add(2 * time.Hour)
	count(3000, 10)
	if n := series(t, calls); n != 11 {
		t.Errorf("%d series of 10 configurations hours later, want 10 and one of the others", n)
	}
}
