package release

import (
	"fmt"
	"os"
	"strconv"
)

// Release is the version of the volumes' schemas.
type Release int

// The releases. State schemas of BeforeIdentity are those of V0.
const (
	BeforeIdentity Release = iota - 1 // no identity schema
	V0                                // identity: id, public (bool)
	V1                                // identity: id, public (string)
	V2                                // identity: volume_id, public (string)

	// Mistaken is V2 with mistakes in its identity schemas: public is neither required
	// nor optional for import, and in SDKv2 one type has a map.
	Mistaken

	Latest = V2
)

// Env names the environment variable that chooses a release: "pre", "0", "1", "2" or "mistaken".
const Env = "EXAMPLECLOUD_PROVIDER_VERSION"

// linked may be set while linking, so that releases are programs of their own: -ldflags "-X
// github.com/landbridge-io/landbridge/examples/examplecloud/provider/release.linked=1".
var linked string

// Current is the release of this process: of the environment, of the linker, or
// the latest.
func Current() (Release, error) {
	text, from := os.Getenv(Env), "$"+Env
	if text == "" {
		text, from = linked, "the linker's release"
	}
	switch text {
	case "":
		return Latest, nil
	case "pre":
		return BeforeIdentity, nil
	case "mistaken":
		return Mistaken, nil
	case "0", "1", "2":
		n, err := strconv.Atoi(text)
		return Release(n), err
	}
	return 0, fmt.Errorf("%s is %q, which is none of pre, 0, 1, 2, mistaken", from, text)
}

// HasIdentity reports whether volumes have an identity.
func (r Release) HasIdentity() bool { return r >= V0 }

// Version is the version of the state schema, and of the identity schema if there is one.
func (r Release) Version() int64 { return int64(min(max(r, V0), V2)) }

// String is the provider's version as registries would write it.
func (r Release) String() string {
	return fmt.Sprintf("%d.0.0", r+1)
}
