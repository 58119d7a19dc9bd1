package install

import (
	version "github.com/hashicorp/go-version"
)

// Policy is which newer versions are installed without a change of the constraint.
type Policy string

// Policies.
const (
	// Manual: none.
	Manual Policy = "Manual"
	// Patch: those with the same major and minor version.
	Patch Policy = "Patch"
	// Minor: those with the same major version.
	Minor Policy = "Minor"
)

// parts is how many segments of the version stay the same.
func (p Policy) parts() int {
	switch p {
	case Patch:
		return 2
	case Minor:
		return 1
	}
	return 3
}

// Meets reports whether a version meets a constraint.
func Meets(constraint, of string) bool {
	constraints, problemOf := parseConstraints(constraint)
	v, err := version.NewSemver(of)
	return problemOf == nil && err == nil && meets(v, constraints)
}

// Newer returns those of the versions that are newer than the current one, in their order.
func Newer(current string, versions []string) (out []string) {
	now, err := version.NewSemver(current)
	if err != nil {
		return nil
	}
	for _, one := range versions {
		if v, err := version.NewSemver(one); err == nil && v.GreaterThan(now) {
			out = append(out, one)
		}
	}
	return out
}

// Behind is how many versions are newer than the installed one. Each counts once, by the first part
// that differs.
type Behind struct {
	Versions int `json:"versions"`
	Major    int `json:"major"`
	Minor    int `json:"minor"`
	Patch    int `json:"patch"`
}

// BehindOf returns how far a version is behind the newer ones, which Newer returns.
func BehindOf(current string, newer []string) Behind {
	out := Behind{Versions: len(newer)}
	now, err := version.NewSemver(current)
	if err != nil {
		return Behind{}
	}
	for _, one := range newer {
		v, err := version.NewSemver(one)
		switch {
		case err != nil || !samePrefix(v, now, 1):
			out.Major++
		case !samePrefix(v, now, 2):
			out.Minor++
		default:
			out.Patch++
		}
	}
	return out
}

// Update returns the version to install: the newest of the versions that meets the constraint and
// that the policy permits, or the current one. It is never older than the current one.
func Update(policy Policy, current, constraint string, versions []string) string {
	now, err := version.NewSemver(current)
	if err != nil {
		return current
	}
	best := now
	for _, one := range Newer(current, versions) {
		v, err := version.NewSemver(one)
		if err == nil && v.GreaterThan(best) && v.Prerelease() == "" && samePrefix(v, now, policy.parts()) && Meets(constraint, one) {
			best = v
		}
	}
	return best.String()
}

func samePrefix(x, y *version.Version, n int) bool {
	for i := range n {
		if x.Segments64()[i] != y.Segments64()[i] {
			return false
		}
	}
	return true
}
