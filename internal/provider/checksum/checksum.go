package checksum

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// stamp identifies the content of a file. Only an administrator can change a file and keep its
// stamp, since the time of its last change cannot be set. Times are in nanoseconds.
type stamp struct {
	device, inode           uint64
	size, modified, changed int64
	// weak is set on platforms whose stamps do not identify a content.
	weak bool
}

// settled is the time after which a further change of a file certainly has another time: the clock
// of file systems advances in steps of up to 10 ms.
const settled = 100 * time.Millisecond

// maxKnown bounds the number of checksums that are remembered.
const maxKnown = 1024

var (
	mu    sync.Mutex
	known = map[stamp]string{}
)

// errChanging is the error of a file that is being written.
var errChanging = errors.New("the file changes while it is read")

// Sum returns the SHA-256 of an open file in lower-case hex. It does not use the file's offset.
func Sum(f *os.File) (string, error) {
	before, err := stampOf(f)
	if err != nil {
		return "", err
	}
	mu.Lock()
	sum, ok := known[before]
	mu.Unlock()
	if ok {
		return sum, nil
	}
	begun := time.Now()
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, before.size)); err != nil {
		return "", err
	}
	after, err := stampOf(f)
	if err != nil {
		return "", err
	}
	if after != before {
		return "", errChanging
	}
	sum = hex.EncodeToString(h.Sum(nil))
	if before.weak || begun.UnixNano()-before.changed < int64(settled) {
		return sum, nil
	}
	mu.Lock()
	defer mu.Unlock()
	if len(known) >= maxKnown {
		clear(known)
	}
	known[before] = sum
	return sum, nil
}

// Of returns the SHA-256 of the file that has a path at the moment.
func Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return Sum(f)
}
