package config

import (
	"regexp"
	"strings"
)

// IdentityValue is the value of an attribute of an identity: the path of an argument
// (metadata.name), or a constant. Text that could be a path (lower-case letters, digits and
// underscores, separated by dots) is a path; all other text is a constant (ConfigMap). A constant
// that could be a path begins with an equals sign, which is not part of it (=v1).
type IdentityValue string

var identityPath = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$`)

// Path returns the names of a path, or nil for a constant.
func (v IdentityValue) Path() []string {
	if !identityPath.MatchString(string(v)) {
		return nil
	}
	return strings.Split(string(v), ".")
}

// Constant returns the text of a constant. It is only valid if there is no Path.
func (v IdentityValue) Constant() string { return strings.TrimPrefix(string(v), "=") }

// IdentityConstant returns the value for a constant.
func IdentityConstant(text string) IdentityValue {
	v := IdentityValue(text)
	if v.Path() != nil || strings.HasPrefix(text, "=") || text == "" {
		return "=" + v
	}
	return v
}
