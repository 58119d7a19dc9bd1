package version_test

import (
	"runtime/debug"
	"testing"

	"github.com/landbridge-io/landbridge/internal/version"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	commit := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abc"}}
	tests := map[string]struct {
		linked string
		info   *debug.BuildInfo
		want   string
	}{
		"given to the linker":       {linked: "v0.5.0", info: &debug.BuildInfo{Main: debug.Module{Version: "v0.4.9"}}, want: "v0.5.0"},
		"a tag":                     {info: &debug.BuildInfo{Main: debug.Module{Version: "v0.5.0"}}, want: "v0.5.0"},
		"a commit without a tag":    {info: &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: commit}, want: "development, commit 0123abc"},
		"outside a checkout":        {info: &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, want: "development"},
		"without build information": {want: "development"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := version.From(test.linked, test.info); got != test.want {
				t.Errorf("From() = %q, want %q", got, test.want)
			}
		})
	}
}
