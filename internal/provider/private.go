package provider

import "context"

// Private is what one process of a provider has, and others of the same provider do not.
type Private struct {
	// Env is added to the environment of the process.
	Env map[string]string
	// Read are files and folders that it can read.
	Read []string
	// Secrets are removed from its logs and errors.
	Secrets []string
	// Ended, unless it is nil, is called when the process has ended, before Server.Close returns.
	// It may be called more than once.
	Ended func()
}

// PrivateLauncher is implemented by launchers of servers that are processes of their own.
// LaunchPrivate is Launch for a process with something private.
type PrivateLauncher interface {
	LaunchPrivate(ctx context.Context, p Private) (Server, error)
	// Reserved reports whether an environment variable is not for Private.Env.
	Reserved(variable string) bool
}

// Renewer is implemented by launchers of servers that become outdated, such as those with a token
// in their environment. Version differs from that of an earlier time if servers that were launched
// at that time are outdated. It does not block.
type Renewer interface{ Version() int64 }
