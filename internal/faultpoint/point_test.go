package faultpoint_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

func TestParse(t *testing.T) {
	for _, p := range faultpoint.All() {
		got, err := faultpoint.Parse(p.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Error(diff)
		}
	}
	for _, name := range []string{"", "create", "create/", "create/before-write", "status/in-flight"} {
		if p, err := faultpoint.Parse(name); err == nil {
			t.Errorf("%q is %v", name, p)
		}
	}
}

// A program as it is released does not even look at the variable.
func TestOffWithoutTheTag(t *testing.T) {
	if os.Getenv(faultpoint.Variable) != "" {
		faultpoint.Reach(faultpoint.Create, faultpoint.BeforeIntent)
		faultpoint.During(faultpoint.Create, faultpoint.InFlight)()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestOffWithoutTheTag$")
	cmd.Env = append(os.Environ(), faultpoint.Variable+"=create/before-intent:1:kill")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), faultpoint.Announcement) {
		t.Errorf("%v\n%s", err, out)
	}
}
