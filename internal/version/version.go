package version

import (
	"cmp"
	"runtime/debug"
	"strings"
)

// version and commit are set by the linker for builds outside of a Git checkout, such as those of
// images: -ldflags="-X github.com/landbridge-io/landbridge/internal/version.version=v0.5.0".
var version, commit string

// String returns the version: the one given to the linker, else the tag or pseudo-version that
// the go command derives from the Git checkout, else "development"; and the commit, if it is known.
func String() string {
	info, _ := debug.ReadBuildInfo()
	return From(version, commit, info)
}

// Label returns the version without the commit as the value of a label of Kubernetes, in which a +
// is an underscore.
func Label() string {
	v, _, _ := strings.Cut(String(), ",")
	v = strings.ReplaceAll(v, "+", "_")
	return v[:min(len(v), 63)]
}

// From returns the version for what the linker was given and what the go command recorded; info
// may be nil.
func From(version, commit string, info *debug.BuildInfo) string {
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if version == "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = cmp.Or(commit, s.Value)
		}
	}
	version = cmp.Or(version, "development")
	if commit == "" {
		return version
	}
	return version + ", commit " + commit
}
