package plugin

import (
	"crypto/sha256"
	"sync"
)

// opened are the ephemeral resources that a process has opened and not closed. Another process may
// renew and close them as well, and this one what others have opened. The zero value has none.
type opened struct {
	mu sync.Mutex
	// all has how many have the same type and private bytes.
	all map[openKey]int
}

// openKey identifies an ephemeral resource without its private bytes, which may be secret.
type openKey [sha256.Size]byte

func openKeyOf(typeName string, private []byte) openKey {
	return sha256.Sum256(append([]byte(typeName+"\x00"), private...))
}

func (o *opened) add(typeName string, private []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[openKey]int{}
	}
	o.all[openKeyOf(typeName, private)]++
}

// remove forgets one, and reports whether it was there.
func (o *opened) remove(typeName string, private []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := openKeyOf(typeName, private)
	n := o.all[key]
	if n > 1 {
		o.all[key]--
	} else {
		delete(o.all, key)
	}
	return n > 0
}

func (o *opened) any() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.all) > 0
}
