package keyed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// What identifies a configuration is stored with the counts of what does not settle. It has values
// in it that are stored nowhere else, write-only ones, so it is keyed: without the key, a value of
// low entropy cannot be guessed from it.
//
// Another installation, or one that was restored without its key, has another key, and cannot
// compare what is stored with its own. It takes the configuration for the same one: what was held
// stays held, and a request for a retry ends that. At the next refusal, the count gets the key.

// Sums makes hashes with the key of an installation.
type Sums struct {
	key []byte
	// id identifies the key.
	id string
}

// NewSums returns the Sums of an installation, of which installation is a key.
func NewSums(installation []byte) *Sums {
	derived := func(of string) []byte {
		h := hmac.New(sha256.New, installation)
		h.Write([]byte(of))
		return h.Sum(nil)
	}
	return &Sums{key: derived("sums of configurations"), id: hex.EncodeToString(derived("id of sums")[:4])}
}

// Of returns a hash of texts, with the id of the key before it.
func (s *Sums) Of(texts ...string) string {
	h := New(s.key)
	h.Text(texts...)
	return s.id + ":" + h.String()
}

// OtherKey reports whether what is stored of a configuration cannot be compared with what the
// configuration is now, since its key is another one.
func OtherKey(stored, now string) bool {
	key := func(config string) string {
		sum, _, _ := strings.Cut(config, " ")
		id, _, keyed := strings.Cut(sum, ":")
		if !keyed {
			return ""
		}
		return id
	}
	return key(now) != "" && key(stored) != key(now)
}
