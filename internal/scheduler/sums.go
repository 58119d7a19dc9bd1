package scheduler

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/landbridge-io/landbridge/internal/instance"
)

// What identifies a configuration is stored with the counts of what does not settle. It has values
// in it that are stored nowhere else, write-only ones, so it is keyed: without the key, a value of
// low entropy cannot be guessed from it.
//
// Another installation, or one that was restored without its key, has another key, and cannot
// compare what is stored with its own. It takes the configuration for the same one: what was held
// stays held, and a request for a retry ends that. At the next refusal, the count gets the key.

// sums makes hashes with the key of an installation.
type sums struct {
	key []byte
	// id identifies the key.
	id string
}

func newSums(installation []byte) *sums {
	derived := func(of string) []byte {
		h := hmac.New(sha256.New, installation)
		h.Write([]byte(of))
		return h.Sum(nil)
	}
	return &sums{key: derived("sums of configurations"), id: hex.EncodeToString(derived("id of sums")[:4])}
}

// of returns a hash of texts, with the id of the key before it.
func (s *sums) of(texts ...string) string {
	h := planHash{hmac.New(sha256.New, s.key)}
	h.text(texts...)
	return s.id + ":" + h.String()
}

// otherKey reports whether what is stored of a configuration cannot be compared with what the
// configuration is now, since its key is another one.
func otherKey(stored, now string) bool {
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

// rekeyed returns a count that was made with another key as one of the configuration now. It is not
// known any more because of which values objects were replaced. Updates are counted anew: another
// one destroys nothing.
func rekeyed(u *instance.Unsettled, config string) *instance.Unsettled {
	return filtered(u, config, func(of instance.Repeats) instance.Repeats {
		of.Updates, of.Replaced = 0, ""
		return of
	})
}

// sameCause reports whether an object was replaced because of these values. It was if that is not
// known any more.
func sameCause(stored, now string) bool { return stored == "" || stored == now }

// rekey stores the counts of a resource with the key of this installation, if they have another
// one, so that another configuration is noticed from now on.
func (s *Scheduler) rekey(ctx context.Context, e *entry, r Request) error {
	in := e.record.Instance
	if in.Unsettled == nil || !otherKey(in.Unsettled.Config, settlingConfig(&r)) {
		return nil
	}
	in.Unsettled = countFor(in.Unsettled, &r)
	return s.save(ctx, e, r, in)
}
