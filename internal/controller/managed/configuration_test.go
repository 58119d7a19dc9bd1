package managed_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// The hash of a configuration is the same each time, and another one with other values.
func TestConfigSum(t *testing.T) {
	t.Parallel()
	secrets := func(password string) map[translate.SecretKeySelector]string {
		out := map[translate.SecretKeySelector]string{}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			out[translate.SecretKeySelector{Name: name, Key: "password"}] = password
		}
		return out
	}
	want := managed.ConfigSum(secrets("x"))
	for range 20 {
		if got := managed.ConfigSum(secrets("x")); got != want {
			t.Fatalf("got %s, and %s before", got, want)
		}
	}
	if managed.ConfigSum(secrets("y")) == want {
		t.Error("other values have the same hash")
	}
}
