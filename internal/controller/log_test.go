package controller_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller"
)

// A discreet logger logs everything as its logger does, but for the bodies of requests.
func TestDiscreet(t *testing.T) {
	var got []string
	log := controller.Discreet(funcr.New(func(prefix, args string) { got = append(got, prefix+" "+args) },
		funcr.Options{Verbosity: 10, LogCaller: funcr.All}))
	one := log.WithValues("a", 1)
	two, three := one.WithName("n").WithValues("b", 2), one.WithValues("c", 3)
	two.Info("second", "d", 4)
	three.Error(errors.New("failed"), "third")
	log.V(7).Info("first")
	log.V(8).Info("a body")
	want := []string{
		`n "caller"={"file"="log_test.go" "line"=23} "level"=0 "msg"="second" "a"=1 "b"=2 "d"=4`,
		` "caller"={"file"="log_test.go" "line"=24} "msg"="third" "error"="failed" "a"=1 "c"=3`,
		` "caller"={"file"="log_test.go" "line"=25} "level"=7 "msg"="first"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What controller-runtime says of its parts is for debugging, and errors have no stack traces.
func TestNewLogger(t *testing.T) {
	for verbosity, want := range [][]string{{"A kind is served", "It failed"}, {"Starting EventSource", "A kind is served", "It failed"}} {
		var out bytes.Buffer
		log := controller.NewLogger(&out, verbosity).WithName("part")
		log.Info("Starting EventSource", "source", "kind source")
		log.Info("A kind is served")
		log.Error(errors.New("no quota"), "It failed")
		var got []string
		for line := range strings.Lines(out.String()) {
			var entry map[string]any
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if entry["stacktrace"] != nil {
				t.Errorf("a stack trace: %s", line)
			}
			got = append(got, entry["msg"].(string))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("verbosity %d: -want, +got:\n%s", verbosity, diff)
		}
	}
}
