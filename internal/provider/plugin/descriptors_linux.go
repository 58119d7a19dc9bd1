package plugin

import (
	"os"
	"sync"
)

// descriptors reports whether a child can run one of its descriptors.
var descriptors = sync.OnceValue(func() bool {
	_, err := os.Stat("/proc/self/fd")
	return err == nil
})
