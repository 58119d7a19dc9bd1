package child

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	reading = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// onFiles are the rights that a rule for a file can have.
	onFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// minLandlock is the version of Landlock's interface from which files cannot be truncated
	// without the right to (Linux 6.2). ports is the one that restricts ports (6.7), devices the
	// one that restricts what devices are told (6.10), and scopes the one that keeps signals and
	// abstract sockets inside (6.12).
	minLandlock, ports, devices, scopes = 3, 4, 5, 6
)

// landlockVersion returns the version of the kernel's interface; 0 if there is none.
var landlockVersion = sync.OnceValue(func() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
})

// SandboxSupported reports whether the kernel can restrict a child.
func SandboxSupported() bool { return landlockVersion() >= minLandlock }

// SandboxPorts reports whether the kernel can restrict the ports that a child connects to.
func SandboxPorts() bool { return landlockVersion() >= ports }

// SandboxLimitation describes what a sandbox of this kernel does not restrict, or is empty.
func SandboxLimitation() string {
	if v := landlockVersion(); v >= minLandlock && v < scopes {
		return fmt.Sprintf("signals to other processes, which needs Linux 6.12 (Landlock of version %d; this kernel has %d)", scopes, v)
	}
	return ""
}

// onThread runs a function on a thread of its own, which ends with it. It is never the main thread,
// which does not end.
func onThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != os.Getpid() {
			f()
			return // without unlocking, so that the thread ends
		}
		other := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(other)
			f()
		}()
		<-other
		runtime.UnlockOSThread()
	}()
}

// restrict restricts the calling thread, and the children that it starts, for ever.
func (s *Sandbox) restrict() error {
	version := landlockVersion()
	if version < minLandlock {
		return ErrNoSandbox
	}
	attr := unix.LandlockRulesetAttr{Access_fs: reading | writing}
	if version >= devices {
		attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= scopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if s.Connect != nil {
		if version < ports {
			return ErrNoPorts
		}
		attr.Access_net = unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	read := s.Read
	if read == nil {
		read = []string{"/"}
	}
	hidden := resolved(s.Hidden)
	for _, rule := range []struct {
		paths  []string
		access uint64
	}{{read, reading}, {append(slices.Clone(s.Write), os.DevNull), attr.Access_fs}} {
		for _, path := range rule.paths {
			for _, path := range except(path, hidden) {
				if err := allow(int(fd), path, rule.access); err != nil {
					return err
				}
			}
		}
	}
	for _, port := range s.Connect {
		if err := allowPort(int(fd), port); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return dropCapabilities()
}

// dropCapabilities makes programs that the calling thread runs have no capabilities, also as root:
// some of them lift restrictions of Landlock. For example, with CAP_PERFMON environments of other
// processes can be read.
func dropCapabilities() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // there are no more
		}
		if errors.Is(err, unix.EPERM) {
			break // this program has none to give, or may not drop them
		}
		if err != nil {
			return fmt.Errorf("capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}

// allowPort adds a rule for connections to a TCP port.
func allowPort(ruleset int, port uint16) error {
	rule := struct{ access, port uint64 }{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(port)}
	const ruleNetPort = 2
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), ruleNetPort,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: port %d: %w", port, errno)
	}
	return nil
}

// allow adds a rule for a path. There is nothing to allow if the path does not exist.
func allow(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // what cannot be opened cannot be used either
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= onFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %s: %w", path, errno)
	}
	return nil
}

// except returns paths that together have everything at a path but the hidden paths. Entries that
// are made later in a folder above a hidden path are not among them. A path within a hidden one is
// not hidden.
func except(path string, hidden []string) []string {
	if strings.HasPrefix(path, "/proc/self/fd/") {
		return []string{path} // an open file, which need not have a path any more
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	return exceptReal(real, hidden)
}

func exceptReal(dir string, hidden []string) []string {
	switch {
	case slices.Contains(hidden, dir):
		return nil
	case !slices.ContainsFunc(hidden, func(h string) bool { return beneath(dir, h) }):
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			out = append(out, exceptReal(filepath.Join(dir, e.Name()), hidden)...)
		}
	}
	return out
}

func beneath(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolved returns paths without symbolic links. Those that do not exist are left out.
func resolved(paths []string) []string {
	var out []string
	for _, p := range paths {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			out = append(out, real)
		}
	}
	return out
}
