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
		version, commit string
		info            *debug.BuildInfo
		want            string
	}{
		"given to the linker": {version: "v0.5.0", info: &debug.BuildInfo{Main: debug.Module{Version: "v0.4.9"}}, want: "v0.5.0"},
		"both given to the linker": {
			version: "v0.5.0", commit: "4567def", info: &debug.BuildInfo{Settings: commit},
			want: "v0.5.0, commit 4567def",
		},
		"a tag": {info: &debug.BuildInfo{Main: debug.Module{Version: "v0.5.0"}}, want: "v0.5.0"},
		"a tag and a commit": {
			info: &debug.BuildInfo{Main: debug.Module{Version: "v0.5.0"}, Settings: commit},
			want: "v0.5.0, commit 0123abc",
		},
		"a commit without a tag": {
			info: &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: commit},
			want: "development, commit 0123abc",
		},
		"outside a checkout":        {info: &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, want: "development"},
		"without build information": {want: "development"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := version.From(test.version, test.commit, test.info); got != test.want {
				t.Errorf("From() = %q, want %q", got, test.want)
			}
		})
	}
}
