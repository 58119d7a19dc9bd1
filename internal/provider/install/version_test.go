package install_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider/install"
)

func TestNewest(t *testing.T) {
	all := []string{"1.9.0", "2.0.0-beta1", "1.10.0", "0.1.0"}
	for name, c := range map[string]struct {
		constraint string
		versions   []string
		want       string
		reason     install.Reason
		says       string
	}{
		"any":            {"", all, "1.10.0", "", ""},
		"exact":          {"1.9.0", all, "1.9.0", "", ""},
		"range":          {"< 1.10", all, "1.9.0", "", ""},
		"before release": {"2.0.0-beta1", all, "2.0.0-beta1", "", ""},
		"none":           {">= 3.0", all, "", install.NoMatchingVersion, "2.0.0-beta1, 1.10.0, 1.9.0, 0.1.0"},
		"no constraint":  {"newest", all, "", install.InvalidConstraint, "newest"},
		"no version":     {"", []string{"one"}, "", install.InvalidPackage, "one"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := install.Newest("acme/cloud", c.constraint, c.versions)
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var e *install.Error
			if !errors.As(err, &e) || e.Reason != c.reason || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), "acme/cloud") {
				t.Errorf("got %v, want reason %s and the text %q", err, c.reason, c.says)
			}
		})
	}
}
