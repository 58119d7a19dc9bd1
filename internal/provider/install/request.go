package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// Request describes the provider to find.
type Request struct {
	// Source is a provider's address as Terraform writes it, or the path of a program.
	Source string
	// Constraint is a version constraint in Terraform's syntax. Empty: any release.
	Constraint string
	// Version is the only version to take from registries and mirrors of Installer.Registry, such
	// as the locked one. Empty: the newest that meets the constraint.
	Version string
	// Locks are what is known of versions that were installed before. A package that contradicts
	// them is refused.
	Locks []Lock
	// Trust are the keys, by the ends of their fingerprints, one of which must have signed the
	// checksums. Empty: any key, or none.
	Trust []string
	// Cosign are the signers of whom one must have signed with cosign, if no key of Trust has
	// signed. Only OCI mirrors have such signatures.
	Cosign []registry.CosignSigner
	// Pinned is set if the caller compares the package with checksums that a person gave. Then
	// locks are ignored.
	Pinned bool
	// Offline makes a provider that would need a request to a registry or a mirror be an error with
	// the reason NotDownloaded.
	Offline bool
}

// Lock is what is known of a version.
type Lock struct {
	Version string
	// Hashes are the checksums of its packages for all platforms, as far as they are known: h1: and
	// zh:.
	Hashes []string
	// Key is the fingerprint of the key that has signed the checksums, and Signer its owner as the
	// registry calls it. Empty if they were not signed.
	Key, Signer string
	// Origin describes where the version was found.
	Origin string
}

// signature describes who has signed a version.
func (l Lock) signature() string {
	switch {
	case l.Key == "":
		return "not signed"
	case l.Signer == "":
		return "signed by " + l.Key
	}
	return "signed by " + l.Key + " (" + l.Signer + ")"
}

// lock returns the lock of a version.
func (r Request) lock(version string) (Lock, bool) {
	i := slices.IndexFunc(r.Locks, func(l Lock) bool { return l.Version == version })
	if i < 0 {
		return Lock{}, false
	}
	return r.Locks[i], true
}

// trusts reports whether a key is one that the request demands.
func trusts(keys []string, fingerprint string) bool {
	return fingerprint != "" && slices.ContainsFunc(keys, func(k string) bool {
		k = strings.ToUpper(strings.ReplaceAll(k, " ", ""))
		return len(k) >= 16 && strings.HasSuffix(fingerprint, k)
	})
}

// demanding reports whether the request says who must have signed.
func (r Request) demanding() bool { return len(r.Trust)+len(r.Cosign) > 0 }

// trusted reports whether the signer with a fingerprint is one that the request demands.
func (r Request) trusted(fingerprint string) bool {
	return trusts(r.Trust, fingerprint) ||
		slices.ContainsFunc(r.Cosign, func(s registry.CosignSigner) bool { return s.Fingerprint() == fingerprint })
}

// lockOf returns the lock for a package.
func lockOf(p *registry.Package, checksums []string) Lock {
	l := Lock{Version: p.Version, Origin: p.Origin}
	if p.Signer != nil {
		l.Key, l.Signer = p.Signer.Fingerprint, p.Signer.Name
	}
	const most = 100 // a release has about fifteen packages
	if l.Hashes = slices.Clone(checksums); len(p.All) <= most {
		l.Hashes = append(l.Hashes, p.All...)
	}
	slices.Sort(l.Hashes)
	l.Hashes = slices.Compact(l.Hashes)
	return l
}

// checkTrust returns an error if a package is not signed as the request demands, or by another key
// than earlier versions.
func (r Request) checkTrust(now Lock) *Error {
	if r.demanding() && !r.trusted(now.Key) {
		whom := slices.Clone(r.Trust)
		for _, s := range r.Cosign {
			whom = append(whom, s.Fingerprint())
		}
		return problem(Untrusted, "version %s in %s is %s, not by anyone of spec.trust (%s); choose another version "+
			"or source, or add the signer if you trust it",
			now.Version, now.Origin, now.signature(), strings.Join(whom, ", "))
	}
	if r.Pinned || r.demanding() {
		return nil
	}
	if _, ok := r.lock(now.Version); ok {
		return nil // its checksums decide
	}
	for _, l := range r.Locks {
		if l.Key != "" && l.Key != now.Key {
			return problem(Untrusted, "version %s in %s is %s, but version %s, which was installed before, is %s; "+
				"if you trust it, name its key in spec.trust.keys, or its checksum in spec.checksums",
				now.Version, now.Origin, now.signature(), l.Version, l.signature())
		}
	}
	return nil
}

// checkLock returns an error if the checksums of a package are others than those that were
// recorded.
func (r Request) checkLock(version, origin string, checksums []string) *Error {
	l, ok := r.lock(version)
	if !ok || r.Pinned || len(l.Hashes) == 0 || slices.ContainsFunc(checksums, func(c string) bool { return slices.Contains(l.Hashes, c) }) {
		return nil
	}
	return problem(Untrusted, "version %s in %s has changed: its checksum is %s, and was %s when it was installed "+
		"first; restore the package, or add its checksum to spec.checksums if you trust it",
		version, origin, strings.Join(checksums, " "), describeHashes(l.Hashes))
}

func describeHashes(hashes []string) string {
	const most = 3
	if more := len(hashes) - most; more > 0 {
		return fmt.Sprintf("%s or one of %d others", strings.Join(hashes[:most], ", "), more)
	}
	return strings.Join(hashes, ", ")
}

// comparable reports whether checksums of the same scheme are locked, so that a package can be
// refused before it is downloaded.
func (r Request) comparable(version string, hashes []string) bool {
	l, _ := r.lock(version)
	return slices.ContainsFunc(hashes, func(h string) bool {
		return slices.ContainsFunc(l.Hashes, func(x string) bool { return x[:min(3, len(x))] == h[:min(3, len(h))] })
	})
}
