package action_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
)

// Nothing is kept of provider configurations with which no attempt runs any more, and the bound of
// attempts holds while one does.
func TestSlots(t *testing.T) {
	t.Parallel()
	runs := &action.Runs{PerConfiguration: 1}
	for i := range 1000 {
		name := fmt.Sprint("configuration-", i)
		release, ok := runs.Slot(name, "team-a")
		if !ok {
			t.Fatalf("no attempt with %s", name)
		}
		if _, ok := runs.Slot(name, "team-a"); ok {
			t.Fatalf("two attempts with %s at once", name)
		}
		release()
	}
	held := map[string]int{}
	leaktest.Entries(reflect.ValueOf(runs), "runs", held)
	for at, n := range held {
		if n > 0 {
			t.Errorf("%s: %d entries", at, n)
		}
	}
}
