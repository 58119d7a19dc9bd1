package registry

import (
	"context"
	"os"
)

// Version is a version of a provider in a source.
type Version struct {
	// Version as the source spells it, such as 3.7.2.
	Version string
	// Platforms that it is built for, such as linux_arm64. Empty if the source does not tell.
	Platforms []string
}

// Package is what a source has of a version for one platform.
type Package struct {
	// Version of the provider.
	Version string
	// Origin describes the source to users.
	Origin string
	// Hashes are the checksums of the package, h1: or zh:, one of which it must have. Empty if the
	// source has none.
	Hashes []string
	// All are the checksums of the packages for all platforms, as far as the source tells.
	All []string
	// ReleasePage is the address of the page that describes the release. Empty if it is not known.
	ReleasePage string
	// Signer has signed the checksums. Nil if they are not signed.
	Signer *Signer

	// cosign has the signatures of a version in an OCI mirror.
	cosign *cosign
	fetch  func(ctx context.Context, to *os.File) (sha256 string, _ error)
}

// Download writes the package to an empty file, and returns its SHA-256 in hex. It does not compare
// it with Hashes.
func (p *Package) Download(ctx context.Context, to *os.File) (sha256 string, _ error) {
	return p.fetch(ctx, to)
}

// Source is one of the sources of a provider.
type Source struct {
	// Folder is the path of a filesystem mirror, and Hosts the folders in it that are searched. All
	// other sources have methods.
	Folder string
	Hosts  []string

	protocol protocol
	address  Address
}

// String describes the source to users.
func (s Source) String() string {
	if s.protocol == nil {
		return s.Folder
	}
	return s.protocol.describe(s.address)
}

// Versions returns the versions of the provider, in no order. It returns an error of the kind
// NotFound if the source does not have the provider.
func (s Source) Versions(ctx context.Context) ([]Version, error) {
	return s.protocol.versions(ctx, s.address)
}

// Package returns what the source has of a version, which Versions has returned, for a platform.
func (s Source) Package(ctx context.Context, version, platform string) (*Package, error) {
	return s.protocol.find(ctx, s.address, version, platform)
}

// protocol is a way to find packages.
type protocol interface {
	describe(Address) string
	versions(context.Context, Address) ([]Version, error)
	find(_ context.Context, _ Address, version, platform string) (*Package, error)
}
