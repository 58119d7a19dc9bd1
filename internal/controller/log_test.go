package controller_test

import (
	"errors"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/controller"
)

// A discreet logger logs everything as its logger does, but for the bodies of requests.
func TestDiscreet(t *testing.T) {
	var got []string
	log := controller.Discreet(funcr.New(func(prefix, args string) { got = append(got, prefix+" "+args) }, funcr.Options{Verbosity: 10, LogCaller: funcr.All}))
	one := log.WithValues("a", 1)
	two, three := one.WithName("n").WithValues("b", 2), one.WithValues("c", 3)
	two.Info("second", "d", 4)
	three.Error(errors.New("failed"), "third")
	log.V(7).Info("first")
	log.V(8).Info("a body")
	want := []string{
		`n "caller"={"file"="log_test.go" "line"=19} "level"=0 "msg"="second" "a"=1 "b"=2 "d"=4`,
		` "caller"={"file"="log_test.go" "line"=20} "msg"="third" "error"="failed" "a"=1 "c"=3`,
		` "caller"={"file"="log_test.go" "line"=21} "level"=7 "msg"="first"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
