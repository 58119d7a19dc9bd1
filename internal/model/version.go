package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/landbridge-io/landbridge/config"
)

// version matches the API versions that Kubernetes orders: v1, v2beta1.
var version = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

// checkVersions reports invalid versions, and dropped versions that are the current one.
func checkVersions(has string, dropped []string) error {
	if !version.MatchString(has) {
		return config.At(fmt.Errorf("%q is not an API version, such as v1alpha2, v1beta1 or v1", has), "version")
	}
	for i, v := range dropped {
		switch {
		case !version.MatchString(v):
			return config.At(fmt.Errorf("%q is not an API version, such as v1alpha2, v1beta1 or v1", v), "droppedVersions", strconv.Itoa(i))
		case v == has:
			return config.At(
				fmt.Errorf("%s is the version that objects are stored in: give another one in version first", v),
				"droppedVersions", strconv.Itoa(i),
			)
		}
	}
	return nil
}

// dropped returns the versions that a kind no longer has. A version that the provider dropped may
// be the configured version of a kind.
func dropped(has string, provider, kind []string) []string {
	var out []string
	for _, v := range slices.Concat(provider, kind) {
		if v != has && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
