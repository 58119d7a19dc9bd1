package child

import (
	"os"
	"path/filepath"
)

// systemPaths are what programs in general need: libraries, other programs, name resolution,
// certificates, time zones. Above all, no folder among them has keys or credentials.
var systemPaths = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr", "/nix/store",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/var/lib/ca-certificates",
	"/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies",
	"/etc/resolv.conf", "/run/systemd/resolve", "/run/resolvconf", "/etc/hosts", "/etc/hostname", "/etc/host.conf",
	"/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols", "/etc/passwd", "/etc/group",
	"/etc/localtime", "/etc/timezone", "/etc/mime.types", "/etc/os-release",
	"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	// What belongs to other processes there is not readable from within a sandbox.
	"/proc",
	"/sys/fs/cgroup", "/sys/devices/system", "/sys/kernel/mm/transparent_hugepage",
}

// SystemPaths returns the paths that programs in general need to read.
func SystemPaths() []string { return systemPaths }

// CredentialPaths returns the paths with credentials for Kubernetes.
func CredentialPaths() []string {
	out := append([]string{"/var/run/secrets", "/run/secrets"}, filepath.SplitList(os.Getenv("KUBECONFIG"))...)
	if home, err := os.UserHomeDir(); err == nil {
		out = append(out, filepath.Join(home, ".kube"))
	}
	return out
}
