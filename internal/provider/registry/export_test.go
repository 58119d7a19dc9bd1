package registry

// Parsed runs everything that decodes an answer, and returns what was accepted.
func Parsed(raw []byte, platform string) (accepted []string) {
	try := func(name string, err error) {
		if err == nil {
			accepted = append(accepted, name)
		}
	}
	_, err := parseDiscovery(raw)
	try("discovery", err)
	_, err = parseVersions(raw)
	try("versions", err)
	_, err = parseRelease(raw)
	try("release", err)
	_, err = parseIndex(raw)
	try("index", err)
	_, err = parseArchives(raw)
	try("archives", err)
	_, err = parseProviderIndex(raw, platform)
	try("OCI index", err)
	_, err = parseTarget(raw)
	try("OCI manifest", err)
	_, err = parseArtifact(raw)
	try("OCI artifact", err)
	return accepted
}

// CosignLayers returns how many layers a manifest of signatures has whose content would be read,
// and how many of them have a signature.
func CosignLayers(raw []byte) (read, signed int, _ error) {
	layers, err := parseLayers(raw)
	for _, l := range layers {
		if checkDigest(l) != nil {
			continue
		}
		if read++; len(taggedSignature(l)) > 0 {
			signed++
		}
	}
	return read, signed, err
}

// MaxCosignSignatures exports maxCosignSignatures.
const MaxCosignSignatures = maxCosignSignatures

// ParseSums parses a checksum document.
func ParseSums(document []byte) (map[string]string, error) {
	sums, err := parseSums(document)
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// ParseConfig parses a file of the command line, and returns how many methods it has, or -1 without
// provider_installation.
func ParseConfig(raw []byte) (methods int, _ error) {
	var c configuration
	if err := c.parse("file", raw); err != nil {
		return 0, err
	}
	if c.methods == nil {
		return -1, nil
	}
	return len(c.methods), nil
}

// Matches reports whether a pattern matches an address in a client of a registry.
func Matches(s string, a Address, registry string) (matches, valid bool) {
	p, ok := parsePattern(s)
	return ok && p.matches(a, registry), ok
}

// RetryAfter is retryAfter.
var RetryAfter = retryAfter

// CredentialOf returns the user name for an OCI repository, of a file.
func CredentialOf(raw []byte, host, name string) (string, error) {
	var c configuration
	if err := c.parse("file", raw); err != nil {
		return "", err
	}
	return credentialFor(c.oci, host, name).username, nil
}

// ReleasePage is releasePage.
var ReleasePage = releasePage
