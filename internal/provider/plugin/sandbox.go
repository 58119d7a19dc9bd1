package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// Sandbox is what a provider's process may do besides what all may: read what programs in general
// need, and use a private folder, which is its home and has its temporary files and sockets. The
// folder is removed when the process has ended.
type Sandbox struct {
	// Read and Write are further files and folders that it can read, and also write. Those of Read
	// must exist. Folders are made for those of Write that do not.
	Read, Write []string
	// Connect are the only TCP ports that it can connect to. Empty is all.
	Connect []uint16
	// Processes is the number of processes and threads from which on it can start no more. All of
	// the user's count, of the whole machine; root has no limit. Defaults to 4096.
	Processes uint64
	// Hidden are files and folders that it cannot read, besides credentials for Kubernetes, unless
	// Read or Write has paths within them.
	Hidden []string
	// Settings are what users call Read, Write and Connect. Defaults to the fields of a
	// TerraformProvider.
	Settings Settings
}

// restrictions returns the sandbox of a process with a private folder, and its environment. The
// sandbox is nil if the process is not restricted.
func (l *Launcher) restrictions(dir string, binary *os.File, private provider.Private) (*child.Sandbox, []string, error) {
	env := l.environment(l.percentage(binary))
	for name, value := range private.Env {
		env = append(env, name+"="+value)
	}
	if l.Sandbox == nil {
		return nil, env, nil
	}
	for _, path := range l.Sandbox.Read {
		if _, err := os.Stat(path); err != nil {
			return nil, nil, fmt.Errorf("what it can read must exist: %w", err)
		}
	}
	for _, path := range l.Sandbox.Write {
		_, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(path, 0o755)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("what it can write must exist: %w", err)
		}
	}
	out := &child.Sandbox{
		Hidden: slices.Concat(child.CredentialPaths(), l.Sandbox.Hidden),
		Read:   slices.Concat(child.SystemPaths(), l.Sandbox.Read, private.Read),
		// The folder of sockets is in dir, too.
		Write:     slices.Concat(l.Sandbox.Write, []string{dir}),
		Processes: l.Sandbox.Processes,
	}
	if len(l.Sandbox.Connect) > 0 {
		out.Connect = l.Sandbox.Connect
	}
	if isScript(binary) {
		// Its interpreter reads it by its path, and it may need the files beside it.
		out.Read = append(out.Read, filepath.Dir(binary.Name()))
	} else {
		out.Read = append(out.Read, fmt.Sprintf("/proc/self/fd/%d", binary.Fd()))
	}
	for _, name := range []string{"SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value := lookup(env, name); value != "" {
			out.Read = append(out.Read, strings.Split(value, ":")...)
		}
	}
	own := map[string]string{}
	if _, chosen := l.Env["TMPDIR"]; !chosen {
		own["TMPDIR"] = filepath.Join(dir, "tmp")
	}
	if _, chosen := l.Env["HOME"]; !chosen && !l.usesHome(lookup(env, "HOME")) {
		own["HOME"] = filepath.Join(dir, "home")
	}
	for name, path := range own {
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, nil, err
		}
		env = append(slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=") }), name+"="+path)
	}
	return out, env, nil
}

// usesHome reports whether the sandbox is open for a path in a home directory, which then stays the
// provider's home.
func (l *Launcher) usesHome(home string) bool {
	return home != "" && slices.ContainsFunc(slices.Concat(l.Sandbox.Read, l.Sandbox.Write), func(path string) bool {
		rel, err := filepath.Rel(home, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// lookup returns the value of a variable in an environment, or "".
func lookup(env []string, name string) string {
	for _, e := range env {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
