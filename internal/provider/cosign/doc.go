// Package cosign verifies signatures that cosign has made of providers in OCI mirrors.
//
// In: the digest of a manifest, a signature as the registry has it, and who must have signed: the
// holder of a public key, or an identity that a certificate authority of Sigstore has confirmed.
// Out: an error that says what is wrong, or none. Package registry reads the signatures, package
// install decides which are needed.
//
// It never makes a request: the authorities are in a file. Programs import it for its effect alone;
// it has many dependencies.
package cosign
