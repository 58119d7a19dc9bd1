package version

import (
	"cmp"
	"runtime/debug"
)

// version is set by the linker for builds outside of a Git checkout, such as those of images:
// -ldflags="-X github.com/landbridge-io/landbridge/internal/version.version=v0.5.0".
var version string

// String returns the version: the one given to the linker, else the tag or pseudo-version that
// the go command derives from the Git checkout, else "development".
func String() string {
	info, _ := debug.ReadBuildInfo()
	return From(version, info)
}

// From returns the version for what the linker was given and what the go command recorded; info
// may be nil.
func From(linked string, info *debug.BuildInfo) string {
	if linked != "" {
		return linked
	}
	if info == nil {
		return "development"
	}
	recorded := info.Main.Version
	if recorded == "(devel)" {
		recorded = ""
	}
	if recorded == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				recorded = "development, commit " + s.Value
			}
		}
	}
	return cmp.Or(recorded, "development")
}
