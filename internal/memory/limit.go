package memory

import (
	"os"
	"strconv"
	"strings"
)

// limitFiles are where Linux tells the memory limit of a container, by version 2 and 1 of control
// groups.
var limitFiles = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// Limit returns the memory limit of the container that the process runs in, in bytes; 0 if there is
// none, or it is not known.
func Limit() int64 { return limit(os.ReadFile) }

func limit(read func(name string) ([]byte, error)) int64 {
	for _, name := range limitFiles {
		content, err := read(name)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
		if err != nil || n >= 1<<60 { // "max", or as much as there can be
			return 0
		}
		return n
	}
	return 0
}
