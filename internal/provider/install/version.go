package install

import (
	"slices"
	"strings"

	version "github.com/hashicorp/go-version"
)

// Newest returns the newest of a provider's versions that meets a constraint, by the same rules as
// Install. The error is an *Error.
func Newest(source, constraint string, versions []string) (string, error) {
	v, err := newest(constraint, versions)
	if err != nil {
		err.Source, err.Constraint = source, constraint
		return "", err
	}
	return v, nil
}

func newest(constraint string, versions []string) (string, *Error) {
	constraints, problemOf := parseConstraints(constraint)
	if problemOf != nil {
		return "", problemOf
	}
	all := make([]*version.Version, len(versions))
	for i, text := range versions {
		v, err := version.NewSemver(text)
		if err != nil {
			return "", problem(InvalidPackage, "%q is no version", text)
		}
		all[i] = v
	}
	slices.SortFunc(all, func(x, y *version.Version) int { return y.Compare(x) })
	available := make([]string, len(all))
	for i, v := range all {
		if meets(v, constraints) {
			return v.Original(), nil
		}
		available[i] = v.Original()
	}
	e := problem(NoMatchingVersion, "no version meets the constraint; there are %s", strings.Join(available, ", "))
	e.Available = available
	return "", e
}
