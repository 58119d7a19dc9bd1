package install_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider/install"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	all := []string{"3.0.0", "2.10.0", "2.2.0-beta1", "2.1.9", "2.1.3", "2.1.2", "2.0.9", "no version"}
	for name, c := range map[string]struct {
		policy              install.Policy
		current, constraint string
		want                string
	}{
		"manual":             {install.Manual, "2.1.2", "", "2.1.2"},
		"no policy":          {"", "2.1.2", "", "2.1.2"},
		"patch":              {install.Patch, "2.1.2", "", "2.1.9"},
		"patch, constrained": {install.Patch, "2.1.2", "< 2.1.5", "2.1.3"},
		"minor":              {install.Minor, "2.1.2", "~> 2.0", "2.10.0"},
		"minor, constrained": {install.Minor, "2.1.2", "~> 2.1.0", "2.1.9"},
		"never older":        {install.Minor, "2.11.0", "", "2.11.0"},
		"another major":      {install.Minor, "1.0.0", "", "1.0.0"},
		"no version":         {install.Minor, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, install.Update(c.policy, c.current, c.constraint, all)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"3.0.0", "2.10.0", "2.2.0-beta1"}, install.Newer("2.1.9", all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(install.Behind{Versions: 4, Major: 1, Minor: 1, Patch: 2},
		install.BehindOf("2.1.1", []string{"3.0.0", "2.10.0", "2.1.9", "2.1.2"})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if install.Meets("~> 2.1", "3.0.0") || !install.Meets("", "3.0.0") || install.Meets("", "3.0.0-beta1") || install.Meets("x", "3.0.0") {
		t.Error("constraints are wrong")
	}
}
