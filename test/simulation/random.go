package simulation

import (
	crand "crypto/rand"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/google/uuid"
)

// sequential is held while a schedule runs: what it makes at random comes from sources of the whole
// process.
var sequential sync.Mutex

// sameRandomness calls a function for which the ids of operations, the keys of deposed objects and
// the names of parts are the same each time. Otherwise the sizes of compressed records would
// differ.
func sameRandomness(f func()) {
	sequential.Lock()
	defer sequential.Unlock()
	source, before := &lockedReader{r: rand.NewChaCha8([32]byte{})}, crand.Reader
	crand.Reader = source
	uuid.SetRand(source)
	defer func() {
		crand.Reader = before
		uuid.SetRand(nil)
	}()
	f()
}

type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

// Read implements io.Reader.
func (l *lockedReader) Read(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(b)
}
