package install

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	version "github.com/hashicorp/go-version"
	regaddr "github.com/hashicorp/terraform-registry-address"
)

// Address is a provider's address, as in hashicorp/random.
type Address struct {
	// Host, Namespace and Type are in lower case. Host defaults to the default registry.
	Host, Namespace, Type string
	// Explicit is set when the source names the host.
	Explicit bool
}

// String returns the full address.
func (a Address) String() string { return a.Host + "/" + a.Namespace + "/" + a.Type }

// ParseAddress parses a provider's source as Terraform does: TYPE, NAMESPACE/TYPE or
// HOST/NAMESPACE/TYPE. The namespace of TYPE alone is hashicorp.
func ParseAddress(source string) (Address, *Error) {
	if !utf8.ValidString(source) {
		return Address{}, problem(InvalidSource, "it is no text")
	}
	p, err := regaddr.ParseProviderSource(source)
	if err != nil {
		detail := err.Error()
		var parsing *regaddr.ParserError
		if errors.As(err, &parsing) {
			detail = strings.Join(strings.Fields(parsing.Detail), " ")
		}
		return Address{}, problem(InvalidSource, "it is no provider source: %s", detail)
	}
	a := Address{Host: p.Hostname.ForDisplay(), Namespace: p.Namespace, Type: p.Type, Explicit: strings.Count(source, "/") == 2}
	switch p.Namespace {
	case regaddr.UnknownProviderNamespace:
		a.Namespace = "hashicorp"
	case regaddr.LegacyProviderNamespace:
		return Address{}, problem(InvalidSource, "it has no namespace; write NAMESPACE/%s", p.Type)
	case regaddr.BuiltInProviderNamespace:
		if p.IsBuiltIn() {
			return Address{}, problem(Unsupported, "it is built into Terraform, and there is no binary of it")
		}
	}
	return a, nil
}

const binaryPrefix = "terraform-provider-"

// binaryName matches the names of providers' programs. Old providers append the version of the
// handshake.
var binaryName = regexp.MustCompile(`^` + binaryPrefix + `([a-z0-9-]+?)(?:_v?([0-9].*?)(?:_x[0-9]+)?)?(?:\.exe)?$`)

// ParseBinaryName returns the provider's name and version from the path of its program, such as
// terraform-provider-random_v3.7.2_x5. Both are empty if it has another form, the version also if
// the name has none.
func ParseBinaryName(path string) (typ, ver string) {
	m := binaryName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return "", ""
	}
	if _, err := version.NewSemver(m[2]); err != nil {
		return m[1], ""
	}
	return m[1], m[2]
}

// parseConstraints parses a version constraint in Terraform's syntax.
func parseConstraints(s string) (version.Constraints, *Error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	c, err := version.NewConstraint(s)
	if err != nil {
		return nil, problem(InvalidConstraint, "%q is not a version constraint, such as \"3.7.2\", \"~> 3.7\" or \">= 3.0, < 4.0\"", s)
	}
	return c, nil
}

// meets reports whether a version meets the constraints. A pre-release matches only a constraint
// that names a pre-release itself.
func meets(v *version.Version, c version.Constraints) bool {
	if v.Prerelease() == "" {
		return c.Check(v)
	}
	for _, one := range c {
		if one.Prerelease() && one.Check(v) {
			return c.Check(v)
		}
	}
	return false
}
