package registry

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
)

// network is a network mirror, by Terraform's provider network mirror protocol.
type network struct {
	*fetcher
	base     *url.URL
	registry string
	token    func(host string) string
}

func (m *network) describe(Address) string { return "the network mirror " + m.base.Redacted() }

// versions returns the versions of the first of the provider's addresses that the mirror has.
func (m *network) versions(ctx context.Context, a Address) ([]Version, error) {
	out, _, err := m.list(ctx, a)
	return out, err
}

func (m *network) list(ctx context.Context, a Address) (_ []Version, host string, _ error) {
	var missing error
	for _, host := range a.hosts(m.registry) {
		raw, at, err := m.get(ctx, m.describe(a), m.base.JoinPath(host, a.Namespace, a.Type, "index.json"), m.token(m.base.Host))
		if err != nil && KindOf(err) == NotFound {
			missing = err
			continue
		}
		if err != nil {
			return nil, "", err
		}
		out, err := parseIndex(raw)
		if err != nil {
			return nil, "", problem(Invalid, "%s: %s: %s", m.describe(a), at.Redacted(), err)
		}
		return out, host, nil
	}
	return nil, "", missing
}

// MirrorIndex is the list of a provider's versions in a network mirror.
type MirrorIndex struct {
	// Versions has an object without fields for each version.
	Versions map[string]json.RawMessage `json:"versions"`
}

// MirrorVersion is a version of a provider in a network mirror.
type MirrorVersion struct {
	// Archives are the packages, by platform.
	Archives map[string]MirrorArchive `json:"archives"`
}

// MirrorArchive is a package in a network mirror.
type MirrorArchive struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// parseIndex parses the list of versions of a network mirror.
func parseIndex(raw []byte) ([]Version, error) {
	var index MirrorIndex
	if err := json.Unmarshal(raw, &index); err != nil {
		return nil, problem(Invalid, "the answer is not a list of versions: %s", err)
	}
	var out []Version
	for v := range index.Versions {
		out = append(out, Version{Version: v})
	}
	return out, nil
}

// parseArchives parses the packages of a version in a network mirror, by platform.
func parseArchives(raw []byte) (map[string]MirrorArchive, error) {
	var answer MirrorVersion
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, problem(Invalid, "the answer is not a list of packages: %s", err)
	}
	for platform, a := range answer.Archives {
		if a.URL == "" {
			return nil, problem(Invalid, "the package for %s has no url", clip(platform))
		}
		// Schemes of later versions are not known.
		a.Hashes = slices.DeleteFunc(a.Hashes, func(h string) bool { return !isHash(h) })
		answer.Archives[platform] = a
	}
	return answer.Archives, nil
}

// isHash reports whether a checksum is one that can be compared.
func isHash(h string) bool {
	if sum, ok := strings.CutPrefix(h, "zh:"); ok {
		return isSHA256(sum)
	}
	return strings.HasPrefix(h, "h1:")
}

func (m *network) find(ctx context.Context, a Address, version, platform string) (*Package, error) {
	_, host, err := m.list(ctx, a)
	if err != nil {
		return nil, err
	}
	what, token := m.describe(a), m.token(m.base.Host)
	raw, at, err := m.get(ctx, what, m.base.JoinPath(host, a.Namespace, a.Type, version+".json"), token)
	if err != nil {
		return nil, err
	}
	archives, err := parseArchives(raw)
	if err != nil {
		return nil, problem(Invalid, "%s: %s: %s", what, at.Redacted(), err)
	}
	one, ok := archives[platform]
	if !ok {
		return nil, problem(NotFound, "%s has no build of %s for %s", what, version, platform)
	}
	download, err := follow(what, at, one.URL)
	if err != nil {
		return nil, err
	}
	if download.Host != m.base.Host {
		token = ""
	}
	p := &Package{Version: version, Origin: what, Hashes: one.Hashes}
	for _, other := range archives {
		p.All = append(p.All, other.Hashes...)
	}
	slices.Sort(p.All)
	p.fetch = func(ctx context.Context, to *os.File) (string, error) {
		return m.download(ctx, what, m.open(what, download, token), to)
	}
	return p, nil
}
