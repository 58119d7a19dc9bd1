package memory

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// ReleaseProgram releases the pages of the program's own file, which are mapped because something
// near them ran once. They stay in the page cache and return when they are needed, at the cost of
// minor faults. For a program with Kubernetes client libraries this saves 20 of 50 MiB permanently.
func ReleaseProgram() error {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return err
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if !strings.HasSuffix(s.Text(), exe) {
			continue
		}
		var begin, end uintptr
		var permissions string
		if _, err := fmt.Sscanf(s.Text(), "%x-%x %s", &begin, &end, &permissions); err != nil {
			return err
		}
		if strings.Contains(permissions, "w") {
			continue // these pages have no copy in the file
		}
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_DONTNEED); errno != 0 {
			return errno
		}
	}
	return nil
}
